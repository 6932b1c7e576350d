package needletail.server.overload

import needletail.server.VirtualServer

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.http.Priority
import needletail.testing.Suite

/** Time that others took is no queue: what is refused, and what is not, when the loop has not all of its processor. */
class NoisyNeighbourSuite extends Suite {
  // Work for the processor, which on a busy machine takes many times as long.
  override val munitTimeout: Duration = 2.minutes

  import VirtualServer._

  private val config = OverloadConfig()

  /** Two busy programs beside it, in slices of 3 ms; a process stopped for 300 ms in every 2 s; half of it stolen. */
  private val neighbours = List(
    "two busy neighbours"  -> taking(6, 9),
    "stopped now and then" -> taking(300, 2000),
    "half is stolen"       -> taking(50, 100)
  )

  neighbours.foreach { case (name, others) =>
    test(s"$name, at 0.3 of the capacity: nothing is refused, whatever a request costs") {
      List(0.001 -> 3000, 0.2 -> 1200, 2.0 -> 150, 20.0 -> 15).foreach { case (cost, rate) =>
        val open = new VirtualServer(config, others).offer(rate, 4000, kind(cost)).run(2000)
        assertEquals(open.reasons, Map.empty[String, Int], s"open, $cost ms")
        assertEquals(open.answers.size, rate * 4)
      }
      val closed = new VirtualServer(config, others).closed(8, 50, 6000, kind(2)).run(2000)
      assertEquals(closed.reasons, Map.empty[String, Int])
      assert(closed.answers.size > 400, clue = closed.answers.size)
    }

    test(s"$name, at 0.3 of what a service can do: nothing is refused") {
      val s = new VirtualServer(config, others).offer(750, 6000, asking(new Service(50, 20))).run(2000)
      assertEquals(s.reasons, Map.empty[String, Int])
    }

    test(s"$name, at 0.8 of what a service can do: that the loop is late makes no queue of it") {
      val calls = asking(new Service(50, 20))
      val s     = new VirtualServer(config, others).offer(2000, 8000, calls).run(2000)
      assertEquals(s.reasons, Map.empty[String, Int])
    }

    test(s"$name, and twice as much as could be done alone: shed by priority, the loop stays busy") {
      val high = kind(2, Priority.High)
      val low  = kind(2, Priority.Normal)
      val s    =
        new VirtualServer(config, others).offer(1000, 4000, high, low, low, low, low, low, low, low, low, low)
      val before = s.workedMillis
      val began  = s.now
      s.forget()
      s.offer(1000, 6000, high, low, low, low, low, low, low, low, low, low)
      val share = (s.workedMillis - before) * Ms / (s.now - began).toDouble
      assertEquals(s.refused(Priority.High), 0)
      assert(s.refused.size > 2500, clue = s.refused.size)
      assert(share > 0.3, clue = share)
      val others95 = s.quantile(0.95)
      assert(others95 < 350, clue = s"$others95 ms")
    }
  }

  test("clients that each wait for their answer are served alike, where others have half of the processor") {
    for (clients <- List(20, 60)) {
      val s = new VirtualServer(config, taking(6, 12)).closed(clients, 0, 6000, kind(5))
      assertEquals(s.reasons, Map.empty[String, Int])
      // as long as all of them take, with half of the processor
      val round = clients * 5 * 2.0
      assert(s.quantile(0.5) > round / 2, clue = s"$clients: half of the answers took ${s.quantile(0.5)} ms")
      assert(s.quantile(1) < round + 500, clue = s"$clients: the longest wait was ${s.quantile(1)} ms")
    }
  }

  test("fault 9: stopped for two seconds, and all is done that has come meanwhile") {
    val s = new VirtualServer(config, taking(2000, 10000)).offer(150, 20000, kind(2)).run(2000)
    assertEquals(s.reasons, Map.empty[String, Int])
  }

  test("fault 9: what is half a second's work is let in whole, though neighbours make it two seconds") {
    val s = new VirtualServer(config, taking(9, 12)).offer(50, 3000, kind(2))
    s.forget()
    s.burst(250, kind(2)).run(4000)
    assertEquals(s.reasons, Map.empty[String, Int])
    assert(s.answers.map(_.took).max > 1500 * Ms)
  }

  test(
    "a request that waits for a service while the loop is stopped for two seconds is not refused for that time"
  ) {
    val calls = asking(new Service(50, 20))
    val s     = new VirtualServer(config, taking(2000, 10000)).run(2000).offer(1000, 6900, calls)
    s.forget()
    s.burst(1500, calls).run(5000) // a tenth of a second later it is stopped
    assertEquals(s.reasons, Map.empty[String, Int])
    assert(s.answers.size >= 1500, clue = s.answers.size)
    assert(s.answers.map(_.took).max > 2000 * Ms)
  }

  for (knows <- Knows.all)
    test(s"fault 9: a handler that blocks the loop is no neighbour: its time counts (known: $knows)") {
      val blocks = new Kind(kind(0).route, 50000, null, 10 * Ms)
      val s      = new VirtualServer(config, knows = knows).offer(200, 4000, blocks)
      s.forget()
      s.offer(200, 5000, blocks)
      assert(s.refused.size > 300, clue = s.reasons)
      assert(s.p99 < 200, clue = s"p99 ${s.p99} ms")
    }

  test(
    "others interrupt every request, at 0.3 of the capacity: none is refused, if it is known that none waits"
  ) {
    // each takes almost three times as long as it computes, at random moments: some find a queue that looks like a second
    for ((cost, others) <- List(20 -> taking(6, 9), 50 -> taking(5.5, 9))) {
      def reasons(knows: Knows) = {
        val s = new VirtualServer(config, others, knows)
        s.offerAtRandom(300 / cost, 200000, kind(cost)).run(5000)
        s.reasons
      }
      for (knows <- List(Knows.Waits, Knows.Delay))
        assertEquals(reasons(knows), Map.empty[String, Int], s"$cost ms, $knows")
      assert(reasons(Knows.Nothing).nonEmpty, s"$cost ms: nothing was refused without that knowledge either")
    }
  }

  test("whether the loop has waited is read only while requests lose time, each of them") {
    for (knows <- List(Knows.Waits, Knows.Delay)) {
      val alone = new VirtualServer(config, knows = knows).offer(100, 4000, kind(5))
      assertEquals(alone.waitsRead, 0L)
      val stopped = new VirtualServer(config, taking(300, 2000), knows).offer(100, 8000, kind(5))
      assertEquals(stopped.waitsRead, 0L)
      val beside = new VirtualServer(config, taking(1, 3), knows).offer(100, 4000, kind(5))
      assert(beside.waitsRead > 0 && beside.waitsRead <= 4 * 400, beside.waitsRead)
    }
  }
}
