package needletail.async

import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}
import java.util.concurrent.{CountDownLatch, CyclicBarrier, TimeUnit}

import scala.concurrent.duration._
import scala.concurrent.{Await, Future}
import scala.util.{Success, Try}

/** Blocking work runs off the loop, within its bounds, and is cancelled when it is no longer needed. */
class BlockingSuite extends ThreadLoopSuite {
  private def await[A](future: Future[A]): Try[A] = Await.ready(future, bound).value.get

  private def pool(threads: Int, queue: Int = 1024, idle: FiniteDuration = 10.seconds): Blocking =
    new Blocking(BlockingConfig(threads = threads, queue = queue, idle = idle, virtual = false))

  test("the work runs on a daemon thread of its own, the result arrives on the loop") {
    onLoop { loop =>
      val result = Async.run(loop) {
        Async.blocking((loop.inLoop, Thread.currentThread.isDaemon)).map { case (inLoop, daemon) =>
          (inLoop, daemon, loop.inLoop)
        }
      }
      assertEquals(await(result), Success((false, true, true)))
    }
  }

  test("what it throws is the failure, even what is fatal to a thread") {
    onLoop { loop =>
      for (error <- List[Throwable](new IllegalArgumentException("no"), new StackOverflowError))
        assertEquals(
          await(Async.run(loop)(Async.blocking[Int](throw error))).failed.map(root),
          Success(error)
        )
    }
  }

  /** A future wraps what is fatal to a thread. */
  private def root(error: Throwable): Throwable =
    if (error.isInstanceOf[java.util.concurrent.ExecutionException]) error.getCause else error

  test("as many threads as allowed and no more, started on demand, ended when idle") {
    onLoop { loop =>
      val blocking    = pool(threads = 3, idle = 50.millis)
      val three       = new CyclicBarrier(3)
      val (now, most) = (new AtomicInteger, new AtomicInteger)
      assertEquals(blocking.threads, 0)
      val all = Async.run(loop)(Async.all(List.fill(30)(blocking {
        val running = now.incrementAndGet()
        most.accumulateAndGet(running, (a, b) => math.max(a, b))
        three.await(20, TimeUnit.SECONDS)
        now.decrementAndGet()
      })))
      assert(await(all).isSuccess)
      assertEquals(most.get, 3)
      eventually(blocking.threads == 0)
    }
  }

  test("a thread that is idle is used before another is started") {
    onLoop { loop =>
      val blocking = pool(threads = 8, idle = 20.seconds)
      for (_ <- 1 to 5) assertEquals(await(Async.run(loop)(blocking(1))), Success(1))
      assertEquals(blocking.threads, 1)
      val together = new CountDownLatch(3)
      val three    = Async.run(loop)(Async.all(List.fill(3)(blocking {
        together.countDown()
        arrives(together)
      })))
      val done = await(three)
      assert(done.isSuccess, done)
      assertEquals(blocking.threads, 3)
    }
  }

  test("more than threads and queue can take is rejected at once, and room is found again") {
    onLoop { loop =>
      val blocking = pool(threads = 1, queue = 2)
      val gate     = new CountDownLatch(1)
      val running  = new CountDownLatch(1)
      val first    = Async.run(loop)(blocking { running.countDown(); gate.await(20, TimeUnit.SECONDS) })
      arrives(running)
      val queued   = List.fill(2)(Async.run(loop)(blocking(1)))
      val rejected = Async.run(loop)(blocking(1))
      assert(await(rejected).failed.get.isInstanceOf[Rejected])
      gate.countDown()
      assertEquals(await(first), Success(true))
      assertEquals(queued.map(await), List(Success(1), Success(1)))
      assertEquals(await(Async.run(loop)(blocking(2))), Success(2))
    }
  }

  test(
    "work that is rejected is told so in the loop's next turn, so that who repeats it lets the loop go on"
  ) {
    onLoop { loop =>
      val blocking = pool(threads = 1, queue = 1)
      val gate     = new CountDownLatch(1)
      val held     = List.fill(2)(Async.run(loop)(blocking(gate.await(20, TimeUnit.SECONDS))))
      val made     = Async.run(loop) {
        var isOver                    = false
        def again(n: Int): Async[Int] =
          if (isOver || n == 10000) Async.value(n)
          else blocking(-1).recoverWith { case _: Rejected => again(n + 1) }
        loop.execute(() => isOver = true)
        again(0)
      }
      assertEquals(await(made), Success(1))
      gate.countDown()
      assertEquals(held.map(await), List.fill(2)(Success(true)))
    }
  }

