package needletail.async

import java.util.PriorityQueue

/** Timers in the order in which they become due; those due at the same time in the order in which they were added. */
private[needletail] final class TimerQueue {
  private val queue = new PriorityQueue[Due]
  private var made  = 0L

  def isEmpty: Boolean = queue.isEmpty
  def size: Int        = queue.size

  /** When the next one is due, on the clock of the caller; `Long.MaxValue` if there is none. */
  def nextAt: Long = if (queue.isEmpty) Long.MaxValue else queue.peek.at

  /** Removes the next one. */
  def take(): Runnable = queue.poll().task

  def add(now: Long, delay: Long, task: Runnable): Timer = {
    made += 1
    // times are compared by difference, which must not overflow: more than 146 years become 146
    val due = new Due(now + math.max(0L, math.min(delay, Long.MaxValue / 2)), made, task)
    queue.add(due)
    due
  }

  private final class Due(val at: Long, val serial: Long, val task: Runnable) extends Timer
      with Comparable[Due] {
    def cancel(): Unit = { queue.remove(this); () }

    def compareTo(that: Due): Int = {
      val byTime = java.lang.Long.signum(at - that.at)
      if (byTime != 0) byTime else java.lang.Long.compare(serial, that.serial)
    }
  }
}
