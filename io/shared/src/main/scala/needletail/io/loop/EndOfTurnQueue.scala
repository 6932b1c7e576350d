package needletail.io.loop

/** The tasks for the end of a turn: two arrays that are swapped, so that adding allocates nothing. */
private[io] final class EndOfTurnQueue {
  private var adding  = new Array[Runnable](16)
  private var added   = 0
  private var running = new Array[Runnable](16)
  private var count   = 0
  private var at      = 0

  def isEmpty: Boolean = added == 0

  def add(task: Runnable): Unit = {
    if (added == adding.length) adding = java.util.Arrays.copyOf(adding, 2 * added)
    adding(added) = task
    added += 1
  }

  /** Starts running: returns the first task. Tasks added from now on wait for the next call. */
  def begin(): Runnable = {
    val full = adding
    adding = running
    running = full
    count = added
    added = 0
    at = 0
    next()
  }

  /** The next one; null after the last. */
  def next(): Runnable =
    if (at == count) null
    else {
      val task = running(at)
      running(at) = null
      at += 1
      task
    }
}
