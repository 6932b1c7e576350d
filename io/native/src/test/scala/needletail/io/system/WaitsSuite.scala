package needletail.io.system

import scala.concurrent.duration.*

import needletail.testing.{Pause, Suite}

/** What the kernel says of a thread: whether it has given up the processor by itself, or has lost it to others. */
class WaitsSuite extends Suite {
  test("a thread that sleeps has waited, and one that computes has not, whoever interrupts it") {
    val before = SystemPlatform.waits()
    assert(before >= 0, before)
    val end = System.nanoTime + 50.millis.toNanos
    while (System.nanoTime - end < 0) ()
    assertEquals(SystemPlatform.waits(), before)
    Pause(5.millis)
    assert(SystemPlatform.waits() > before, s"$before before")
  }
}
