package needletail.testing

import scala.concurrent.duration.FiniteDuration

/**
 * Blocks the calling thread on purpose: a client that takes its time, or user code that blocks. A test must not depend on
 * its length to be correct; to wait for something, use `eventually`.
 */
object Pause {
  def apply(time: FiniteDuration): Unit = Thread.sleep(time.toMillis)
}
