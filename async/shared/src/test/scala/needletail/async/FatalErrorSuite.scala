package needletail.async

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicReference

import needletail.testing.Suite

/** Who waits for a result learns it though a fatal error interrupts its loop, which then ends. */
class FatalErrorSuite extends Suite {
  private def fatal: Nothing = throw new OutOfMemoryError("for a test")

  /** Runs `body` on a loop that it ends: what was told to the function that it gets. */
  private def told(body: (AsyncPromise[Int], Any => Unit) => Unit): Any = {
    val heard = new AtomicReference[Any]
    val done  = new CountDownLatch(1)
    new ThreadLoop().execute { () =>
      Thread.currentThread.setUncaughtExceptionHandler((_, _) => ())
      body(new AsyncPromise[Int], what => { heard.set(what); done.countDown() })
    }
    assert(done.await(20, TimeUnit.SECONDS), "nobody was told")
    heard.get
  }

  test("the other observers of a result of which one throws") {
    assertEquals(
      told { (promise, tell) =>
        promise.onComplete(_ => fatal)
        promise.onComplete(result => tell(result.get))
        val _ = promise.succeed(1)
      },
      1: Any
    )
  }

  test("the observers of another result that was completed meanwhile") {
    assertEquals(
      told { (promise, tell) =>
        val other = new AsyncPromise[Int]
        other.foreach(tell)
        promise.onComplete { _ =>
          other.succeed(2)
          fatal
        }
        val _ = promise.succeed(1)
      },
      2: Any
    )
  }

  test("a value derived by a function that throws fails by that") {
    for (
      derive <- Seq[Async[Int] => Async[Int]](
        _.map(_ => fatal),
        _.flatMap(_ => fatal),
        _.map(_ => fatal).flatMap(Async.value(_)).timeout(scala.concurrent.duration.DurationInt(1).hour),
        _.andFinally(fatal),
        first => Async.traverse(Seq(1, 2), 1)(n => if (n == 1) first else fatal).map(_.size)
      )
    )
      told { (promise, tell) =>
        derive(promise).onComplete(result => tell(result.failed.get))
        val _ = promise.succeed(1)
      } match {
        case e: OutOfMemoryError => assertEquals(e.getMessage, "for a test")
        case other               => fail(s"told $other")
      }
  }

  test("a traversal fails by what its items or their function throw, also while others are pending") {
    // the third item is asked for when the first two have begun and one of them is complete
    def items(hasThird: => Boolean, third: => Int): Iterable[Int] = new Iterable[Int] {
      def iterator: Iterator[Int] = Iterator(1, 2) ++ new Iterator[Int] {
        def hasNext: Boolean = hasThird
        def next(): Int      = third
      }
    }
    for (
      (all, result) <- Seq[(Iterable[Int], () => Async[Int])](
        (items(fatal, 3), () => Async.value(3)),
        (items(hasThird = true, fatal), () => Async.value(3)),
        (items(hasThird = true, 3), () => fatal)
      )
    ) {
      val pending = new AsyncPromise[Int]
      told { (promise, tell) =>
        Async.traverse(all, 2) {
          case 1 => promise
          case 2 => pending
          case _ => result()
        }.onComplete(end => tell(end.failed.get))
        val _ = promise.succeed(1)
      } match {
        case e: OutOfMemoryError => assertEquals(e.getMessage, "for a test")
        case other               => fail(s"told $other")
      }
    }
  }

  test("the observers of one that was cancelled, and what it waited for throws when it is told so") {
    val cancelled = told { (promise, tell) =>
      promise.onCancel(() => fatal)
      promise.onComplete(result => tell(result.failed.get))
      promise.cancel()
    }
    assert(cancelled.isInstanceOf[Cancelled], cancelled.toString)
  }
}
