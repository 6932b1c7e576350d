package needletail.stream

import java.util.concurrent.Flow.{Publisher, Subscriber, Subscription}
import java.util.concurrent.atomic.AtomicBoolean

import needletail.async.{Async, Loop, Survivable}
import needletail.stream.stage.{Later, Pull}

/** Streams as publishers of `java.util.concurrent.Flow`, and the reverse, by the rules of Reactive Streams 1.0.4. */
object Publishers {

  /**
   * The elements of a publisher, which is subscribed to when the first element is requested. At most `buffer` elements are
   * requested ahead of what has been read. Cancelling the stream cancels the subscription.
   */
  def stream[A](publisher: Publisher[A], buffer: Int = 16): Stream[A] = {
    if (publisher == null) throw new NullPointerException("the publisher is null")
    if (buffer < 1) throw new IllegalArgumentException(s"buffer is $buffer, but must be above 0")
    Stream.staged(new Subscribed(publisher, buffer))
  }

  /**
   * A publisher of the elements of `stream`, for one subscriber; all others get an `IllegalStateException`. The stream
   * is read on `loop`, where the subscriber is called, too. It is read when elements are requested and not ahead, so
   * that its end is found, and reported, when one more is requested than there are.
   */
  def publisher[A](stream: Stream[A], loop: Loop): Publisher[A] = new Published(stream, loop)

  /** On the loop of the caller. */
  def publisher[A](stream: Stream[A]): Publisher[A] = publisher(stream, Loop.current)
}

/** A publisher as a source. Its elements go through a [[Push]], which has room for all that are requested. */
private final class Subscribed[A](publisher: Publisher[A], buffer: Int) extends Pull[A] with Subscriber[A] {
  private val push     = new Push[A](buffer)
  private val elements = push.stream.asPull
  private val batch    = math.max(1, buffer / 2) // requested again when so many were read
  private var begun    = false                   // the loop's own
  private var read     = 0                       // the loop's own
  private var subscription: Subscription = null // guarded by this object's lock, as `cancelled`
  private var cancelled                  = false

  // ---- the reader, on its loop ----

  private[needletail] def advance(): AnyRef = {
    if (!begun) {
      begun = true
      try publisher.subscribe(this)
      catch { case Survivable(e) => cancelSubscription(); push.fail(e) }
    }
    elements.advance() match {
      case later: Later => later.andThen(passed)
      case x            => passed(x)
    }
  }

  private val passed: AnyRef => AnyRef = x => {
    if (x ne Pull.End) {
      read += 1
      if (read == batch) {
        read = 0
        request(batch)
      }
    }
    x
  }

  def cancel(): Unit = {
    cancelSubscription()
    elements.cancel()
  }

  private def request(count: Int): Unit = {
    val to = synchronized(if (cancelled) null else subscription)
    if (to != null && !push.isClosed) guarded(to)(_.request(count.toLong))
  }

  private def cancelSubscription(): Unit = {
    val to = synchronized {
      val first = if (cancelled) null else subscription
      cancelled = true
      first
    }
    if (to != null) guarded(to)(_.cancel())
  }

  /** A subscription must not throw (rules 3.15 and 3.16); if it does, it is a failure of the stream. */
  private def guarded(to: Subscription)(call: Subscription => Unit): Unit =
    try call(to)
    catch {
      case Survivable(e) =>
        push.fail(new IllegalStateException(
          "a Subscription has thrown an exception, against rule 3.15 or 3.16",
          e
        ))
    }

  // ---- the subscriber, on any thread ----

  def onSubscribe(offered: Subscription): Unit = {
    if (offered == null) throw new NullPointerException("the subscription is null")
    val wanted = synchronized {
      val first = subscription == null && !cancelled
      if (first) subscription = offered
      first
    }
    if (wanted) guarded(offered)(_.request(buffer.toLong)) else guarded(offered)(_.cancel())
  }

  def onNext(element: A): Unit = {
    if (element == null) throw new NullPointerException("the element is null")
    push.offer(element) match {
      case _: Offer.Later =>
        cancelSubscription()
        push.fail(
          new IllegalStateException("the publisher has sent more than was requested, against rule 1.1")
        )
      case _ => () // accepted, or too late
    }
  }

  def onError(error: Throwable): Unit = {
    if (error == null) throw new NullPointerException("the error is null")
    over()
    push.fail(error)
  }

  def onComplete(): Unit = {
    over()
    push.complete()
  }

