package needletail.actor

import java.util.concurrent.ConcurrentLinkedQueue
import java.util.concurrent.atomic.{AtomicBoolean, AtomicLong}

import needletail.async.{Loop, Survivable}

/**
 * Everything that waits for an actor, and its place in its loop's queue. From any thread, unless stated otherwise.
 *
 * A sender that finds the actor idle schedules it on its loop; so it is in the loop's queue at most once, and sending
 * to a busy actor wakes nothing.
 *
 * @param actor run by the loop when there is something to do; it calls `idle` at its end
 */
private[actor] final class Inbox[M](loop: Loop, settings: ActorSettings, actor: Runnable) {
  val mailbox = new Mailbox(settings.mailbox, settings.overflow)

  /** Notifications about watched actors: few, never refused, received first. */
  private val notices          = new ConcurrentLinkedQueue[Delivery[M]]
  private val busy             = new AtomicBoolean
  private val dead             = new AtomicLong
  @volatile private var closed = false
  @volatile private var lost   = false

  /** Whether the loop has refused the actor, as it has ended. */
  def isLost: Boolean = lost

  /** Whether the actor has stopped. */
  def isClosed: Boolean = closed

  def deadLetters: Long = dead.get

  /** Whether there is nothing to receive. */
  def isEmpty: Boolean = mailbox.isEmpty && notices.isEmpty

  /** Adds a message, or a `Mailbox.Entry`, to the mailbox. Returns false if it will certainly not be received. */
  def put(message: AnyRef): Boolean =
    if (closed) {
      countDead(1)
      false
    } else if (!mailbox.offer(message)) false
    else {
      // neither a loop that has ended nor an actor that was closed meanwhile will receive it
      val woken = tryWake()
      val lost  = (!woken || closed) && mailbox.remove(message)
      if (lost) countDead(1)
      if (!woken) abandon()
      !lost
    }

  def putNotice(notice: Delivery[M]): Unit = {
    notices.offer(notice)
    wake()
  }

  /** Schedules the actor. If its loop has ended, what waits becomes dead letters. */
  def wake(): Unit = if (!tryWake()) abandon()

  /** Schedules the actor on its loop if it is not scheduled already. Returns false if the loop has ended. */
  def tryWake(): Boolean =
    if (busy.get || !busy.compareAndSet(false, true)) true
    else
      try {
        loop.execute(actor)
        true
      } catch {
        case Survivable(_) =>
          busy.set(false)
          lost = true
          false
      }

  /**
   * The loop has ended. Other senders meanwhile found the actor busy, and left their messages to the one that made it
   * so.
   */
  private def abandon(): Unit = while (!mailbox.isEmpty && !tryWake()) discardMessages()

  private def discardMessages(): Unit = mailbox.synchronized { // not while `remove` has some in hand
    var message = mailbox.poll()
    while (message != null) {
      if (!message.isInstanceOf[Mailbox.Entry]) countDead(1)
      message = mailbox.poll()
    }
  }

  private def countDead(count: Long): Unit = {
    dead.addAndGet(count)
    DeadLetters.total.add(count)
  }

  // On the loop.

  /** The oldest notification, or null. */
  def pollNotice(): Delivery[M] = notices.poll()

  /** The actor's run is over: from here on it has to be woken for new messages. */
  def idle(): Unit = busy.set(false)

  /** The actor has stopped: what waits becomes dead letters, as does everything added later. */
  def close(): Unit = {
    closed = true
    notices.clear()
    discardMessages()
  }
}
