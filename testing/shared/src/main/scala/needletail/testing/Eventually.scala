package needletail.testing

import scala.annotation.tailrec
import scala.concurrent.duration.{DurationInt, FiniteDuration}

/** What suites have instead of sleeping: waiting for what is to be seen. */
trait Eventually { this: Suite =>

  /**
   * Returns as soon as `what` holds and fails when it still does not after `within`, which is a bound for a
   * machine that is busy with other things, not an expectation. What `what` throws is thrown.
   */
  def eventually(
      what: => Boolean,
      clue: => Any = "it did not come to be",
      within: FiniteDuration = 20.seconds
  )(implicit at: Location): Unit = {
    val end                   = System.nanoTime() + within.toNanos
    @tailrec def look(): Unit = {
      val isLast = System.nanoTime() - end >= 0 // known before looking: who was away for long looks once more
      if (!what)
        if (isLast) fail(s"$clue (within $within)")
        else {
          Thread.sleep(5)
          look()
        }
    }
    look()
  }
}
