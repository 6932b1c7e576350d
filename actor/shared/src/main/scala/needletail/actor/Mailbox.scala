package needletail.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicInteger, AtomicLong, LongAdder}

import scala.annotation.tailrec

/**
 * Messages that wait for an actor: many threads put in, the actor's loop takes out, nobody locks. Never holds
 * more than `capacity`.
 */
private[actor] final class Mailbox(capacity: Int, overflow: Overflow) {
  private val queue  = new ConcurrentLinkedQueue[AnyRef]
  private val places = new AtomicInteger // taken; counted before a message goes in and after it is out
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
          // the oldest goes and leaves its place; if the actor was quicker, there is a place now or very soon
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

  /** The oldest message, or `null`. */
  def poll(): AnyRef = {
    val message = queue.poll()
    if (message != null) places.decrementAndGet()
    message
  }

  /** Takes back what was just put in. False when somebody else has taken it. */
  def remove(message: AnyRef): Boolean = queue.remove(message) && { places.decrementAndGet(); true }
}

private[actor] object Mailbox {

  /** What is in the mailbox but is no message of the user's, and wants to know when it is dropped, on any thread. */
  trait Entry {
    def dropped(): Unit
  }
}

private[actor] object DeadLetters {
  val total = new LongAdder
}
