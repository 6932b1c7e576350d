package needletail.stream.stage

import scala.collection.mutable.ArrayDeque
import scala.util.{Failure, Success, Try}

import needletail.async.{Async, Survivable}

/**
 * Streams one after the other. However they were put together, there is one stage for all of them: chains of `++` need
 * no stack.
 */
private[stream] final class Concatenated[A] private (private var streams: ArrayDeque[Pull[A]])
    extends Pull[A] {
  private var budget: Budget = null

  private[needletail] def advance(): AnyRef = {
    var answer: AnyRef = Pull.Again
    while (answer eq Pull.Again)
      if (streams.isEmpty) answer = Pull.End
      else {
        val reading = streams.head.asPull
        streams(0) = reading
        answer = accepted(reading.advance())
      }
    answer
  }

  /** What comes of an answer of the first stream: `Again` if it has ended. */
  private def accepted(x: AnyRef): AnyRef =
    if (streams.isEmpty) Pull.End // cancelled meanwhile
    else if (x eq Pull.End) {
      streams.removeHead()
      if (budget == null) budget = Budget.here
      if (budget.isSpent) Budget.yielding(() => advance()) else Pull.Again
    } else if (streams.size > 1 && x.isInstanceOf[Later]) x.asInstanceOf[Later].orElse(received)(failed)
    else x

  private val received: AnyRef => AnyRef = x => {
    val answer = accepted(x)
    if (answer eq Pull.Again) advance() else answer
  }

  private val failed: Throwable => AnyRef = error => {
    if (!streams.isEmpty) streams.removeHead()
    cancel()
    Pull.fail(error)
  }

  def cancel(): Unit = {
    val all = streams
    streams = ArrayDeque.empty
    all.foreach(Pull.cancel)
  }

  override private[needletail] def standsFor: Pull[A] = if (streams.size == 1) streams.head else null

  /** These streams, then those of `other`. The smaller one of the two is moved to the larger one. */
  private def append(other: Concatenated[A]): Concatenated[A] =
    if (streams.size < other.streams.size) {
      other.streams.prependAll(streams)
      streams = ArrayDeque.empty
      other
    } else {
      streams ++= other.streams
      other.streams = ArrayDeque.empty
      this
    }
}

private[stream] object Concatenated {
  def apply[A](first: Pull[A], second: Pull[A]): Pull[A] = (first, second) match {
    case (chain: Concatenated[A @unchecked], more: Concatenated[A @unchecked]) =>
      if (chain eq more) chain else chain.append(more)
    case (chain: Concatenated[A @unchecked], _) => chain.streams += second; chain
    case (_, chain: Concatenated[A @unchecked]) => chain.streams.prepend(first); chain
    case _                                      => new Concatenated(ArrayDeque(first, second))
  }
}

/** The elements of the streams that `f` returns. */
private[stream] final class FlatMapped[A, B](up: Pull[A], f: A => Pull[B]) extends Pull[B] {
  private var over           = false
  private var inner: Pull[B] = null
  private var budget: Budget = null

  private val outerReceived: AnyRef => AnyRef = x =>
    if (over) Pull.End
    else {
      val answer = opened(x)
      if (answer eq Pull.Again) advance() else answer
    }
  private val innerReceived: AnyRef => AnyRef = x =>
    if (over) Pull.End
    else if (x eq Pull.End) {
      inner = null
      advance()
    } else x
  private val innerFailed: Throwable => AnyRef = fail

  private[needletail] def advance(): AnyRef = {
    var answer: AnyRef = Pull.Again
    while (answer eq Pull.Again)
      if (over) answer = Pull.End
      else if (inner != null) {
        inner = inner.asPull
        inner.advance() match {
          case Pull.End =>
            inner = null
            if (budget == null) budget = Budget.here
            if (budget.isSpent) answer = Budget.yielding(() => advance())
          case later: Later => answer = later.orElse(innerReceived)(innerFailed)
          case element      => answer = element
        }
      } else
        up.advance() match {
          case later: Later => answer = later.andThen(outerReceived)
          case x            => answer = opened(x)
        }
    answer
  }

  /** Begins the inner stream: returns `Again`, or a failure. */
  private def opened(x: AnyRef): AnyRef =
    if (x eq Pull.End) {
      over = true
      Pull.End
    } else
      try {
        inner = f(x.asInstanceOf[A]).asPull
        if (over) Pull.cancel(inner) // `f` has cancelled the stream
        Pull.Again
      } catch { case Survivable(e) => fail(e) }

  private def fail(error: Throwable): AnyRef =
    if (over) Pull.End
    else {
      over = true
      Pull.cancel(up)
      Pull.fail(error)
    }

  def cancel(): Unit = if (!over) {
    over = true
    if (inner != null) Pull.cancel(inner)
    Pull.cancel(up)
  }
}

