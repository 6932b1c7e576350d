package needletail.async

import java.util.concurrent.atomic.AtomicBoolean

/**
 * Those that wait for something, the oldest first; each may leave from wherever it stands. From any thread: behind a lock
 * that is held for a few instructions, and not taken to see that nobody waits. (`ConcurrentLinkedQueue.remove` of Scala
 * Native 0.5 never returns when two that have left stand behind each other.)
 */
private[needletail] final class WaitingLine[W >: Null <: WaitingLine.Waiter[W]] {
  private var first: W         = null
  private var last: W          = null
  @volatile private var length = 0

  /** Whether nobody waits. Sees all that was added before. */
  def isEmpty: Boolean = length == 0

  /** Adds one that is in no line. */
  def add(waiter: W): Unit = synchronized {
    if (last == null) first = waiter else last.behind = waiter
    waiter.before = last
    last = waiter
    waiter.isInLine = true
    length += 1
  }

  /** Takes the one that has waited longest; null if nobody waits. */
  def poll(): W =
    if (isEmpty) null
    else
      synchronized {
        val oldest = first
        if (oldest != null) unlink(oldest)
        oldest
      }

  /** Has one leave, if it is in this line. */
  def remove(waiter: W): Unit = synchronized(if (waiter.isInLine) unlink(waiter))

  private def unlink(waiter: W): Unit = {
    val (before, behind) = (waiter.before, waiter.behind)
    if (before == null) first = behind else before.behind = behind
    if (behind == null) last = before else behind.before = before
    waiter.before = null
    waiter.behind = null
    waiter.isInLine = false
    length -= 1
  }
}

private[needletail] object WaitingLine {

  /** One that waits. The first to claim it decides: who lets it in, or its own loop when it stops waiting. */
  abstract class Waiter[W >: Null <: AnyRef] extends AtomicBoolean(false) {

    // its neighbours in the line, used with the line's lock
    private[async] var before: W         = null
    private[async] var behind: W         = null
    private[async] var isInLine: Boolean = false

    final def claim(): Boolean = compareAndSet(false, true)
  }
}
