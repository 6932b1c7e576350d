package needletail.stream.stage

import scala.collection.mutable
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Result, ResultListener, Survivable}

/** A stage that waits for several sources at once, and is notified when one of them has changed. */
private[stream] abstract class Joined[A] extends Pull[A] {
  private var waiter: AsyncPromise[AnyRef] = null
  private var polling                      = false
  private var missed                       = false // a source changed while `poll` was running
  protected var over                       = false

  /** An element, `Pull.End`, a failure, or `Pull.Again` if there is nothing yet. Calls `end` before the last two of these. */
  protected def poll(): AnyRef

  /** Cancels all sources that are not over. */
  protected def cancelAll(): Unit

  final private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else {
      val x = polled()
      if (x ne Pull.Again) x
      else if (over) Pull.End // cancelled by a function that `poll` has called
      else {
        waiter = new AsyncPromise[AnyRef]
        new Later(waiter)
      }
    }

  /** A source has a result. */
  final protected val changed: () => Unit = () =>
    if (polling) missed = true
    else if (!over && waiter != null && !waiter.isCompleted) {
      val x = polled()
      if (x ne Pull.Again) {
        val told = waiter
        waiter = null
        if (told != null) Pull.complete(told, x) // unless what was polled has cancelled this
      }
    }

  private def polled(): AnyRef = {
    polling = true
    try {
      var x: AnyRef = null
      missed = true
      while (missed) {
        missed = false
        x = poll()
        if (x ne Pull.Again) missed = false
      }
      x
    } catch { case Survivable(e) => end(Pull.fail(e)) } // the stack is used up
    finally polling = false
  }

  final protected def end(answer: AnyRef): AnyRef = {
    over = true
    cancelAll()
    answer
  }

  final def cancel(): Unit = if (!over) {
    end(Pull.End)
    val told = waiter // who reads at the moment
    waiter = null
    if (told != null) { told.succeed(Pull.End); () }
  }
}

/** One source of several: an element is requested ahead of demand, and kept until it is taken. */
private[stream] final class Side[A](up: Pull[A], changed: () => Unit) {
  private var held: AnyRef               = Pull.Again
  private var asked: Async[AnyRef]       = null
  private var over                       = false
  private def settled(x: AnyRef): AnyRef = {
    held = x
    if ((x eq Pull.End) || x.isInstanceOf[Later]) over = true
    x
  }

  /** An element, `Pull.End`, a failure, or `Pull.Again` if it is not there yet. The same until `take`. */
  def look(): AnyRef =
    if (held ne Pull.Again) held
    else if (over) Pull.End // cancelled meanwhile
    else if (asked == null)
      up.advance() match {
        case later: Later if !later.async.isCompleted =>
          asked = later.async
          asked.onComplete { _ => changed() }
          Pull.Again
        case later: Later => settled(Pull.of(later.async))
        case x            => settled(x)
      }
    else
      asked.poll match {
        case None             => Pull.Again
        case Some(Success(x)) => asked = null; settled(x)
        case Some(Failure(e)) => asked = null; settled(Pull.fail(e))
      }

  /** Drops the element. */
  def take(): Unit = held = Pull.Again

  def cancel(): Unit = if (!over) {
    val outstanding = asked
    // an end or a failure that was not consumed yet is an end, too
    val ended = outstanding != null && (outstanding.poll match {
      case Some(Success(x)) => x eq Pull.End
      case Some(Failure(_)) => true
      case None             => false
    })
    over = true
    asked = null
    if (!ended) {
      if (outstanding != null) outstanding.cancel()
      Pull.cancel(up)
    }
  }
}

/** Pairs. Ends with the shorter side. */
private[stream] final class Zipped[A, B](a: Pull[A], b: Pull[B]) extends Joined[(A, B)] {
  private val left  = new Side(a, changed)
  private val right = new Side(b, changed)

  protected def poll(): AnyRef = {
    val x = left.look()
    if ((x eq Pull.End) || x.isInstanceOf[Later]) end(x)
    else {
      val y = right.look()
      if ((y eq Pull.End) || y.isInstanceOf[Later]) end(y)
      else if ((x eq Pull.Again) || (y eq Pull.Again)) Pull.Again
      else {
        left.take()
        right.take()
        (x, y)
      }
    }
  }

  protected def cancelAll(): Unit = {
    left.cancel()
    right.cancel()
  }
}