/** A stream that is created when its first element is requested. */
private[stream] final class Deferred[A](make: () => Async[Pull[A]]) extends Pull[A] {
  private var making: Async[Pull[A]] = null
  private var made: Pull[A]          = null
  private var over                   = false

  private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else if (made != null) {
      made = made.asPull
      made.advance()
    } else {
      if (making == null) {
        making = Async.defer(make())
        if (!making.isCompleted) making.foreach(late => if (over) Pull.cancel(late))
        if (over) drop() // `make` has cancelled the stream
      }
      // through `Async` also if it is complete: one that makes the next one, and so on, uses no stack
      if (over) Pull.End else Pull.of(making.shield.transform(begin))
    }

  private val begin: Try[Pull[A]] => Async[AnyRef] = {
    case Success(null) if !over =>
      over = true
      Async.fail(
        new NullPointerException("the function of a deferred stream returned null instead of a stream")
      )
    case Success(stream) if !over =>
      making = null
      made = stream
      Pull.async(advance())
    case Success(_) => Async.value(Pull.End)
    case Failure(e) =>
      over = true
      Async.fail(e)
  }

  def cancel(): Unit = if (!over) {
    over = true
    if (made != null) Pull.cancel(made)
    else if (making != null) drop()
  }

  /** Cancels the stream that is being created, or was created but not started. */
  private def drop(): Unit = {
    val result = making.resultOrNull
    if (result == null) making.cancel()
    else if (result.isValue) Pull.cancel(result.value)
  }

  override private[needletail] def standsFor: Pull[A] = made
}

/** Continues with another stream after a failure. */
private[stream] final class Recovered[A](up: Pull[A], f: PartialFunction[Throwable, Pull[A]])
    extends Pull[A] {
  private var current                     = up // null when it is over
  private var recovered                   = false
  private val received: AnyRef => AnyRef  = x => if (current == null) Pull.End else x
  private val failed: Throwable => AnyRef = error =>
    try {
      val instead = f.applyOrElse(error, (_: Throwable) => null)
      val isOver  = current == null // cancelled by `f`
      recovered = true
      current = if (instead == null || isOver) null else instead.asPull
      if (isOver) {
        if (instead != null) Pull.cancel(instead)
        Pull.End
      } else if (current == null) Pull.fail(error)
      // through `Async`: one failure after another uses no stack
      else Pull.of(Async.unit.flatMap(_ => Pull.async(advance())))
    } catch {
      case Survivable(e) =>
        current = null
        Pull.fail(e)
    }

  private[needletail] def advance(): AnyRef =
    if (current == null) Pull.End
    else {
      current = current.asPull
      current.advance() match {
        case later: Later if !recovered => later.orElse(received)(failed)
        case x                          => x
      }
    }

  def cancel(): Unit = if (current != null) {
    val reading = current
    current = null
    Pull.cancel(reading)
  }

  override private[needletail] def standsFor: Pull[A] = if (recovered) current else null
}

/** Runs `cleanUp` once: at the end, after a failure or when cancelled. */
private[stream] final class Finalized[A](up: Pull[A], cleanUp: () => Unit) extends Pull[A] {
  private var over                        = false
  private val received: AnyRef => AnyRef  = x => if (over) Pull.End else if (x eq Pull.End) ended(x) else x
  private val failed: Throwable => AnyRef = error => if (over) Pull.End else ended(Pull.fail(error))

  private[needletail] def advance(): AnyRef =
    if (over) Pull.End
    else
      up.advance() match {
        case Pull.End     => ended(Pull.End)
        case later: Later => later.orElse(received)(failed)
        case element      => element
      }

  /** Its exception replaces the end and the failure. */
  private def ended(answer: AnyRef): AnyRef = {
    over = true
    try {
      cleanUp()
      answer
    } catch { case Survivable(e) => Pull.fail(e) }
  }

  def cancel(): Unit = if (!over) {
    over = true
    Pull.cancel(up)
    try cleanUp()
    catch { case Survivable(e) => Pull.report(e) }
  }
}
