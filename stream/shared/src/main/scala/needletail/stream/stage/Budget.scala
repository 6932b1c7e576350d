package needletail.stream.stage

import needletail.async.{Async, Loop}

/**
 * How many elements the streams of a thread may consume before other work of the loop gets its turn, so that a stream
 * whose elements are all ready does not starve the loop, however many loops are nested in its stages.
 */
private[stream] final class Budget {
  private var left = Budget.Elements

  /** Counts one element. True if the caller has to wait for the loop's next turn before it continues. */
  def isSpent: Boolean = {
    left -= 1
    left <= 0 && {
      left = Budget.Elements
      Loop.currentOrNull != null
    }
  }
}

private[stream] object Budget {

  /** Some microseconds of our own work; the turn of a loop costs about one. */
  final val Elements = 256

  private val all = new ThreadLocal[Budget] {
    override def initialValue(): Budget = new Budget
  }

  def here: Budget = all.get()

  /** What `continue` returns, in the loop's next turn. */
  def yielding(continue: () => AnyRef): Later =
    new Later(Async.yieldNow.flatMap(_ => Pull.async(continue())))
}
