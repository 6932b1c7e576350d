package needletail.async

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, RejectedExecutionException}

/** The end of a loop that has a thread of its own. */
class ThreadLoopEndSuite extends ThreadLoopSuite {

  test(
    "a callback that throws in one of its last tasks is reported, and the others are called all the same"
  ) {
    val loop     = new ThreadLoop
    val called   = new ConcurrentLinkedQueue[Int]
    val reported = new ConcurrentLinkedQueue[String]
    val done     = new CountDownLatch(1)
    loop.execute { () =>
      Thread.currentThread.setUncaughtExceptionHandler((_, e) => { reported.add(e.getMessage); () })
      val promise = new AsyncPromise[Unit]
      for (n <- 1 to 3) promise.foreach { _ =>
        called.add(n)
        throw new IllegalStateException(s"the callback $n")
      }
      loop.close()
      loop.execute { () => promise.succeed(()); () }
      loop.execute(() => done.countDown())
    }
    arrives(done)
    assertEquals(called.toArray.toList, List[Any](1, 2, 3))
    assertEquals(reported.toArray.toList, List[Any]("the callback 1", "the callback 2", "the callback 3"))
  }

  test("tasks for its end run after its last ones, without those that were taken back") {
    val loop  = new ThreadLoop
    val order = new ConcurrentLinkedQueue[String]
    val done  = new CountDownLatch(1)

    def task(name: String): Runnable = () => { order.add(name); () }
    val first                        = task("first")
    val gone                         = task("taken back")
    loop.execute { () =>
      loop.atEnd(first)
      loop.atEnd(gone)
      loop.atEnd(first)
      loop.notAtEnd(gone)
      loop.close()
      loop.execute { () =>
        order.add("last task")
        loop.atEnd(task("registered late"))
        loop.atEnd(() => done.countDown())
      }
    }
    arrives(done)
    assertEquals(order.toArray.toList, List[Any]("last task", "first", "registered late"))
  }

  test("tasks that these add run as well, but not for ever") {
    val loop = new ThreadLoop
    val done = new CountDownLatch(1)
    loop.execute { () =>
      def again(n: Int): Runnable = () => {
        if (n == 10) done.countDown()
        loop.atEnd(again(n + 1))
      }
      loop.atEnd(again(1))
      loop.close()
    }
    arrives(done)
  }

  test("after a fatal error it takes no task, and who waits for its end is told") {
    val loop = new ThreadLoop
    val told = new CountDownLatch(1)
    val last = new CountDownLatch(2)
    loop.execute { () =>
      Thread.currentThread.setUncaughtExceptionHandler((_, _) => ())
      loop.atEnd(() => told.countDown())
      loop.execute { () =>
        last.countDown()
        throw new OutOfMemoryError("another one, for a test")
      }
      loop.execute(() => last.countDown())
      throw new OutOfMemoryError("for a test")
    }
    arrives(told)
    arrives(last)
    intercept[RejectedExecutionException](loop.execute(() => ()))
  }
}
