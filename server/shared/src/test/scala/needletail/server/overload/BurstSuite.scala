package needletail.server.overload

import needletail.server.VirtualServer

import needletail.http.Priority
import needletail.testing.Suite

/** All at once: what can be answered within a second is let in whole. */
class BurstSuite extends Suite {
  import VirtualServer._

  private val config = OverloadConfig()
  private val none   = Map.empty[String, Int]

  test("fault 9: a burst that can be worked off within a second is let in whole, whatever a request costs") {
    List(0.01 -> 16384, 0.3 -> 3000, 2.0 -> 480, 20.0 -> 48, 200.0 -> 4).foreach { case (cost, count) =>
      val work = kind(cost)
      val s = new VirtualServer(config).offer(Math.max(1, (100 / cost).toInt.min(1000)), 5000, work).run(1000)
      s.forget()
      s.burst(count, work).run(2000)
      assertEquals(s.reasons, none, s"$count of $cost ms")
      assertEquals(s.served.size, count)
    }
  }

  test("fault 9: so is one upon another, as long as each is worked off before the next") {
    val s = new VirtualServer(config)
    (1 to 10).foreach(_ => s.burst(400, kind(2)).run(1000))
    assertEquals(s.reasons, none)
  }

  test(
    "fault 9: of a burst that is too much for a second, no more is refused than is too much, by priority"
  ) {
    val s    = new VirtualServer(config).offer(100, 3000, kind(2))
    val high = kind(2, Priority.High)
    s.forget()
    s.burst(600, kind(2)).burst(300, high).run(3000)
    assertEquals(s.refused(Priority.High), 0)
    assert(s.served.size >= 480, clue = (s.served.size, s.reasons))
    assertEquals(s.reasons.keySet, Set("queue_delay"))
  }

  test("fault 9: as many as may be connected ask a route that is idle, and whose answer comes later") {
    List(2000, 16384).foreach { count =>
      val calls = asking(new Service(50, 1))
      val s     = new VirtualServer(config).offer(1, 5000, calls)
      s.forget()
      s.burst(count, calls).run(2000)
      assertEquals(s.reasons, none, s"$count at once")
      assertEquals(s.served.size, count)
    }
  }

  test("fault 9: a burst on a route in steady use that its service works off within a second") {
    val service = new Service(50, 20)
    val steady  = asking(service)
    val s       = new VirtualServer(config).offer(1000, 10000, steady)
    s.forget()
    s.burst(1200, steady).offer(1000, 3000, steady).run(1000)
    assertEquals(s.reasons, none)
  }

  test(
    "fault 9: a service that is asked for more than it can do: as much as it can, soon, and the rest is refused"
  ) {
    List(5000, 12500).foreach { rate =>
      val service = new Service(50, 20)
      val calls   = asking(service)
      val s       = new VirtualServer(config).offer(2000, 5000, calls)
      s.forget()
      s.offer(rate, 3000, calls)
      assert(s.p99 < 100, clue = s"p99 ${s.p99} ms at $rate/s")
      s.offer(2000, 1000, calls)
      s.forget()
      s.offer(2000, 3000, calls)
      assertEquals(s.reasons, none)
    }
  }

  test("fault 9: a service that hangs soon has few requests in flight, and none waits for long") {
    val route = asking(null).route
    val s     = new VirtualServer(config).offer(1000, 5000, new Kind(route, 20000, new Service(50, 20)))
    val hangs = new Kind(route, 20000, new Service(50, 100000))
    s.offer(1000, 3000, hangs)
    s.forget()
    s.offer(1000, 1000, hangs)
    assert(s.refused.size > 950, clue = s.refused.size)
    assert(s.refused.map(_.took).max < 150 * Ms, clue = s"${s.refused.map(_.took).max / Ms} ms")
  }
}
