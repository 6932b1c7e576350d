package needletail.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}

import scala.annotation.tailrec

/** Messages that wait for an actor, at most `capacity`: many producers, the actor's loop as the consumer, no lock. */
private[actor] final class Mailbox(capacity: Int, overflow: Overflow) {
  private val queue  = new ConcurrentLinkedQueue[AnyRef]
  private val places = new AtomicInteger // in use; counted before a message goes in and after it is out
  val rejected       = new AtomicLong
  val dropped        = new AtomicLong

  def size: Int        = places.get
  def isEmpty: Boolean = queue.isEmpty

  @tailrec def offer(message: AnyRef): Boolean = {
    val taken = places.get
    if (taken < capacity) {
      if (places.compareAndSet(taken, taken + 1)) queue.offer(message)
      else offer(message)
    } else
      overflow match {
        case Overflow.RejectNewest =>
          rejected.incrementAndGet()
          false
        case Overflow.DropOldest =>
          // the new message replaces the oldest; if the actor was quicker, a place is free now or very soon
          val oldest = queue.poll()
          if (oldest != null) {
            oldest match {
              case entry: Mailbox.Entry => entry.dropped()
              case _                    => ()
            }
            dropped.incrementAndGet()
            queue.offer(message)
          } else {
            Thread.`yield`()
            offer(message)
          }
      }
  }

  /** The oldest message, or null. */
  def poll(): AnyRef = {
    val message = queue.poll()
    if (message != null) places.decrementAndGet()
    message
  }

  /**
   * Removes a message, where no other is received any more; false if it is not there. All are taken out and put back, as
   * the queue's own `remove` never returns on Native where two that are gone stand behind each other.
   */
  def remove(message: AnyRef): Boolean = synchronized {
    var left  = queue.size
    var found = false
    while (left > 0) {
      left -= 1
      val oldest = queue.poll()
      if (oldest == null) left = 0
      else if (!found && (oldest eq message)) found = true
      else queue.offer(oldest)
    }
    if (found) places.decrementAndGet()
    found
  }
}

private[actor] object Mailbox {

  /** An entry of the mailbox that is not a user's message; `dropped` is called when it is dropped, on any thread. */
  trait Entry {
    def dropped(): Unit
  }
}
