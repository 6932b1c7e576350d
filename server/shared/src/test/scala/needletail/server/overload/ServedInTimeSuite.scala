package needletail.server.overload

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.server.VirtualServer
import needletail.testing.Suite

/**
 * What can be served within a second is served, beside other load as well: a queue that has existed for long is no
 * overload as long as it is worked off. The table of docs/overload.md, in virtual time.
 */
class ServedInTimeSuite extends Suite {
  // Millions of requests, which take a while on a busy machine.
  override val munitTimeout: Duration = 2.minutes

  import VirtualServer._

  private val two  = kind(2) // 500 a second
  private val none = Map.empty[String, Int]

  /** No longer cold. */
  private def server() = {
    val s = new VirtualServer(OverloadConfig()).offer(200, 3000, two)
    s.forget()
    s
  }

  /** After ten seconds of that load, a service that serves 2,500 a second. */
  private def asked(perSecond: Int) = {
    val calls = asking(new Service(50, 20))
    val s     = new VirtualServer(OverloadConfig()).offer(perSecond, 10000, calls)
    s.forget()
    (s, calls)
  }

  test("a burst beside other load is served, also if that takes the queue several seconds") {
    val bursts = List(200 -> 400, 300 -> 300, 300 -> 400, 400 -> 200, 400 -> 300, 450 -> 100, 450 -> 300)
    for ((load, burst) <- bursts) {
      val s = server().burst(burst, two).offer(load, 6000, two).run(2000)
      assertEquals(s.reasons, none, s"$load/s and $burst at once")
      assert(s.quantile(1) < 1000, clue = s"$load/s and $burst at once: ${s.quantile(1)} ms")
    }
    for ((load, burst) <- List(1000 -> 2000, 2000 -> 1000, 2000 -> 1500, 2250 -> 500, 2250 -> 1500)) {
      val (s, calls) = asked(load)
      s.burst(burst, calls).offer(load, 8000, calls).run(2000)
      assertEquals(s.reasons, none, s"$load calls/s and $burst at once")
    }
  }

  test("so is one in the middle of a queue, and what comes within half a second") {
    val middle = server()
    for (i <- 1 to 10) middle.offer(350, 700 + 137 * i, two).burst(100, two)
    assertEquals(middle.offer(350, 3000, two).run(1000).reasons, none)
    val spread = server().offer(300, 1000, two)
    for (i <- 1 to 300) spread.at(spread.now + i * 500 * Ms / 300, two)
    assertEquals(spread.offer(300, 5000, two).run(1000).reasons, none)
  }

  test("of arrivals at random, at up to 0.95 of the capacity, none is refused") {
    for (load <- List(450, 475)) {
      val s = server().offerAtRandom(load, 300000, two).run(2000)
      assertEquals(s.reasons, none, s"$load/s")
    }
    assertEquals(server().offerAtRandom(40, 300000, kind(20)).run(2000).reasons, none)
    val waves = server()
    for (_ <- 1 to 20) waves.burst(150, two).offerAtRandom(375, 5000, two)
    assertEquals(waves.run(2000).reasons, none)
    val (s, calls) = asked(2000)
    assertEquals(s.offerAtRandom(2450, 50000, calls).run(2000).reasons, none)
  }

  test(
    "clients that each wait for their answer are served, as long as a round of all takes less than a second"
  ) {
    for (clients <- List(60, 150, 300)) {
      val s = server().closed(clients, 0, 20000, two)
      assertEquals(s.reasons, none, s"$clients clients")
      assert(s.quantile(1) < 1000, clue = s"$clients clients: ${s.quantile(1)} ms")
    }
  }

  test("more than can be served for almost a second, and a pause, again and again: all are served") {
    val s = server()
    for (_ <- 1 to 10) s.offer(600, 900, two).run(300)
    for (_ <- 1 to 10) s.offer(1000, 450, two).offer(50, 600, two)
    assertEquals(s.run(1000).reasons, none)
  }

  test(
    "at 1.1 to five times the capacity almost all of it is used, and no answer takes much longer than a second"
  ) {
    for (times <- List(1.1, 1.2, 1.5, 2.0, 5.0)) {
      val s     = server().offerAtRandom((500 * times).toInt, 20000, two)
      val clue  = s"$times: ${s.served.size} served, p99 ${s.p99} ms, at most ${s.quantile(1)} ms"
      val began = s.answers.map(_.at).min
      assert(s.served.size >= 0.97 * 500 * 20, clue = clue)
      assert(s.quantile(1) < 1050, clue = clue)
      assert(s.refused.map(_.took).max < 1050 * Ms, clue = clue)
      // what an overload beyond doubt does not last: a queue of a second
      if (times >= 1.5) assert(s.quantile(0.99, _.at > began + 2000 * Ms) < 40, clue = clue)
    }
  }
}
