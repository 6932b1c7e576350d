package needletail.io.loop

import java.util.function.LongSupplier

/**
 * When the work of a loop's turn ended, which its wait is reckoned from: if that were the beginning of a long turn,
 * timers would be late by as much as it took. Times are of the loop's clock. Used on the loop only.
 *
 * @param began when the loop began
 * @param present the clock, for turns at whose end nobody has read it
 */
private[io] final class EndOfWork(began: Long, present: LongSupplier) {
  import EndOfWork.*

  private var last = began

  /** More work begins, in the turn that began at `turn`: it may end long after what was said of the work before it. */
  @inline def begins(turn: Long): Unit = last = turn

  /** Work has ended at `now`, which is returned. */
  def at(now: Long): Long = {
    last = now
    now
  }

  /** When the turn that began at `turn` ended, about. */
  def ofTurn(turn: Long): Long = {
    val took = last - turn // 0 or less: not read since the last work began
    if (took >= LongNanos) last else if (took > 0) turn else readAfter(turn)
  }

  @noinline private def readAfter(turn: Long): Long = {
    val now = present.getAsLong
    if (now - turn < LongNanos) turn else now
  }
}

private[io] object EndOfWork {

  /** Waits are in whole milliseconds: a shorter turn hardly makes a timer late. */
  private final val LongNanos = 1000000L
}
