package needletail.load.engine.worker

import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.load.engine.Serving
import needletail.testing.Suite

class WakeUpThreadSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes

  /** How late a loop was at each of so many moments that far apart, in nanoseconds, sorted. */
  private def lateness(times: Int, apart: FiniteDuration, saysNext: Boolean = false): Vector[Long] = {
    val loops = new EventLoops(1, "woken", daemon = true)
    val waker = new WakeUpThread(Vector(loops(0)))
    val done  = new CountDownLatch(1)
    val late  = Vector.newBuilder[Long]
    var count = 0
    var due   = System.nanoTime() + 10000000L
    try {
      val turn: Runnable = () => {
        val now = System.nanoTime()
        while (due <= now && count < times) {
          late += now - due
          due += apart.toNanos
          count += 1
        }
        if (count < times) waker.at(0, due, if (saysNext) due + apart.toNanos else Long.MaxValue)
        else done.countDown()
      }
      loops(0).execute(() => loops(0).onEveryTurn(turn))
      assert(done.await(20, TimeUnit.SECONDS), s"woken $count times of $times")
      late.result().sorted
    } finally {
      waker.close()
      loops.stop()
      Await.ready(loops.stopped, 20.seconds)
      ()
    }
  }

  test("a loop is woken when something is due, not at the next millisecond") {
    // Waiting in milliseconds would be late by half of one in the median, each time. A busy machine is so at times.
    undisturbed {
      val late   = lateness(500, 730.micros)
      val median = late(late.size / 2)
      bound(median < 300000L, s"a median of $median ns")
    }
  }

  test("not once is it forgotten") {
    assertEquals(lateness(5000, 50.micros).size, 5000)
    assertEquals(lateness(20, 20.millis).size, 20)
    assertEquals(lateness(5000, 50.micros, saysNext = true).size, 5000)
    assertEquals(lateness(20, 20.millis, saysNext = true).size, 20)
  }
}
