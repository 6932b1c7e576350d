package needletail.server.overload

import needletail.server.clock.LoopTime

/**
 * Estimates how many requests can be admitted within some time, from how many were admitted in the current time window
 * and the one before, in the loop's own time.
 *
 * @param window its length in nanoseconds; an estimate needs at least a quarter of it
 */
private[server] final class AdmissionRate(time: LoopTime, window: Long) {

  private var letIn  = 0
  private var began  = time.own // of the window; for the first one, when the first request was admitted
  private var before = 0
  private var length = 0L       // of the previous window

  /** A queue forms: earlier admissions do not show how many are possible. */
  def begin(): Unit = {
    letIn = 0
    before = 0
    length = 0
  }

  /** A request was admitted. */
  def count(): Unit = {
    if (letIn + before == 0) began = time.own
    letIn += 1
  }

  /** How many can be admitted in `nanos` nanoseconds, rounded up; -1 if not known. */
  def in(nanos: Long): Int = {
    var passed = if (letIn + before == 0) 0L else time.own - began
    if (passed >= window) {
      before = letIn
      length = passed
      letIn = 0
      began = time.own
      passed = 0
    }
    if (letIn + before < AdmissionRate.Enough || passed + length < window / 4) -1
    else Math.ceil((letIn + before).toDouble / (passed + length) * nanos).toInt
  }
}

private[server] object AdmissionRate {

  /** Fewer requests than this are not enough for an estimate. */
  private final val Enough = 8
}
