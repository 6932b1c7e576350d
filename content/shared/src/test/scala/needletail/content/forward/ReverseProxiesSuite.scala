package needletail.content.forward

import scala.concurrent.duration._

import needletail.content._
import needletail.http.{Attachments, Headers, MessageBody, Method, Request}
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** What a request's connection says of a client behind proxies. Requests of tests come from 127.0.0.1:0. */
class ReverseProxiesSuite extends Suite {
  private val shown = Routes(
    GET / "who" + request to (r => s"${r.connection.remoteAddress} ${r.connection.isSecure}".ok)
  )

  private def seen(proxies: ReverseProxies, headers: (String, String)*): String =
    shown.behind(proxies).test(Request(Method.GET, "/who", Headers(headers*)), new ManualLoop).text

  private val local = ReverseProxies(Seq("127.0.0.1", "10.0.0.0/8", "fd00::/8"))

  private def addressBy(list: String) = seen(local, "X-Forwarded-For" -> list).takeWhile(_ != ' ')

  test("the client's address and scheme, as the proxy says") {
    assertEquals(seen(local), "127.0.0.1:0 false")
    assertEquals(
      seen(local, "X-Forwarded-For" -> "192.0.2.7", "X-Forwarded-Proto" -> "https"),
      "192.0.2.7:0 true"
    )
    assertEquals(
      seen(local, "X-Forwarded-For" -> "2001:db8::1", "X-Forwarded-Proto" -> "http"),
      "[2001:db8::1]:0 false"
    )
    assertEquals(seen(local, "X-Forwarded-Proto" -> "HTTPS"), "127.0.0.1:0 true")
    assertEquals(addressBy("192.0.2.7:4711"), "192.0.2.7:4711") // as Azure's gateway has it
    assertEquals(addressBy("[2001:db8::1]:80"), "[2001:db8::1]:80")
    assertEquals(addressBy("[2001:db8::1]"), "[2001:db8::1]:0")
  }

  test("the last address that is not a proxy's counts: those before it a client may have invented") {
    assertEquals(addressBy("198.51.100.9, 192.0.2.7"), "192.0.2.7:0")
    assertEquals(addressBy("198.51.100.9, 192.0.2.7, 10.1.2.3, fd00::1"), "192.0.2.7:0")
    assertEquals(addressBy("10.0.0.2, 10.0.0.1"), "10.0.0.2:0") // a client within the network
    assertEquals(
      seen(local, "X-Forwarded-For" -> "198.51.100.9", "X-Forwarded-For" -> "192.0.2.7, 10.0.0.1"),
      "192.0.2.7:0 false"
    )
    assertEquals(seen(local, "X-Forwarded-Proto" -> "https, http"), "127.0.0.1:0 false")
  }

  test("what is no address ends the search") {
    assertEquals(addressBy("198.51.100.9, unknown"), "127.0.0.1:0")
    for (
      text <- Seq("_hidden", "a.example", "192.0.2", "192.0.2.7/8", "[::1", ":", "999.1.1.1", "192.0.2.7;x")
    )
      assertEquals(addressBy(s"198.51.100.9, $text"), "127.0.0.1:0", text)
    assertEquals(addressBy("unknown, 10.0.0.1"), "127.0.0.1:0")
    assertEquals(addressBy("192.0.2.7:999999"), "192.0.2.7:0")
  }

  test("Forwarded is read in place of the other fields where it is asked for, and only there") {
    val standard = local.copy(standard = true)
    val both     = Seq(
      "Forwarded" -> "for=198.51.100.9;proto=http, For=\"[2001:db8::1]:4711\";host=a.example;Proto=https",
      "X-Forwarded-For" -> "192.0.2.7"
    )
    assertEquals(seen(standard, both*), "[2001:db8::1]:4711 true")
    assertEquals(seen(local, both*), "192.0.2.7:0 false")
    assertEquals(
      seen(standard, "Forwarded" -> "for=192.0.2.7;proto=https;by=_x, for=10.0.0.1;proto=http"),
      "192.0.2.7:0 true"
    )
    assertEquals(seen(standard, "Forwarded" -> "for=_a7;proto=https"), "127.0.0.1:0 true")
    assertEquals(seen(standard, "Forwarded" -> "by=10.0.0.1"), "127.0.0.1:0 false")
    assertEquals(seen(standard, "Forwarded" -> "=;for;;="), "127.0.0.1:0 false")
  }

  test("a quote that a client leaves open does not hide what the proxy appends") {
    val standard = local.copy(standard = true)
    for (open <- Seq("\"", "198.51.100.9, \"", "\"\\\"", "x=\"\\")) {
      assertEquals(addressBy(s"$open, 192.0.2.7"), "192.0.2.7:0", open)
      assertEquals(
        seen(standard, "Forwarded" -> s"for=198.51.100.9;x=$open, for=192.0.2.7;proto=https"),
        "192.0.2.7:0 true",
        open
      )
      assertEquals(seen(local, "X-Forwarded-Proto" -> s"https$open, http"), "127.0.0.1:0 false", open)
    }
  }