/** The elements of both as they come; the sides alternate while both have some. With `eager`, either end is the end. */
private[stream] final class Merged[A](a: Pull[A], b: Pull[A], eager: Boolean) extends Joined[A] {
  private var next  = new Side(a, changed)
  private var other = new Side(b, changed)

  protected def poll(): AnyRef = {
    val x = next.look()
    if (x.isInstanceOf[Later]) end(x)
    else if ((x ne Pull.Again) && (x ne Pull.End)) {
      next.take()
      swap()
      x
    } else {
      val y = other.look()
      if (y.isInstanceOf[Later]) end(y)
      else if ((y eq Pull.End) && (eager || (x eq Pull.End))) end(y)
      else if ((y eq Pull.Again) && (x eq Pull.End) && eager) end(x)
      else if (y eq Pull.End) Pull.Again
      else {
        if (y ne Pull.Again) other.take()
        y
      }
    }
  }

  private def swap(): Unit = {
    val side = next
    next = other
    other = side
  }

  protected def cancelAll(): Unit = {
    next.cancel()
    other.cancel()
  }
}

/** The same elements until `signal` is complete and none is ready. */
private[stream] final class Until[A](up: Pull[A], signal: Async[Any]) extends Joined[A] {
  private val side               = new Side(up, changed)
  private var watch: Async[Unit] = null // withdrawn at the end, as a signal may outlive many streams

  protected def poll(): AnyRef = {
    val x = side.look()
    if ((x eq Pull.End) || x.isInstanceOf[Later]) end(x)
    else if (x ne Pull.Again) {
      side.take()
      x
    } else if (signal.isCompleted) end(Pull.End)
    else {
      if (watch == null) {
        watch = signal.shield.map(_ => ())
        watch.onComplete(_ => changed())
      }
      Pull.Again
    }
  }

  protected def cancelAll(): Unit = {
    if (watch != null) watch.cancel()
    side.cancel()
  }
}

/** The results of `f`, in the order of the elements, with at most `parallelism` in progress. */
private[stream] final class MappedAsync[A, B](up: Pull[A], parallelism: Int, f: A => Async[B])
    extends Joined[B] {
  private val side    = new Side(up, changed)
  private val running = new mutable.ArrayDeque[Slot](math.min(parallelism, 16))
  private var upOver  = false

  /** Observes a result from the start: otherwise it would be cancelled if others withdraw before its turn. */
  private final class Slot(val async: Async[B]) extends ResultListener[B] {
    listen(async)
    def completed(result: Result[B]): Unit = if (running.headOption.contains(this)) changed()
  }

  protected def poll(): AnyRef = {
    fill()
    if (running.isEmpty) if (upOver) end(Pull.End) else Pull.Again
    else {
      val first  = running.head
      val result = first.async.resultOrNull
      if (result == null) Pull.Again
      else {
        first.withdraw() // it may not have been told yet
        running.removeHead()
        if (result.isValue) result.value.asInstanceOf[AnyRef] else end(Pull.fail(result.error))
      }
    }
  }

  private def fill(): Unit = {
    var more = !upOver
    while (more && !over && running.size < parallelism)
      side.look() match {
        case Pull.Again => more = false
        case Pull.End   =>
          upOver = true
          more = false
        case later: Later =>
          // its turn comes after those that are under way
          running += new Slot(later.async.asInstanceOf[Async[B]])
          upOver = true
          more = false
        case element =>
          side.take()
          val begun = new Slot(started(element.asInstanceOf[A]))
          if (over) begun.withdraw() // `f` has cancelled the stream
          else running += begun
      }
  }

  private def started(element: A): Async[B] = Async.defer(f(element))

  protected def cancelAll(): Unit = {
    side.cancel()
    running.foreach(_.withdraw()) // which cancels those that nobody else observes
    running.clear()
  }
}
