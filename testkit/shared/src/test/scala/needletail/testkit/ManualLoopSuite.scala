package needletail.testkit

import scala.concurrent.duration._
import scala.util.Success

import needletail.async.{Async, AsyncPromise, Loop, TimedOut, Timer}
import needletail.stream.Stream
import needletail.testing.{Pause, Suite}

class ManualLoopSuite extends Suite {

  test("timers run in the order in which they are due, at their time") {
    val loop                                  = new ManualLoop
    var seen                                  = List.empty[(String, Long)]
    def at(millis: Long, name: String): Timer =
      loop.schedule(millis.millis.toNanos, () => seen ::= name -> loop.nowNanos.nanos.toMillis)
    loop.within {
      at(30, "c"); at(10, "a"); at(20, "b1"); at(20, "b2"); at(15, "forgotten").cancel(); at(40, "later")
    }
    loop.advance(30.millis)
    assertEquals(seen.reverse, List("a" -> 10L, "b1" -> 20L, "b2" -> 20L, "c" -> 30L))
    assertEquals(loop.pendingTimers, 1)
    assertEquals(loop.nowNanos, 30.millis.toNanos)
  }

  test("tasks run in order and see the loop as theirs") {
    val loop = new ManualLoop
    var seen = List.empty[Int]
    loop.execute { () => assert(loop.inLoop); loop.execute(() => seen ::= 3); seen ::= 1 }
    loop.execute(() => seen ::= 2)
    assertEquals(seen, Nil)
    loop.runAll()
    assertEquals(seen.reverse, List(1, 2, 3))
    assert(!loop.inLoop)
    assert(Loop.currentOrNull == null)
  }

  test("run lets time pass until the value is there, and no longer") {
    val loop   = new ManualLoop
    var late   = false
    val result = loop.run {
      Loop.current.schedule(1.day.toNanos, () => late = true)
      Async.sleep(1.hour).map(_ => Loop.current.nowNanos)
    }
    assertEquals(result, Success(1.hour.toNanos))
    assert(!late)
  }

  test("run also runs the tasks that wait when the value is there, but not what they leave") {
    val loop          = new ManualLoop
    var runs          = 0
    def again(): Unit = { runs += 1; loop.execute(() => again()) }
    assertEquals(loop.run { again(); Async.value(1) }, Success(1))
    assertEquals(runs, 2)
    loop.execute(() => throw new RuntimeException("a task"))
    assertEquals(intercept[RuntimeException](loop.run(Async.value(1))).getMessage, "a task")
  }

  test("what a callback throws comes out of the method that ran it") {
    val loop   = new ManualLoop
    val thrown = intercept[RuntimeException] {
      loop.run {
        Async.sleep(1.second).foreach(_ => throw new RuntimeException("a callback"))
        Async.sleep(1.second)
      }
    }
    assertEquals(thrown.getMessage, "a callback")
  }

  test("run says when nothing can complete the value") {
    val e = intercept[IllegalStateException]((new ManualLoop).run(new AsyncPromise[Int]))
    assert(e.getMessage.endsWith("nothing is scheduled any more"), e.getMessage)
  }

  test("run says so too where timers repeat for ever, often or seldom") {
    for (period <- List(0L, 1L, 1.hour.toNanos)) {
      val loop          = new ManualLoop
      def again(): Unit = { loop.schedule(period, () => again()); () }
      val e             = intercept[IllegalStateException](loop.run { again(); new AsyncPromise[Int] })
      assert(e.getMessage.contains("timers go on"), e.getMessage)
      assertEquals(loop.run(Async.sleep(period.nanos).map(_ => 1)), Success(1)) // the loop goes on as well
    }
  }

  test("run waits for what comes after ten years, the longest setting, and after a million timers") {
    val loop = new ManualLoop
    assertEquals(loop.run(Async.sleep(3650.days).map(_ => 1)), Success(1))
    assertEquals(loop.run(Stream.ticks(1.milli).take(1000000).drain()), Success(()))
  }

  test("run waits for what another thread brings, before it lets the clock go on") {
    val loop = new ManualLoop
    assertEquals(loop.run(Async.blocking { Pause(20.millis); 5 }.timeout(1.second)), Success(5))
    assertEquals(loop.nowNanos, 0L)
  }

  test("a future that never completes runs into its timeout in virtual time") {
    val loop  = new ManualLoop(patience = 10.millis)
    val never = scala.concurrent.Promise[Int]().future
    assert(loop.run(Async.fromFuture(never).timeout(1.hour)).failed.get.isInstanceOf[TimedOut])
  }

  test("fault 15: time does not pass before work on other threads has ended, however long it takes") {
    val loop   = new ManualLoop
    val result = loop.run {
      Async.sleep(1.milli).flatMap(_ => Async.blocking { Pause(400.millis); "done" }.timeout(1.second))
    }
    assertEquals(result, Success("done"))
    assertEquals(loop.nowNanos, 1.milli.toNanos)
  }

  test("fault 15: advance waits for it too") {
    val loop = new ManualLoop
    val work = loop.within(Async.blocking { Pause(400.millis); Loop.currentOrNull == null }.timeout(1.second))
    loop.advance(1.hour)
    assertEquals(work.poll, Some(Success(true)))
  }

  test("fault 15: what is to be seen while it runs is seen with a patience") {
    val loop = new ManualLoop(patience = 10.millis)
    val end  = new java.util.concurrent.CountDownLatch(1)
    val late = loop.run(Async.blocking { end.await(); 1 }.timeout(1.hour))
    end.countDown()
    assert(late.failed.get.isInstanceOf[TimedOut], late)
  }

  test("fault 15: a future is waited for once, and then time advances for all timers") {
    val loop                     = new ManualLoop
    val never                    = scala.concurrent.Promise[Int]().future
    val begun                    = System.nanoTime()
    def rest(n: Int): Async[Int] =
      if (n == 0) Async.value(0) else Async.sleep(1.milli).flatMap(_ => rest(n - 1))
    val both = loop.run(Async.fromFuture(never).race(rest(20)))
    assertEquals(both, Success(0))
    assert(System.nanoTime() - begun < 15.seconds.toNanos)
  }
}
