package needletail.testing

import scala.annotation.tailrec
import scala.concurrent.duration.{DurationInt, FiniteDuration}

object Eventually {

  /**
   * Returns true as soon as `what` holds, and false if it does not within `within`, which is a limit for a busy machine,
   * not an expectation. Exceptions of `what` are thrown. For code outside suites; suites have `eventually`, which fails.
   */
  def holds(what: => Boolean, within: FiniteDuration = 20.seconds): Boolean = {
    val patience                 = new Patience(within.toNanos)
    @tailrec def look(): Boolean = {
      val isLast = patience.isOver // read before the check: a thread that was delayed checks once more
      if (what) true
      else if (isLast) false
      else {
        Pause(5.millis)
        look()
      }
    }
    look()
  }
}

/** Waits for conditions, instead of sleeping. */
trait Eventually { this: Suite =>

  /**
   * Returns as soon as `what` holds, and fails if it does not within `within`, which is a limit for a busy machine,
   * not an expectation. Exceptions of `what` are thrown.
   */
  def eventually(
      what: => Boolean,
      clue: => Any = "it did not come to be",
      within: FiniteDuration = 20.seconds
  )(implicit at: Location): Unit = if (!Eventually.holds(what, within)) fail(s"$clue (within $within)")

  /**
   * Waits until `value` has been the same for `quiet`, and returns it: for changes that end without notification, such
   * as bytes that go into the buffers of kernels. Fails if it still changes after twenty seconds.
   */
  def untilStill[A](value: => A, quiet: FiniteDuration = 200.millis)(implicit at: Location): A = {
    var last  = value
    var since = System.nanoTime()
    eventually(
      {
        val now = value
        if (now != last) {
          last = now
          since = System.nanoTime()
        }
        System.nanoTime() - since >= quiet.toNanos
      },
      s"it changes all the time, to $last"
    )
    last
  }
}