  test("what a proxy quotes is not what it says: it may pass on the client's Host there") {
    val standard                = local.copy(standard = true)
    def forwarded(text: String) = seen(standard, "Forwarded" -> text)
    for (
      host <- Seq(
        "a;for=198.51.100.9;proto=https;b",
        "a,for=198.51.100.9;proto=https;b",
        "a\\\",for=198.51.100.9,b"
      )
    )
      for (
        element <- Seq(
          s"""proto=http;host="$host";for=192.0.2.7""",
          s"""for=192.0.2.7;host="$host";proto=http""",
          s"""host="$host" ; for="192.0.2.7:0" ; proto=http"""
        )
      ) {
        assertEquals(forwarded(element), "192.0.2.7:0 false", element)
        assertEquals(forwarded(s"""for=203.0.113.1;x="a, $element"""), "192.0.2.7:0 false", element)
        assertEquals(
          forwarded(s"""$element, for=10.0.0.1;host="$host";proto=https"""),
          "192.0.2.7:0 false",
          element
        )
      }
    assertEquals(forwarded("""for="192.0.2\.7\:80";proto=h"""), "192.0.2.7:80 false")
    assertEquals(forwarded("""for="192.0.2.7;host=\\";proto="https" """), "127.0.0.1:0 true")
  }

  test("an IPv4 address is one in any form, also as a proxy's and for rate limits") {
    assertEquals(addressBy("::ffff:192.0.2.7"), "192.0.2.7:0")
    assertEquals(addressBy("[::ffff:c000:207]:4711"), "192.0.2.7:4711")
    assertEquals(addressBy("192.0.2.7, ::ffff:10.1.2.3"), "192.0.2.7:0")
    assertEquals(addressBy("2001:DB8:0:0:0::1"), "[2001:db8::1]:0")
    assertEquals(addressBy("192.0.2.7:65536"), "192.0.2.7:0")
    val limited = Routes(GET / "x" to "x".ok).rateLimit(RateLimit(1, 1.hour)).behind(local)
    val loop    = new ManualLoop
    assertEquals(
      Seq("::ffff:192.0.2.1", "::ffff:192.0.2.2", "192.0.2.1").map { client =>
        limited.test(Request(Method.GET, "/x", Headers("X-Forwarded-For" -> client)), loop).status.code
      },
      Seq(200, 200, 429)
    )
  }

  test("nobody else is believed") {
    for (networks <- Seq(Nil, Seq("10.0.0.0/8"), Seq("::1"), Seq("unix")))
      assertEquals(
        seen(ReverseProxies(networks), "X-Forwarded-For" -> "192.0.2.7", "X-Forwarded-Proto" -> "https"),
        "127.0.0.1:0 false",
        networks
      )
    for (wrong <- Seq("localhost", "10.0.0.0/33", "", "Unix"))
      assert(intercept[IllegalArgumentException](ReverseProxies(Seq(wrong))).getMessage.contains(
        "ReverseProxies.networks"
      ))
  }

  test(
    "peers on a Unix socket are those whose connection has a path here, whatever their own socket is called"
  ) {
    def isBelieved(local: String, remote: String, networks: String*): Boolean = {
      val peer = new Attachments {
        def remoteAddress: String = remote
        def localAddress: String  = local
        def isSecure: Boolean     = false
      }
      val made    = Request(Method.GET, "/who", Headers("X-Forwarded-For" -> "192.0.2.7"))
      val request = new Request(made.head, made.head.generation, MessageBody.empty, peer)
      ReverseProxies(networks)(request)
      request.connection.remoteAddress == "192.0.2.7:0"
    }
    assert(isBelieved("/run/app.sock", "", "unix") && isBelieved("/run/app.sock", "/10.0.0.1:80", "unix"))
    assert(!isBelieved("/run/app.sock", "10.0.0.1:80", "10.0.0.1"))
    assert(!isBelieved("10.0.0.2:80", "203.0.113.1:80", "unix"))
    // of a web server that does not tell its address, or after the end of a connection
    assert(!isBelieved("", "203.0.113.1:80", "unix") && !isBelieved("", "", "unix", "10.0.0.1"))
    assert(isBelieved("", "10.0.0.1:80", "unix", "10.0.0.1"))
  }

  test("rate limits, HSTS, and requests that filters have made anew have the client") {
    val routes = Routes(GET / "x" to "x".ok)
      .rateLimit(RateLimit(1, 1.hour)).securityHeaders(SecurityHeaders(hsts = Some(1.hour))).behind(local)
    val loop                = new ManualLoop
    def ask(client: String) = routes.test(
      Request(Method.GET, "/x", Headers("X-Forwarded-For" -> client, "X-Forwarded-Proto" -> "https")),
      loop
    )
    assertEquals(Seq("192.0.2.1", "192.0.2.2", "192.0.2.1").map(ask(_).status.code), Seq(200, 200, 429))
    assert(ask("192.0.2.3").header("Strict-Transport-Security").isDefined)
    val named =
      shown.mapResponse((r, response) => response.header("Who", r.connection.remoteAddress)).behind(local)
    val unknown = Request(Method.GET, "/nobody", Headers("X-Forwarded-For" -> "192.0.2.7"))
    assertEquals(named.test(unknown, loop).header("Who"), Some("192.0.2.7:0"))
    val again = Request(Method.GET, "/who", Headers("X-Forwarded-For" -> "192.0.2.7"))
    local(again)
    assertEquals(again.withHeader("a", "b").connection.remoteAddress, "192.0.2.7:0")
    assertEquals(again.keep.connection.remoteAddress, "192.0.2.7:0")
  }
}
