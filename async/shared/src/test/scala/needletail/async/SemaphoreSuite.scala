package needletail.async

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.{Await, Future}
import scala.concurrent.duration._

import needletail.testing.Suite

/** `Semaphore`: places, the queue, and refusals. */
class SemaphoreSuite extends Suite {

  /** A loop with a clock that moves only by `advance`; what a test does it does on the loop. */
  private class Clocked extends Loop {
    private val tasks  = new java.util.concurrent.LinkedBlockingQueue[Runnable]
    private val timers = new TimerQueue
    private var now    = 0L

    def inLoop: Boolean                                   = Loop.currentOrNull eq this
    def execute(task: Runnable): Unit                     = tasks.put(task)
    def nowNanos: Long                                    = now
    def schedule(delayNanos: Long, task: Runnable): Timer = timers.add(now, delayNanos, task)
    def pendingTimers: Int                                = timers.size

    def advance(by: FiniteDuration): Unit = {
      now += by.toNanos
      while (!tasks.isEmpty || timers.nextAt <= now)
        if (tasks.isEmpty) timers.take().run() else tasks.poll().run()
    }

    def settle(): Unit = advance(Duration.Zero)
  }

  private def on(body: Clocked => Unit): Unit = {
    val loop = new Clocked
    Loop.enter(loop)
    try body(loop)
    finally Loop.leave()
  }

  private def result(turn: Async[Int]): Option[Int] = turn.poll.map(_.get)
  private def counts(s: Semaphore)                  = (s.places, s.inUse, s.waiting)

  test("as many enter as there are places, then as many wait as may, and one more is refused at once") {
    on { _ =>
      val s     = new Semaphore(2, 1, 1.second)
      val turns = List.fill(4)(s.enter())
      assertEquals(
        turns.map(result),
        List(Some(Semaphore.Entered), Some(Semaphore.Entered), None, Some(Semaphore.Full))
      )
      assertEquals(counts(s), (2, 2, 1))
      assert(s.isFull && !s.tryEnter())
    }
  }

  test("a place that is given back goes to the one who has waited longest") {
    on { loop =>
      val s     = new Semaphore(1, 2, 1.second)
      val turns = List.fill(3)(s.enter())
      s.leave()
      loop.settle()
      assertEquals(turns.map(result), List(Some(Semaphore.Entered), Some(Semaphore.Entered), None))
      assertEquals(counts(s), (1, 1, 1))
      s.leave()
      loop.settle()
      s.leave()
      assertEquals(turns.map(result), List.fill(3)(Some(Semaphore.Entered)))
      assertEquals(counts(s), (1, 0, 0))
      assertEquals(loop.pendingTimers, 0)
    }
  }

  test("who has waited for too long is told so and has left the queue") {
    on { loop =>
      val s = new Semaphore(1, 1, 200.millis)
      assert(s.tryEnter())
      val turn = s.enter()
      loop.advance(199.millis)
      assertEquals(result(turn), None)
      loop.advance(1.milli)
      assertEquals(result(turn), Some(Semaphore.TooLate))
      assertEquals(counts(s), (1, 1, 0))
      s.leave()
      assertEquals(counts(s), (1, 0, 0))
    }
  }

  test("who is cancelled leaves the queue, or gives back a place that was given in the meantime") {
    on { loop =>
      val s = new Semaphore(1, 2, 1.second)
      assert(s.tryEnter())
      val (first, second) = (s.enter(), s.enter())
      first.cancel()
      assertEquals(counts(s), (1, 1, 1))
      s.leave() // to the second, which has not been told yet
      second.cancel()
      loop.settle()
      assertEquals(counts(s), (1, 0, 0))
      assertEquals(loop.pendingTimers, 0)
    }
  }

  test("waiters may leave one behind the other, also after one was let in") {
    on { loop =>
      val s = new Semaphore(1, 2, 1.second)
      assert(s.tryEnter())
      val (first, second) = (s.enter(), s.enter())
      second.cancel()
      val third = s.enter()
      s.leave() // to the first
      third.cancel()
      loop.settle()
      assertEquals(result(first), Some(Semaphore.Entered))
      assertEquals(counts(s), (1, 1, 0))
      s.leave()
      assertEquals(counts(s), (1, 0, 0))
    }
  }

  test("more places let in those who wait; a place that is taken is withdrawn when it is given back") {
    on { loop =>
      val s     = new Semaphore(0, 4, 1.second)
      val turns = List.fill(3)(s.enter())
      assertEquals(counts(s), (0, 0, 3))
      s.grow(2)
      loop.settle()
      assertEquals(turns.map(result), List(Some(Semaphore.Entered), Some(Semaphore.Entered), None))
      s.grow(-1)
      assertEquals(counts(s), (1, 2, 1))
      s.leave() // this place is no more
      loop.settle()
      assertEquals(result(turns(2)), None)
      assertEquals(counts(s), (1, 1, 1))
      s.leave()
      loop.settle()
      assertEquals(result(turns(2)), Some(Semaphore.Entered))
      s.leave()
      assertEquals(counts(s), (1, 0, 0))
    }
  }

  test("places of a loop that has ended go to others") {
    val s     = new Semaphore(1, 1, 1.minute)
    val ended = new ThreadLoop("ended")
    assert(s.tryEnter())
    val begun = new AtomicBoolean
    ended.execute { () => s.enter(); begun.set(true) }
    eventually(begun.get)
    ended.close()
    eventually(
      try { ended.execute(() => ()); false }
      catch { case _: java.util.concurrent.RejectedExecutionException => true }
    )
    s.leave()
    assertEquals(counts(s), (1, 0, 0))
  }

  test("threads that enter and leave never have more places than there are, and lose none") {
    val s            = new Semaphore(3, 1000, 1.minute)
    val (now, above) = (new AtomicInteger, new AtomicInteger)
    val loops        = List.fill(4)(new ThreadLoop)

    def once(): Async[Unit] = s.enter().flatMap { entered =>
      assertEquals(entered, Semaphore.Entered)
      if (now.incrementAndGet() > 3) above.incrementAndGet()
      Async.yieldNow.map { _ =>
        now.decrementAndGet()
        s.leave()
      }
    }
    def many(left: Int): Async[Unit]  = if (left == 0) Async.unit else once().flatMap(_ => many(left - 1))
    val done: List[Future[Seq[Unit]]] =
      loops.map(loop => Async.run(loop)(Async.all(Seq.fill(10)(Async.defer(many(100))))))
    try done.foreach(Await.result(_, 30.seconds))
    finally loops.foreach(_.close())
    assertEquals(above.get, 0)
    assertEquals(counts(s), (3, 0, 0))
  }

  test("a place passes over any number of waiters whose loop has ended") {
    val s     = new Semaphore(1, 100001, 1.second)
    val ended = new Clocked {
      override def execute(task: Runnable): Unit = throw new RejectedExecutionException
    }
    Loop.enter(ended)
    try List.fill(100002)(s.enter())
    finally Loop.leave()
    on { loop =>
      val last = s.enter()
      assertEquals(result(last), Some(Semaphore.Full))
      s.leave()
      loop.settle()
      assertEquals(counts(s), (1, 0, 0))
    }
  }
}
