package needletail.server.overload

import needletail.server.VirtualServer

import needletail.http.Priority
import needletail.testing.Suite

/** A route's limit with the queue of waiting requests in front of it, and a service behind it, in virtual time. */
class RouteLimitSuite extends Suite {
  import VirtualServer._

  /** A service of so many workers behind two routes: one request in `highOf` has a high priority. */
  private final class World(workers: Int, takesMillis: Double, highOf: Int = 10) {
    val service  = new Service(workers, takesMillis)
    val server   = new VirtualServer(OverloadConfig())
    val normal   = asking(service)
    val high     = asking(service, Priority.High)
    val kinds    = Seq.tabulate(highOf)(i => if (i == 0) high else normal)
    val capacity = (workers / takesMillis * 1000).toInt

    def limit: Int = server.admission.stateOf(normal.route).limit.limit

    /** So many times the capacity, for so many seconds: what becomes of it. */
    def offer(times: Double, seconds: Int): Told = perSecond((capacity * times).toInt, seconds)

    def perSecond(rate: Int, seconds: Int): Told = {
      server.forget()
      val told = new Told(this, rate * seconds)
      server.offerAtRandom(rate, seconds * 1000, kinds: _*)
      told.take()
      told
    }
  }

  private final class Told(world: World, val offered: Int) {
    private val s          = world.server
    private val began      = s.now
    var served, lost, high = 0
    var p99, highP99       = 0.0
    var lastRefusal        = 0.0 // seconds after the beginning
    def take(): Unit       = {
      served = s.served.size
      lost = s.refused.size
      high = s.refused(Priority.High)
      p99 = s.quantile(0.99, _.kind eq world.normal)
      highP99 = s.quantile(0.99, _.kind eq world.high)
      lastRefusal = s.refused.map(_.at).foldLeft(began)(_ max _) / 1e9 - began / 1e9
    }
    override def toString: String =
      f"served $served, refused $lost (${100.0 * lost / offered}%.2f %%), the last after $lastRefusal%.1f s; " +
        f"of high priority $high; p99 $p99%.0f ms, high $highP99%.0f ms; limit ${world.limit}"
  }

  for ((times, highOf) <- List((2, 10), (5, 10), (10, 20)); quick <- List(0.0, 0.001, 0.01, 0.1))
    test(s"a service is offered $times times what it can do, and $quick of the answers are quick") {
      val w = new World(50, 20, highOf)
      w.service.quickShare = quick
      w.offer(0.8, 10)
      val begin = w.offer(times, 2)
      val later = w.offer(times, 20)
      val after = w.offer(0.8, 5)
      val all   = s"begin: $begin\nlater: $later\nafter: $after"
      assert(begin.p99 < 150 && begin.highP99 < 150, clue = all)
      assert(later.p99 < 80 && later.highP99 < 100, clue = all)
      assert(begin.served + later.served > 0.9 * 22 * w.capacity, clue = all)
      assertEquals((begin.high, later.high), (0, 0), clue = all)
      assert(after.lastRefusal < 1, clue = all)
    }

  for (quick <- List(0.0, 0.001, 0.01))
    test(s"a new service is offered five times what it can do, and $quick of the answers are quick") {
      val w = new World(50, 20)
      w.service.quickShare = quick
      val begin = w.offer(5, 2) // of which the first half is a burst that is served
      val later = w.offer(5, 10)
      val all   = s"begin: $begin\nlater: $later"
      assertEquals((begin.high, later.high), (0, 0), clue = all)
      assert(
        later.p99 < 150 && later.highP99 < 200,
        clue = all
      ) // of the high ones the burst is served as well
      assert(later.served > 0.9 * 10 * w.capacity, clue = all)
    }

  for {
    (workers, takes) <- List((200, 50), (200, 200), (100, 20))
    (quick, millis)  <- List((0.001, 0.3), (0.01, 0.3), (0.1, 0.3), (0.001, 20.0), (0.01, 20.0))
    times            <- List(0.3, 0.7)
  }
    test(s"$quick of the answers take $millis ms, the others $takes, at $times of $workers workers") {
      val w = new World(workers, takes)
      w.service.quickShare = quick
      w.service.quickMillis = millis
      w.offer(times, 10)
      val told = w.offer(times, 20)
      assertEquals(told.lost, 0, clue = told)
      assert(told.p99 < takes + 25, clue = told)
    }

  test("for 20 ms all answers are quick, and then they take as long as before") {
    val w = new World(200, 50)
    w.offer(0.7, 10)
    w.service.quickShare = 1
    w.server.offerAtRandom(w.capacity * 7 / 10, 20, w.kinds: _*)
    w.service.quickShare = 0
    val told = w.offer(0.7, 10)
    assertEquals(told.lost, 0, clue = told)
  }

  for (quick <- List(0.0, 0.01))
    test(s"a service that has room becomes slower, and $quick of the answers are quick: limited for 15 s") {
      val w = new World(100000, 20)
      w.service.quickShare = quick
      w.perSecond(2000, 10)
      w.service.takesMillis = 100
      w.perSecond(2000, 15)
      val told = w.perSecond(2000, 10)
      assertEquals(told.lost, 0, clue = told)
    }

  for (quick <- List(0.001, 0.01))
    test(s"bursts that can be served within a second, and $quick of the answers are quick") {
      val w = new World(200, 50)
      w.service.quickShare = quick
      w.offer(0.3, 10)
      w.server.forget()
      for (_ <- 1 to 5) w.server.burst(2500, w.normal).offerAtRandom(1200, 4000, w.kinds: _*)
      assertEquals(w.server.reasons, Map.empty[String, Int])
    }

  for (share <- List(1.0, 0.5); (workers, takes) <- List((100, 50), (400, 100)))
    test(s"for 30 s $share of all calls fails quickly, and then all is well again: $workers, $takes ms") {
      val w = new World(workers, takes)
      w.offer(0.7, 10)
      w.service.failing = share
      val outage = w.offer(0.7, 30)
      w.service.failing = 0
      val soon  = w.offer(0.7, 3)
      val later = w.offer(0.7, 10)
      assertEquals((outage.lost, later.lost), (0, 0), clue = s"$outage\n$soon\n$later")
      assert(soon.lost <= soon.offered / 100, clue = soon)
    }

  for (millis <- List(0.3, 5.0, 20.0, 300.0))
    test(s"a route all of whose calls fail, after $millis ms each, is not limited for that") {
      val w = new World(200, 50)
      w.offer(0.3, 10)
      w.service.failing = 1
      w.service.failsMillis = millis
      val told = w.offer(0.3, 20)
      // before the first of them fail slowly, it seems to hang
      assert(told.lost <= (if (millis < 100) 0 else told.offered / 50), clue = told)
      assert(told.lastRefusal < 2, clue = told)
      assert(w.limit > 2 * millis * 1.2, clue = told) // of which 1.2 in a millisecond are in flight
    }

  for (share <- List(0.25, 0.5))
    test(s"a service is offered five times what it can do, and $share of the calls fail quickly") {
      val w = new World(50, 20)
      w.service.failing = share
      w.offer(0.8, 10)
      w.offer(5 / (1 - share), 5)
      val told = w.offer(5 / (1 - share), 10)
      assert(told.p99 < 150 && told.highP99 < 150, clue = told)
      assert(told.served > 0.9 * 10 * w.capacity, clue = told)
    }
}
