package needletail.server

/**
 * How many can be let in within some time, judged by how many were, of the present second and the one before; in the
 * loop's own time.
 *
 * @param window how long such a second is; from a quarter of it on there is something to go by
 */
private[server] final class Pace(time: LoopTime, window: Long) {

  private var letIn  = 0
  private var began  = time.own // of the window; at first, when the first one was let in
  private var before = 0
  private var length = 0L       // of the window before

  /** Somebody waits for the first time: what there was before says nothing of how many can be let in. */
  def begin(): Unit = {
    letIn = 0
    before = 0
    length = 0
  }

  def count(): Unit = {
    if (letIn + before == 0) began = time.own
    letIn += 1
  }

  /** How many in so many nanoseconds, rounded up; -1 where that is not known. */
  def in(nanos: Long): Int = {
    var passed = if (letIn + before == 0) 0L else time.own - began
    if (passed >= window) {
      before = letIn
      length = passed
      letIn = 0
      began = time.own
      passed = 0
    }
    if (letIn + before < Pace.Enough || passed + length < window / 4) -1
    else Math.ceil((letIn + before).toDouble / (passed + length) * nanos).toInt
  }
}

private[server] object Pace {

  /** Fewer say nothing. */
  private final val Enough = 8
}
