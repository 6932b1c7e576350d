package needletail.io.loop

import java.util.concurrent.atomic.AtomicReference

/**
 * Tasks for a loop from any thread: many producers, one consumer, no lock.
 *
 * A stack that the consumer takes whole and reverses. Its top also shows whether the consumer is asleep (`Asleep`) or
 * has ended (`Closed`), so that exactly one producer learns that it has to wake the loop.
 */
private[io] final class TaskQueue {
  import TaskQueue.*

  private val top = new AtomicReference[Node]

  /**
   * From any thread. Returns `Rejected` after `close`; `MustWake` if the consumer sleeps and the caller must wake it;
   * otherwise `Added`.
   */
  def add(task: Runnable): Int = {
    val node = new Node(task)
    var seen = top.get()
    while (
      (seen ne Closed) && {
        node.next = if (seen eq Asleep) null else seen
        !top.compareAndSet(seen, node)
      }
    ) seen = top.get()
    if (seen eq Closed) Rejected else if (seen eq Asleep) MustWake else Added
  }

  /** For the consumer. Returns false if there are tasks, so that it must not sleep. */
  def fallAsleep(): Boolean = top.compareAndSet(null, Asleep)

  /** For the consumer: producers need not wake it from here on. */
  def awake(): Unit = if (top.get() eq Asleep) { top.compareAndSet(Asleep, null); () }

  def isEmpty: Boolean = {
    val seen = top.get()
    (seen eq null) || (seen eq Asleep) || (seen eq Closed)
  }

  /** For the consumer, awake: all queued tasks, oldest first; null if there are none. */
  def takeAll(): Node = if (top.get() eq null) null else oldestFirst(top.getAndSet(null))

  /** For the consumer, awake: the last tasks. From here on all others are rejected. */
  def close(): Node = oldestFirst(top.getAndSet(Closed))

  private def oldestFirst(newest: Node): Node = {
    var from = if ((newest eq Asleep) || (newest eq Closed)) null else newest
    var to   = null: Node
    while (from ne null) {
      val next = from.next
      from.next = to
      to = from
      from = next
    }
    to
  }
}

private[io] object TaskQueue {
  final val Added    = 0
  final val MustWake = 1
  final val Rejected = 2

  final class Node(val task: Runnable) {
    var next: Node = null // written by its producer before it is published, then by the consumer alone
  }

  private val Asleep = new Node(null)
  private val Closed = new Node(null)
}
