package needletail.async

/**
 * Timers in the order in which they become due; those due at the same time in the order in which they were added. Adding
 * and cancelling one takes time in proportion to the logarithm of their number.
 */
private[needletail] final class TimerQueue private[async] (timers: TimerHeap) {
  def this() = this(new TimerHeap)

  def isEmpty: Boolean = timers.isEmpty
  def size: Int        = timers.size

  /** When the next one is due, on the clock of the caller; `Long.MaxValue` if there is none. */
  def nextAt: Long = if (timers.isEmpty) Long.MaxValue else timers.firstDue

  /** Removes the next one. */
  def take(): Runnable = timers.takeDue(timers.firstDue) match {
    case due: TimerQueue.Due => due.task
    case _                   => throw new IllegalStateException("there is no timer")
  }

  def add(now: Long, delay: Long, task: Runnable): Timer = {
    val due = new TimerQueue.Due(timers, task)
    // times are compared by difference, which must not overflow: more than 146 years become 146
    timers.add(due, now + math.max(0L, math.min(delay, Long.MaxValue / 2)))
    due
  }
}

private object TimerQueue {
  private final class Due(timers: TimerHeap, val task: Runnable) extends TimerNode with Timer {
    def cancel(): Unit                   = timers.remove(this)
    private[needletail] def fire(): Unit = task.run()
  }
}
