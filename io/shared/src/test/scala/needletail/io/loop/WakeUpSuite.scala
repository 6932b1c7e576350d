package needletail.io.loop

import scala.concurrent.duration.DurationInt

import needletail.io.{EventLoops, LoopSuite}

class WakeUpSuite extends LoopSuite {

  test("a task from another thread wakes a sleeping loop, every time") {
    withLoop { loop =>
      for (i <- 1 to 500) {
        if (i % 50 == 0) untilAsleep(loop)
        on(loop)(()) // unless it is woken, there is nothing that it would wake for
      }
    }
  }

  test("loops wake each other back and forth") {
    withLoops(2) { loops =>
      val events             = new Events
      def ping(n: Int): Unit =
        if (n == 0) events.add("over") else loops(n % 2).execute(() => ping(n - 1))
      ping(20000)
      events.expect("over")
    }
  }

  test("a sleeping loop does not turn") {
    withLoop { loop =>
      on(loop)(())
      untilAsleep(loop)
      val before = loop.nowNanos
      // The cached clock moves only when the loop turns.
      assert(
        untilStill(loop.nowNanos, 120.millis) - before < 60L * 1000 * 1000,
        "the loop turned while there was nothing to do"
      )
    }
  }

  test("what is to be done in each turn is done in each, also in one that only a wake-up caused") {
    withLoop { loop =>
      val events = new Events
      var turns  = 0
      on(loop)(loop.onEveryTurn { () =>
        turns += 1
        events.add(s"turn $turns")
      })
      events.expect("turn 1") // the one in which it was asked for
      untilAsleep(loop)
      loop.wake()
      events.expect("turn 2")
      on(loop)(loop.onEveryTurn(null))
      on(loop)(())
      assertEquals(turns, 2)
    }
  }

  test("loops end while others still throw tasks at them") {
    for (_ <- 1 to 20) {
      val ended   = new EventLoops(2, "test", daemon = true)
      val thrower = new Thread(() =>
        try while (true) { ended(0).execute(() => ()); ended(1).execute(() => ()) }
        catch { case _: java.util.concurrent.RejectedExecutionException => () }
      )
      thrower.start()
      ended.stop()
      thrower.join(patience.toMillis)
      assert(!thrower.isAlive)
      scala.concurrent.Await.result(ended.stopped, patience)
    }
  }

  test("next goes round; each loop knows its index and its own thread") {
    withLoops(3) { loops =>
      assertEquals(loops.size, 3)
      assertEquals(List.fill(6)(loops.next().index), List(0, 1, 2, 0, 1, 2))
      assert(on(loops(1))(loops(1).inLoop))
      assert(!on(loops(1))(loops(2).inLoop))
      assert(on(loops(1))(needletail.async.Loop.current eq loops(1)))
      assert(!loops(1).inLoop)
    }
  }

  test("a loop begun where many descriptors are open is woken all the same") {
    val others = Vector.fill(200)(new java.io.FileInputStream("/dev/null"))
    try
      withLoop { loop =>
        for (_ <- 1 to 20) {
          untilAsleep(loop) // and so must be woken
          assert(on(loop)(loop.inLoop))
        }
      }
    finally others.foreach(_.close())
  }
}
