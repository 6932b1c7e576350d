package needletail.io.system

import scala.concurrent.duration.*

import needletail.testing.{Pause, Suite}

/** What the kernel says of a thread: whether it has given up the processor by itself, or has lost it to others. */
class WaitsSuite extends Suite {
  test("a thread that sleeps has waited, and one that computes has not, whoever interrupts it") {
    assert(SystemPlatform.waits() >= 0, SystemPlatform.waits())
    def hasWaited(work: => Unit): Boolean = {
      val before = SystemPlatform.waits()
      work
      SystemPlatform.waits() > before
    }
    eventually( // not always: memory that has been paged out is waited for
      !hasWaited {
        val end = System.nanoTime + 50.millis.toNanos
        while (System.nanoTime - end < 0) ()
      }
    )
    assert(hasWaited(Pause(5.millis)))
  }
}
