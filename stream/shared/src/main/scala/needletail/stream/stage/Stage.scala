package needletail.stream.stage

import needletail.async.Survivable

/** A stage with one source: what most operators are. */
private[stream] abstract class Stage[A, B](up: Pull[A]) extends Pull[B] {
  private var over                       = false
  private var budget: Budget             = null
  private var received: AnyRef => AnyRef = null // `passOn` as a function, made when first needed

  final private[stage] def isOver: Boolean = over

  /**
   * What becomes of an element: an element, `Pull.Again` to drop it, or what `stop` and `fail` return. Its exceptions
   * end the stream.
   */
  protected def step(element: A): AnyRef

  /** What comes when the source has ended: `Pull.End`, or one last element. May throw, too. */
  protected def atEnd(): AnyRef = Pull.End

  private[needletail] def advance(): AnyRef = if (over) Pull.End else passOn(up.advance())

  def cancel(): Unit = if (!over) { stop(); () }

  /** Ends the stream early. */
  final protected def stop(): AnyRef = {
    over = true
    Pull.cancel(up)
    Pull.End
  }

  final protected def fail(error: Throwable): AnyRef = {
    stop()
    Pull.fail(error)
  }

  /** What comes of `first`, and of the elements after it if that is nothing. */
  final protected def passOn(first: AnyRef): AnyRef = {
    var x              = first
    var answer: AnyRef = Pull.Again
    while (answer eq Pull.Again) {
      if (over) answer = Pull.End
      else if (x eq Pull.End) answer = ended()
      else if (x.isInstanceOf[Later]) answer = waiting(x.asInstanceOf[Later])
      else {
        answer =
          try step(x.asInstanceOf[A])
          catch { case Survivable(e) => fail(e) }
        if (answer eq Pull.Again) {
          if (budget == null) budget = Budget.here
          if (budget.isSpent) answer = Budget.yielding(() => advance()) else x = up.advance()
        }
      }
    }
    answer
  }

  private def waiting(later: Later): Later = {
    if (received == null) received = passOn
    later.andThen(received)
  }

  private def ended(): AnyRef = {
    over = true
    try atEnd()
    catch { case Survivable(e) => Pull.fail(e) }
  }
}

/** `last` of each element, after those functions that `others` says, which were given before it. */
private[stream] final class Mapped[A, B] private (up: Pull[A], last: Any => Any, others: Mapped.Functions)
    extends Stage[A, B](up) {
  private var steps: Array[Any => Any] = null // all of them in order, once there is an element for several

  protected def step(element: A): AnyRef =
    if (others == null) last(element).asInstanceOf[AnyRef] else inOrder(element)

  private def inOrder(element: Any): AnyRef = {
    if (steps == null) steps = Mapped.Functions(last, others).inOrder
    var value = element
    var i     = 0
    while (i < steps.length) {
      value = steps(i)(value)
      i += 1
    }
    value.asInstanceOf[AnyRef]
  }

  /** The same with `next` after it: one stage, so that chains of `map` need no stack. */
  private def andThen[C](next: Any => Any): Mapped[A, C] =
    new Mapped(up, next, new Mapped.Functions(last, others))
}

private[stream] object Mapped {
  def apply[A, B](up: Pull[A], f: A => B): Pull[B] = {
    val function = f.asInstanceOf[Any => Any]
    up match {
      case mapped: Mapped[?, ?] if !mapped.isOver => mapped.andThen[B](function)
      case _                                      => new Mapped[A, B](up, function, null)
    }
  }

  /** `last` and those before it. */
  private final case class Functions(last: Any => Any, before: Functions) {
    def inOrder: Array[Any => Any] = {
      var count = 0
      var each  = this
      while (each != null) {
        count += 1
        each = each.before
      }
      val all = new Array[Any => Any](count)
      each = this
      while (each != null) {
        count -= 1
        all(count) = each.last
        each = each.before
      }
      all
    }
  }
}

private[stream] final class Filtered[A](up: Pull[A], p: A => Boolean) extends Stage[A, A](up) {
  protected def step(element: A): AnyRef = if (p(element)) element.asInstanceOf[AnyRef] else Pull.Again
}

private[stream] final class Collected[A, B](up: Pull[A], f: PartialFunction[A, B]) extends Stage[A, B](up) {
  // the fallback shows that no case matched, so that the guard is evaluated once
  private val none: Any => Any           = _ => Pull.Again
  protected def step(element: A): AnyRef =
    f.asInstanceOf[PartialFunction[A, Any]].applyOrElse(element, none).asInstanceOf[AnyRef]
}

private[stream] final class Taken[A](up: Pull[A], count: Long) extends Stage[A, A](up) {
  private var left = count

  /** The source is cancelled with the last element, and at once if none is wanted. */
  override private[needletail] def advance(): AnyRef =
    if (left > 0) super.advance()
    else {
      cancel()
      Pull.End
    }

  protected def step(element: A): AnyRef = {
    left -= 1
    if (left == 0) stop()
    element.asInstanceOf[AnyRef]
  }
}

private[stream] final class Dropped[A](up: Pull[A], count: Long) extends Stage[A, A](up) {
  private var left                       = count
  protected def step(element: A): AnyRef =
    if (left <= 0) element.asInstanceOf[AnyRef]
    else {
      left -= 1
      Pull.Again
    }
}

private[stream] final class TakenWhile[A](up: Pull[A], p: A => Boolean) extends Stage[A, A](up) {
  protected def step(element: A): AnyRef = if (p(element)) element.asInstanceOf[AnyRef] else stop()
}

private[stream] final class DroppedWhile[A](up: Pull[A], p: A => Boolean) extends Stage[A, A](up) {
  private var dropping                   = true
  protected def step(element: A): AnyRef =
    if (dropping && p(element)) Pull.Again
    else {
      dropping = false
      element.asInstanceOf[AnyRef]
    }
}

private[stream] final class Indexed[A](up: Pull[A]) extends Stage[A, (A, Long)](up) {
  private var index                      = -1L
  protected def step(element: A): AnyRef = {
    index += 1
    (element, index)
  }
}

/** All states, the first one before any element. */
private[stream] final class Scanned[A, B](up: Pull[A], zero: B, f: (B, A) => B) extends Stage[A, B](up) {
  private var state = zero
  private var begun = false

  override private[needletail] def advance(): AnyRef =
    if (begun) super.advance()
    else {
      begun = true
      zero.asInstanceOf[AnyRef]
    }

  override def cancel(): Unit = {
    begun = true
    super.cancel()
  }

  protected def step(element: A): AnyRef = {
    state = f(state, element)
    state.asInstanceOf[AnyRef]
  }
}

/** Groups of `size` elements; the last one may be smaller. */
private[stream] final class Grouped[A](up: Pull[A], size: Int) extends Stage[A, Vector[A]](up) {
  private var group = Vector.newBuilder[A]
  private var held  = 0

  protected def step(element: A): AnyRef = {
    group += element
    held += 1
    if (held < size) Pull.Again else take()
  }

  override protected def atEnd(): AnyRef = if (held == 0) Pull.End else take()

  private def take(): AnyRef = {
    val elements = group.result()
    group = Vector.newBuilder[A]
    held = 0
    elements
  }
}
