package needletail.async

import java.io.{ByteArrayOutputStream, PrintStream}
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}

import scala.concurrent.duration._
import scala.concurrent.{Await, Promise => FuturePromise}
import scala.util.{Failure, Success, Try}

/** How values come to a loop from other threads, and leave it. */
class ThreadsSuite extends ThreadLoopSuite {
  test("run starts on the loop, and its future can be awaited anywhere") {
    onLoop { loop =>
      assertEquals(Await.result(Async.run(loop)(Async.sleep(5.millis).map(_ => loop.inLoop)), bound), true)
    }
  }

  test("run on a closed loop fails") {
    val loop = new ThreadLoop
    loop.close()
    // the task that closes may or may not have run yet; afterwards the loop refuses
    eventually(Async.run(loop)(Async.unit).value.exists(_.isFailure))
  }

  test("fromFuture brings the result to the loop that asked") {
    onLoop { loop =>
      val promise = FuturePromise[Int]()
      val result  = Async.run(loop)(Async.fromFuture(promise.future).map(n => (n, loop.inLoop)))
      promise.success(3)
      assertEquals(Await.result(result, bound), (3, true))
    }
  }

  test("a future that is complete needs no loop") {
    assertEquals(Async.fromFuture(scala.concurrent.Future.successful(1)).poll, Some(Success(1)))
  }

  test("toFuture of a pending value") {
    val promise = new AsyncPromise[Int]
    val future  = promise.map(_ + 1).toFuture
    promise.succeed(1)
    assertEquals(future.value, Some(Success(2)))
    assertEquals(Async.value(1).toFuture.value, Some(Success(1)))
  }

  test("callback takes the first result from any thread, and no other") {
    onLoop { loop =>
      val result = Async.run(loop) {
        Async.callback[Int] { done =>
          val thread =
            new Thread(() => { done(Success(1)); done(Failure(new RuntimeException)); done(Success(2)) })
          thread.start()
        }
      }
      assertEquals(Await.result(result, bound), 1)
    }
  }

  test("callback that completes while it registers, and one that throws") {
    onLoop { loop =>
      assertEquals(Await.result(Async.run(loop)(Async.callback[Int](_(Success(1)))), bound), 1)
      val failed = Async.run(loop)(Async.callback[Int](_ => throw new IllegalArgumentException("no")))
      assert(Await.ready(failed, bound).value.exists(_.isFailure))
    }
  }

  test("many values from many threads all arrive, one thread's in their order") {
    onLoop { loop =>
      val threads  = 4
      val each     = 2000
      val arrived  = Array.fill(threads)(List.empty[Int])
      val finished = new CountDownLatch(threads * each)
      for (t <- 0 until threads) {
        val thread = new Thread(() =>
          for (i <- 0 until each) loop.execute { () => arrived(t) ::= i; finished.countDown() }
        )
        thread.start()
      }
      arrives(finished)
      for (t <- 0 until threads) assertEquals(arrived(t).reverse, List.range(0, each))
    }
  }

  test("timers on a real loop run in order, not before their time") {
    onLoop { loop =>
      val started = System.nanoTime()
      val order   = Async.run(loop) {
        Async.all(Seq(20, 5, 10).map(ms => Async.sleep(ms.millis).map(_ => System.nanoTime() - started)))
      }
      val Seq(c, a, b) = Await.result(order, bound).map(_.nanos.toMillis): @unchecked
      assert(a >= 5 && b >= 10 && c >= 20 && a <= b && b <= c, s"$a $b $c")
    }
  }

  test("a thread's loop goes on when it is interrupted, or when a task has left it so") {
    onLoop { loop =>
      for (_ <- 1 to 3) {
        Await.result(Async.run(loop)(Async.value(Thread.currentThread.interrupt())), bound)
        assertEquals(Await.result(Async.run(loop)(Async.sleep(1.milli).map(_ => 7)), bound), 7)
      }
    }
  }

  /** The messages of what a loop reports, until one of them is `last`. */
  private def reported(last: String)(body: ThreadLoop => Unit): List[String] = {
    val reports = new ConcurrentLinkedQueue[String]
    val done    = new CountDownLatch(1)
    onLoop { loop =>
      loop.execute { () =>
        Thread.currentThread.setUncaughtExceptionHandler { (_, e) =>
          reports.add(e.getMessage)
          if (e.getMessage == last) done.countDown()
          if (e.getMessage == "broken") throw new IllegalStateException("and so is the handler")
        }
        body(loop)
      }
      arrives(done)
    }
    reports.toArray.toList.map(_.toString)
  }

  test("what throws after it has called back is reported") {
    val reports = reported("late") { _ =>
      val _ = Async.callback[Int] { done =>
        done(Success(1))
        throw new IllegalStateException("late")
      }
    }
    assertEquals(reports, List("late"))
  }

  test("what throws after another thread has called back is reported, and the result counts") {
    @volatile var result = Option.empty[Try[Int]]
    val reports          = reported("late") { _ =>
      Async.callback[Int] { done =>
        val thread = new Thread(() => done(Success(1)))
        thread.start()
        thread.join()
        throw new IllegalStateException("late")
      }.onComplete(r => result = Some(r))
    }
    assertEquals(reports, List("late"))
    eventually(result.contains(Success(1)), result)
  }

  test("an exception whose text throws does not end the loop") {
    class Speechless extends Exception {
      override def getMessage: String = throw new IllegalStateException("no text")
    }
    val err     = System.err
    val printed = new ByteArrayOutputStream
    System.setErr(new PrintStream(printed, true))
    val reports =
      try reported("end") { loop =>
          for (e <- List(new Speechless, new Exception("end"))) loop.execute(() => throw e)
        }
      finally System.setErr(err)
    assertEquals(reports, List("end"))
    assert(printed.toString.contains("Speechless"), printed)
  }

  test("an interrupt that a task throws is reported, and a handler that throws does not end the loop") {
    val err = System.err
    System.setErr(new PrintStream(new ByteArrayOutputStream)) // of this test's own failure
    val reports =
      try reported("end") { loop =>
          for (
            e <-
              List(new InterruptedException("interrupted"), new LinkageError("broken"), new Exception("end"))
          )
            loop.execute(() => throw e)
        }
      finally System.setErr(err)
    assertEquals(reports, List("interrupted", "broken", "end"))
  }
}
