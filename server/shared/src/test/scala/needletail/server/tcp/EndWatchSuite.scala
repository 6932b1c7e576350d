package needletail.server.tcp

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.testing.Suite

/** Which loops are given up at a server's end. */
class EndWatchSuite extends Suite {
  private final class Watched {
    val loops = new EventLoops(1, daemon = true)
    val told  = new ConcurrentLinkedQueue[String]
    val watch = new EndWatch(loops, _ => "GET /x", 2.seconds.toNanos, reason => { told.add(reason); () })

    /** Runs `body` while the loop is blocked, in a turn of its own. */
    def blocking(body: => Unit): Unit = {
      val (begun, end, ended) = (new CountDownLatch(1), new CountDownLatch(1), new CountDownLatch(1))
      loops(0).execute { () =>
        begun.countDown()
        end.await()
        ended.countDown()
      }
      assert(begun.await(20, TimeUnit.SECONDS))
      try body
      finally end.countDown()
      assert(ended.await(20, TimeUnit.SECONDS))
      eventually(loops(0).presentTurn == Long.MinValue, "the turn does not end")
    }

    def look(times: Int, isDue: Boolean): Unit = for (_ <- 1 to times) watch.look(isDue)
  }

  private def watching(test: Watched => Unit): Unit = {
    val watched = new Watched
    try test(watched)
    finally {
      watched.watch.end()
      watched.loops.stop()
    }
  }

  /** That often it looks within its patience. */
  private val patience = 4

  test("a loop that is blocked again and again, but never for as long as the patience, is not given up") {
    watching { w =>
      for (_ <- 1 to 7) w.blocking(w.look(patience, isDue = true))
      assertEquals(w.told.size, 0)
      assert(!w.watch.othersHaveEnded)
    }
  }

  test("a loop that is blocked is given up when the end is due, not before, and with what it does") {
    watching { w =>
      w.blocking {
        w.look(3 * patience, isDue = false)
        assertEquals(w.told.size, 0)
      }
      w.look(1, isDue = true)
      assertEquals(w.told.size, 0)
      w.blocking {
        w.look(patience, isDue = true)
        assertEquals(w.told.size, 0)
        w.look(2, isDue = true)
        assertEquals(w.told.toArray.toSeq, Seq[AnyRef]("event loop 0 is blocked in GET /x, and was given up"))
        assert(w.watch.othersHaveEnded)
      }
    }
  }

  test("it looks by itself from the beginning on, and a shorter time replaces a longer one") {
    watching { w =>
      w.watch.begin(1.hour.toNanos)
      w.blocking {
        w.watch.begin(0)
        eventually(w.told.size == 1)
      }
    }
  }
}