  /** The subscription counts as cancelled (rule 2.4). */
  private def over(): Unit = synchronized { cancelled = true }
}

private final class Published[A](stream: Stream[A], loop: Loop) extends Publisher[A] {
  private val subscribed = new AtomicBoolean

  def subscribe(subscriber: Subscriber[_ >: A]): Unit = {
    if (subscriber == null) throw new NullPointerException("the subscriber is null")
    if (subscribed.compareAndSet(false, true)) {
      val reader = new Reader(subscriber)
      try loop.execute(() => reader.begin())
      catch { case Survivable(e) => refuse(subscriber, e) } // the loop has ended
    } else refuse(subscriber, new IllegalStateException("this publisher is for one subscriber, which it has"))
  }

  private def refuse(subscriber: Subscriber[_ >: A], error: Throwable): Unit = {
    subscriber.onSubscribe(Published.none)
    subscriber.onError(error)
  }

  /** All of it is the loop's own, except `request` and `cancel`, which hand over to the loop. */
  private final class Reader(private var subscriber: Subscriber[_ >: A]) extends Subscription {
    private var demand                  = 0L
    private var reading                 = false
    private var asked: Async[Option[A]] = null
    private var calling = false // `onSubscribe` or `onNext`, which have to return before any other signal
    private var wrong: Throwable = null // a request that was made meanwhile

    def begin(): Unit = {
      call(_.onSubscribe(this))
      go()
    }

    def request(count: Long): Unit = onLoop(() =>
      if (subscriber != null)
        if (count <= 0) {
          val error = new IllegalArgumentException(s"$count elements were requested, against rule 3.9")
          if (calling) wrong = error else refuse(error)
        } else {
          demand = if (demand + count < 0) Long.MaxValue else demand + count
          go()
        }
    )

    def cancel(): Unit = onLoop { () =>
      if (subscriber != null) {
        subscriber = null
        leave()
      }
    }

    private def onLoop(task: Runnable): Unit =
      if (loop.inLoop) task.run()
      else
        try loop.execute(task)
        catch { case Survivable(_) => () } // the loop has ended

    /** Reads as much as is wanted. Elements that are ready do not nest: a `request` within `onNext` returns at once. */
    private def go(): Unit = if (!reading && !calling) {
      reading = true
      var budget = Published.Turn
      while (reading && subscriber != null && demand > 0)
        if (budget == 0) {
          loop.execute { () => reading = false; go() }
          return
        } else {
          budget -= 1
          asked = Async.defer(stream.next()) // which may throw
          val result = asked.poll
          if (result.isDefined) receive(result.get)
          else {
            asked.onComplete { t =>
              receive(t)
              reading = false
              go()
            }
            return
          }
        }
      reading = false
    }

    private def receive(result: scala.util.Try[Option[A]]): Unit = if (subscriber != null) result match {
      case scala.util.Success(Some(null)) =>
        refuse(new NullPointerException("an element of the stream is null, against rule 2.13"))
      case scala.util.Success(Some(element)) =>
        demand -= 1
        call(_.onNext(element))
      case scala.util.Success(None) => finish(_.onComplete())
      case scala.util.Failure(e)    => finish(_.onError(e))
    }

    private def leave(): Unit = {
      if (asked != null) asked.cancel()
      Pull.cancel(stream)
    }

    /** Ends the stream with an error of this side's own. */
    private def refuse(error: Throwable): Unit = {
      val last = subscriber
      subscriber = null // so that it does not hear of what is cancelled
      leave()
      tell(last, _.onError(error))
    }

    private def finish(signal: Subscriber[_ >: A] => Unit): Unit = {
      val last = subscriber
      subscriber = null
      tell(last, signal)
    }

    private def tell(last: Subscriber[_ >: A], signal: Subscriber[_ >: A] => Unit): Unit =
      try signal(last)
      catch { case Survivable(e) => Pull.report(e) }

    /** A subscriber that throws has cancelled its subscription (rule 2.13). */
    private def call(signal: Subscriber[_ >: A] => Unit): Unit = {
      calling = true
      try signal(subscriber)
      catch {
        case Survivable(e) =>
          subscriber = null
          leave()
          Pull.report(e)
      }
      calling = false
      if (wrong != null && subscriber != null) refuse(wrong)
    }
  }
}

private object Published {

  /** Elements in one turn of the loop. */
  final val Turn = 256

  val none: Subscription = new Subscription {
    def request(count: Long): Unit = ()
    def cancel(): Unit             = ()
  }
}