  test("cancelling removes work that waits") {
    onLoop { loop =>
      val blocking = pool(threads = 1, queue = 1)
      val gate     = new CountDownLatch(1)
      val running  = new CountDownLatch(1)
      val began    = new AtomicBoolean
      val first    = Async.run(loop)(blocking { running.countDown(); gate.await(20, TimeUnit.SECONDS) })
      arrives(running)
      val cancelled = Async.run(loop) {
        val waiting = blocking(began.set(true))
        waiting.cancel()
        waiting
      }
      assert(await(cancelled).failed.get.isInstanceOf[Cancelled])
      val next = Async.run(loop)(blocking(3)) // takes the place that the cancelled one left
      gate.countDown()
      assertEquals(await(next), Success(3))
      assertEquals(await(first), Success(true))
      assert(!began.get)
    }
  }

  test("cancelling interrupts work under way, and not the next work on that thread") {
    onLoop { loop =>
      val blocking    = pool(threads = 1)
      val started     = new CountDownLatch(1)
      val interrupted = new CountDownLatch(1)
      val timed       = Async.run(loop)(blocking {
        started.countDown()
        try new CountDownLatch(1).await() // for ever
        catch { case _: InterruptedException => interrupted.countDown() }
      }.timeout(1.second)) // by then it has started
      arrives(started)
      assert(await(timed).failed.get.isInstanceOf[TimedOut])
      arrives(interrupted)
      assertEquals(await(Async.run(loop)(blocking(Thread.interrupted()))), Success(false))
    }
  }

  test("work cancelled in a hurry never disturbs its neighbours") {
    onLoop { loop =>
      val blocking = pool(threads = 2)
      val rounds   = 300
      val results  = Async.run(loop) {
        def round(left: Int, good: Int): Async[Int] =
          if (left == 0) Async.value(good)
          else {
            val doomed = blocking(Thread.`yield`())
            val other  = blocking { Thread.`yield`(); if (Thread.interrupted()) 0 else 1 }
            doomed.cancel()
            other.flatMap(n => round(left - 1, good + n))
          }
        round(rounds, 0)
      }
      assertEquals(await(results), Success(rounds))
    }
  }

  test("a pool of its own is configured by its settings, and settings are checked") {
    intercept[IllegalArgumentException](BlockingConfig(threads = 0))
    intercept[IllegalArgumentException](BlockingConfig(queue = 0))
    intercept[IllegalArgumentException](BlockingConfig(idle = Duration.Zero))
    val shared = Blocking.default
    assert(shared eq Blocking.default)
  }

  test("the result of a cancelled work is lost") {
    onLoop { loop =>
      val blocking = pool(threads = 1)
      val started  = new CountDownLatch(1)
      val gate     = new AtomicBoolean
      var told     = 0

      def whenStarted: Async[Unit] =
        if (started.getCount == 0) Async.unit else Async.sleep(1.milli).flatMap(_ => whenStarted)
      val result = Async.run(loop) {
        val work = blocking { started.countDown(); while (!gate.get) Thread.`yield`(); 1 }
        work.onComplete(_ => told += 1)
        work.andFinally(()).recoverWith { case _: Cancelled => Async.sleep(50.millis).map(_ => told) } race {
          whenStarted.flatMap { _ => work.cancel(); gate.set(true); new AsyncPromise[Int] }
        }
      }
      arrives(started)
      assertEquals(await(result), Success(1))
    }
  }

  test("where the system gives no thread it is rejected, and later work is done") {
    val isPoor  = new AtomicBoolean(true)
    val threads = (task: Runnable, name: String) =>
      new Thread(task, name) {
        override def start(): Unit =
          if (isPoor.get) throw new OutOfMemoryError("unable to create native thread: limits reached")
          else super.start()
      }
    onLoop { loop =>
      val blocking = new Blocking(BlockingConfig(virtual = false), threads)
      for (_ <- 1 to 3) {
        val rejected = await(Async.run(loop)(blocking(1)))
        assert(rejected.failed.toOption.exists(_.isInstanceOf[Rejected]), rejected)
      }
      isPoor.set(false)
      for (i <- 1 to 3) assertEquals(await(Async.run(loop)(blocking(i))), Success(i))
    }
  }

  test("work is not left in the queue where an idle thread ends just then and the others are busy") {
    onLoop { loop =>
      val blocking =
        pool(threads = 2, idle = 1.nano) // each thread ends after its work, unless there is more by then
      val gate    = new CountDownLatch(1)
      val running = new CountDownLatch(1)
      val busy    = Async.run(loop)(blocking { running.countDown(); gate.await(60, TimeUnit.SECONDS) })
      arrives(running)
      def round(left: Int): Async[Int] =
        if (left == 0) Async.value(0) else blocking(left).flatMap(_ => round(left - 1))
      try assertEquals(await(Async.run(loop)(round(5000))), Success(0))
      finally gate.countDown()
      assertEquals(await(busy), Success(true))
      eventually(blocking.threads == 0)
    }
  }

  test("an error of memory is fatal, but not one of threads") {
    assert(!Survivable(new OutOfMemoryError("Java heap space")) && !Survivable(new OutOfMemoryError))
    assert(Survivable(new OutOfMemoryError("unable to create native thread: limits reached")))
  }
}
