package needletail.server.tcp

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.testing.{Pause, Suite}

/** Which loops are given up at a server's end. */
class EndWatchSuite extends Suite {
  private def watching(test: (EventLoops, EndWatch, ConcurrentLinkedQueue[String]) => Unit): Unit = {
    val loops = new EventLoops(1, daemon = true)
    val told  = new ConcurrentLinkedQueue[String]
    val watch = new EndWatch(loops, _ => "GET /x", 2.seconds.toNanos, reason => { told.add(reason); () })
    try test(loops, watch, told)
    finally {
      watch.end()
      loops.stop()
    }
  }

  /** Blocks the loop for so long, in a turn of its own. */
  private def block(loops: EventLoops, time: FiniteDuration): Unit = {
    val done = new CountDownLatch(1)
    loops(0).execute { () =>
      Pause(time)
      done.countDown()
    }
    assert(done.await(20, TimeUnit.SECONDS))
  }

  test("a loop that is blocked again and again, but never for as long as the patience, is not given up") {
    watching { (loops, watch, told) =>
      watch.begin(0)
      for (_ <- 1 to 7) block(loops, 900.millis)
      assertEquals(told.size, 0)
      assert(!watch.othersHaveEnded)
    }
  }

  test("a loop that is blocked is given up when the end is due, not before, and with what it does") {
    watching { (loops, watch, told) =>
      watch.begin(1.hour.toNanos)
      block(loops, 3.seconds)
      assertEquals(told.size, 0)
      watch.begin(0)
      val blocks = new Thread(() => block(loops, 6.seconds))
      blocks.start()
      eventually(told.size == 1)
      assertEquals(told.peek, "event loop 0 is blocked in GET /x, and was given up")
      assert(watch.othersHaveEnded)
      blocks.join(20000)
    }
  }
}
