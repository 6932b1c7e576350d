package needletail.stream

import scala.collection.mutable

import needletail.async.{Async, AsyncPromise, Loop, Survivable}
import needletail.stream.stage.Pull

/**
 * A stream filled from outside: by actors, other event loops, any thread. It holds at most `capacity` elements that have not
 * been read; then `offer` refuses, and returns when there is room again.
 *
 * All methods may be called from any thread, except where stated. What `stream` returns is used on one loop, as any
 * stream is.
 *
 * @param capacity elements, at least 1
 */
final class Push[A](val capacity: Int) {
  import Push.Waiter
  if (capacity < 1) throw new IllegalArgumentException(s"capacity is $capacity, but must be above 0")

  // All of these are guarded by this object's lock. No outside code is called while it is held.
  private val elements       = new mutable.ArrayDeque[AnyRef](math.min(capacity, 16))
  private var ended: AnyRef  = null // `Pull.End` or a failure, which follow the elements that are held
  private var reader: Waiter = null // waits for an element or the end
  private val writers: mutable.LinkedHashSet[Waiter] = new mutable.LinkedHashSet // wait for room or the end

  /** Adds an element if there is room. On the reader's own loop, a reader that waits continues before this returns. */
  def offer(element: A): Offer = {
    var waiting: Waiter = null
    val answer          = synchronized {
      if (ended != null) Offer.Closed
      else if (elements.size >= capacity) null
      else {
        elements.append(element.asInstanceOf[AnyRef])
        waiting = reader
        reader = null
        Offer.Accepted
      }
    }
    if (waiting != null) waiting.wake()
    if (answer == null) new Offer.Later(room _) else answer
  }

  /**
   * Adds an element as soon as there is room; false if the stream ends before that. To be called on a loop. The
   * elements of one caller are in order if it waits for each result; callers that wait are served in no certain order.
   */
  def send(element: A): Async[Boolean] = offer(element) match {
    case later: Offer.Later => later.room.flatMap(_ => send(element))
    case Offer.Accepted     => Push.accepted
    case _                  => Push.refused
  }

  /** Ends the stream after the elements that it holds. Has no effect if it has ended. */
  def complete(): Unit = finish(Pull.End, drop = false)

  /** Fails the stream after the elements that it holds. Has no effect if it has ended. */
  def fail(error: Throwable): Unit = {
    if (error == null) throw new NullPointerException("a stream cannot fail with null")
    finish(Pull.fail(error), drop = false)
  }

  /** Whether it has ended: completed, failed, or cancelled by its reader. No element is accepted any more. */
  def isClosed: Boolean = synchronized(ended != null)

  /** The elements: always the same stream, for one reader. When that cancels it, elements that it has not read are lost. */
  val stream: Stream[A] = Stream.staged(new Pull[A] {
    private[needletail] def advance(): AnyRef = take()
    def cancel(): Unit                        = finish(Pull.End, drop = true)
  })

  /** Those who wait for room. */
  private[stream] def waiting: Int = synchronized(writers.size)

  private def take(): AnyRef = {
    var waiting: Waiter = null
    val x               = synchronized {
      if (elements.nonEmpty) {
        waiting = firstWriter()
        elements.removeHead()
      } else if (ended != null) {
        val once = ended
        ended = Pull.End
        once
      } else Pull.Again
    }
    if (waiting != null) waiting.wake()
    if (x eq Pull.Again) await() else x
  }

  private def await(): AnyRef = {
    val waiter = new Waiter(Loop.current)
    val waits  = synchronized {
      val empty = elements.isEmpty && ended == null
      if (empty) reader = waiter
      empty
    }
    if (!waits) {
      waiter.wake()
      take()
    } else {
      // Waiters that were notified of a free place may no longer need it: so that it is not lost, all others are notified.
      wakeWriters()
      // a writer of this loop that was notified may have added an element already
      Pull.of(waiter.promise.flatMap(_ => Pull.async(take())))
    }
  }

  private def room(): Async[Unit] = {
    val waiter = new Waiter(Loop.current)
    val waits  = synchronized {
      val full = ended == null && elements.size >= capacity
      if (full) writers.add(waiter)
      full
    }
    if (waits) waiter.promise.onCancel(() => synchronized { writers.remove(waiter); () }) else waiter.wake()
    waiter.promise
  }

  private def finish(how: AnyRef, drop: Boolean): Unit = {
    var waiting: Waiter = null
    synchronized {
      if (drop) elements.clear()
      if (ended == null) ended = how
      waiting = reader
      reader = null
    }
    if (waiting != null) waiting.wake()
    wakeWriters()
  }

  /** The one that has waited longest, which waits no more; null if none does. To be called with the lock. */
  private def firstWriter(): Waiter =
    if (writers.isEmpty) null
    else {
      val first = writers.head // an iterator of Java's sets copies them on Native
      writers.remove(first)
      first
    }

  private def wakeWriters(): Unit = {
    val all = synchronized {
      val waiting = writers.toArray
      writers.clear()
      waiting
    }
    all.foreach(_.wake())
  }
}

private object Push {
  val accepted: Async[Boolean] = Async.value(true)
  val refused: Async[Boolean]  = Async.value(false)

  /** Waits on its own loop, and is woken from any thread. */
  final class Waiter(loop: Loop) {
    val promise = new AsyncPromise[Unit]
    loop.outsideResultsChanged(+1)
    promise.onCancel(() => loop.outsideResultsChanged(-1))

    def wake(): Unit =
      if (loop.inLoop) finish()
      else
        try loop.execute(() => finish())
        catch { case Survivable(_) => () } // the loop has ended: nothing waits any more

    private def finish(): Unit = if (promise.succeed(())) loop.outsideResultsChanged(-1)
  }
}

/** What became of an element that was offered to a [[Push]]. */
sealed abstract class Offer

object Offer {

  /** The stream has it. */
  case object Accepted extends Offer

  /** The stream has ended and does not take it. */
  case object Closed extends Offer

  /** The stream is full and did not take it. */
  final class Later private[stream] (whenRoom: () => Async[Unit]) extends Offer {

    /**
     * Completes when there is room, or the stream has ended: then it can be offered again. Another producer may have been
     * first. To be called on a loop.
     */
    def room: Async[Unit] = whenRoom()
  }
}
