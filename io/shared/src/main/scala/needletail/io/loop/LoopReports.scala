package needletail.io.loop

/**
 * The failures that a loop reports. Who reports has yet to clean up, so that nothing is thrown there. A fatal error of the
 * log itself ends the loop all the same, when its turn is over.
 *
 * @param log null: `EventLoop.onFailure` is called
 */
private[io] final class LoopReports(log: (String, Throwable) => Unit) {
  private var last: Throwable = null

  /** Calls the log, or the hook if it throws. */
  def report(text: String, cause: Throwable): Unit = keep(FailureLog.tellTo(log, text, cause))

  /** Calls the hook. */
  def reportToHook(text: String, cause: Throwable): Unit = keep(FailureLog.tell(text, cause))

  private def keep(fatal: Throwable): Unit = if (fatal ne null) last = fatal

  /** Throws the fatal error that was thrown while something was reported, if any. To be called at the end of a turn. */
  def throwLast(): Unit = if (last ne null) throw last
}
