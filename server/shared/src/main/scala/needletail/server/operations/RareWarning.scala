package needletail.server.operations

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

/**
 * A warning whose cause may come at any rate, as when clients decide it: it is logged at most once in `quietNanos`, with
 * the number of those that were left out. Thread-safe.
 */
private[needletail] final class RareWarning(quietNanos: Long) {
  private val quietUntil = new AtomicLong(Long.MinValue) // MinValue: none was logged yet
  private val unlogged   = new AtomicInteger

  /** @param now on a clock that all callers share, in nanoseconds */
  def warn(log: Log, now: Long)(message: => String): Unit = {
    val until = quietUntil.get
    if (until != Long.MinValue && now - until < 0 || !quietUntil.compareAndSet(until, now + quietNanos)) {
      unlogged.incrementAndGet(); ()
    } else {
      val left = unlogged.getAndSet(0)
      log.warn(message + (if (left == 0) "" else s" (and $left more since this was last logged)"))
    }
  }

  /** Logs how many were left out, if any were: for a time after which there may be no others. */
  def tellRest(log: Log)(message: Int => String): Unit = {
    val left = unlogged.getAndSet(0)
    if (left > 0) log.warn(message(left))
  }
}

private[server] object RareWarning {
  private final val Longest = 200

  /** A text that clients may have chosen, for a line of a log: cut, and without control characters. */
  def shown(text: String, longest: Int = Longest): String =
    printable(if (text.length <= longest) text else text.take(longest) + "…")

  /** A text of several lines as one, without control characters. */
  def inOneLine(text: String): String = printable(text.replace('\n', ' '))

  private def printable(text: String): String =
    text.map(c => if (c < ' ' || c >= 127 && c < 160) '?' else c)
}
