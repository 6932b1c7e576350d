package needletail.content.limit

import scala.concurrent.duration._

import needletail.content._
import needletail.http.{ConnectionInfo, Headers, Method, Request}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

class RateLimitSuite extends Suite {
  private val byUser = (request: Request) => request.header("user").getOrElse("")

  test("a burst, then as many as come in; each client for itself") {
    val routes = Routes(GET / "x" to "x".ok).rateLimit(RateLimit(60, 1.minute, burst = 2, key = byUser))
    val loop   = new ManualLoop
    def ask(user: String)  = routes.test(Request(Method.GET, "/x", Headers("user" -> user)), loop)
    def code(user: String) = ask(user).status.code
    assertEquals(ask("a").header("RateLimit"), Some("\"default\";r=1;t=1"))
    assertEquals(ask("b").header("RateLimit-Policy"), Some("\"default\";q=60;w=60"))
    assertEquals((code("a"), code("a"), code("b")), (200, 429, 200))
    assertEquals(ask("a").header("Retry-After"), Some("1"))
    loop.advance(1.second)
    assertEquals((code("a"), code("a")), (200, 429))
    loop.advance(1.hour)
    assertEquals((code("a"), code("a"), code("a")), (200, 200, 429))
  }

  test("without a burst, all requests of a period may come at once") {
    val buckets = new Buckets(RateLimit(3, 1.minute))
    assertEquals((1 to 4).map(_ => buckets.take("a", 0).granted).toList, List(true, true, true, false))
    assert(buckets.take("a", 20.seconds.toNanos).granted)
    assert(!buckets.take("a", 20.seconds.toNanos).granted)
    assertEquals((1 to 4).count(_ => buckets.take("a", 10.minutes.toNanos).granted), 3)
  }

  test("memory is bounded") {
    val buckets = new Buckets(RateLimit(1, 1.second, burst = 1, maxKeys = 160))
    for (i <- 1 to 10000) assert(buckets.take(i.toString, 0).granted)
    assert(buckets.size <= 160, buckets.size)
    // those that are full make room first
    val now = 10.seconds.toNanos
    for (i <- 1 to 100) assert(buckets.take(s"new$i", now).granted)
    assert(!buckets.take("new100", now).granted)
    // each of the sixteen parts that has made room has dropped four more of those that are full
    assert(buckets.size < 160 - 16, buckets.size)
  }

  test(
    "a full table forgets the client that has not come for the longest time, and keeps the one that comes often"
  ) {
    val buckets = new Buckets(RateLimit(1, 1.second, burst = 1, maxKeys = 160))
    assert(buckets.take("often", 0).granted)
    for (i <- 1 to 10000) {
      assert(buckets.take(i.toString, 0).granted)
      assert(!buckets.take("often", 0).granted)
    }
    assert(buckets.size <= 160, buckets.size)
  }

  test("a burst that would take more than ten years to come in is refused") {
    val wrong = intercept[IllegalArgumentException](RateLimit(1, 3650.days, burst = Int.MaxValue))
    assert(wrong.getMessage.contains("RateLimit.burst is 2147483647, but must be at most 1"), wrong)
    val buckets = new Buckets(RateLimit(1, 3650.days, burst = 1))
    assertEquals(
      List(buckets.take("a", Long.MaxValue - 5).granted, buckets.take("a", Long.MaxValue - 4).granted),
      List(true, false)
    )
  }

  test("clients are told apart by address, without the port and the last half of IPv6") {
    def of(address: String) = {
      val connection = new needletail.http.Attachments {
        def remoteAddress: String = address
        def localAddress: String  = ""
        def isSecure: Boolean     = false
      }
      RateLimit.addressOf(connection: ConnectionInfo)
    }
    assertEquals(of("192.0.2.1:4711"), "192.0.2.1")
    assertEquals(of("[2001:db8:1:2:3:4:5:6]:4711"), "2001:db8:1:2")
    assertEquals(of("[2001:db8::1]:4711"), "2001:db8:0:0")
    assertEquals(of("[::1]:4711"), "0:0:0:0")
    assertEquals(of("[2001:db8:1::5:6:7:8]:4711"), "2001:db8:1:0")
    assertEquals(of("[2001::4:5:6:7:8]:4711"), "2001:0:0:4", "the fourth group is behind the zeros")
    assertEquals(of("[2001:0:0:4::1]:4711"), "2001:0:0:4", "the same network")
    assertEquals(of("[::3:4:5:6:7:8]:4711"), "0:0:3:4")
    assertEquals(of("/run/socket"), "/run/socket")
  }

  test("seconds are rounded up, so that who waits for so long is let in") {
    val buckets = new Buckets(RateLimit(1, 1500.millis))
    val first   = buckets.take("a", 0)
    assertEquals((first.granted, first.left, first.seconds), (true, 0, 2L))
    val second = buckets.take("a", 1)
    assertEquals((second.granted, second.left, second.seconds), (false, 0, 2L))
    assertEquals(buckets.take("a", 499999999L).seconds, 2L)
    assertEquals(buckets.take("a", 500000000L).seconds, 1L)
    assert(!buckets.take("a", 1499999999L).granted)
    assert(buckets.take("a", 1500000000L).granted)
  }
}
