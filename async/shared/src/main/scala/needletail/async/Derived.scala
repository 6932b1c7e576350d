package needletail.async

import scala.util.Try

/**
 * What a function makes of another value when that is complete. Node, observer and callback in one object.
 *
 * Its life: it waits for `source` with `f` in hand; then `f` is called and dropped, and if that gave another
 * pending value, it waits for that one ("forwards" it).
 *
 * A loop of `flatMap`s would make a chain of forwarders as long as the loop. So where this one would begin to
 * forward, and its only observer does nothing but forward this one, it steps aside: the observer waits for the
 * inner value itself. This one's `state` is then that observer, and everything asked of it is answered by the
 * observer's `source`, which is always the newest link. Interest stays exact: cancelling the observer
 * cancels what it waits for, unless somebody else observes that too.
 */
private[async] abstract class Derived[A, B, F >: Null <: AnyRef](private var f: F) extends Pending[B] {

  /** What this one waits for or, after that, what it got. Kept when cancelled, for those this one stands in for. */
  private[async] final var source: Async[_] = null

  protected def step(f: F, result: Result[A]): Async[B]

  /** Begins to wait; `on` has no result yet. */
  final private[async] def observe(on: Async[A]): this.type = {
    val open = on.asInstanceOf[Pending[A]].open
    source = open
    open.attach(this)
    this
  }

  final override private[async] def start(): Unit =
    if (f != null) settled(source.asInstanceOf[Result[Any]])

  final override private[async] def settled(result: Result[Any]): Unit =
    if (isOpen) {
      source = result
      if (f == null) settle(result.asInstanceOf[Result[B]])
      else {
        val function = f
        f = null
        val answer =
          try Trampoline.nonNull(step(function, result.asInstanceOf[Result[A]]))
          catch { case Survivable(e) => new Failed(e) }
        become(answer)
      }
    }

  private def become(answer: Async[B]): Unit = if (isOpen) { // f may have cancelled this one
    val result = answer.resultOrNull
    if (result != null) {
      source = result
      settle(result)
    } else {
      val inner = answer.asInstanceOf[Pending[B]].open
      val only  = onlyObserver
      if ((inner eq this) || (inner eq only)) {
        settle(new Failed(new IllegalStateException("an Async that waits for itself")))
      } else
        only match {
          case forwarder: Derived[_, _, _] if forwarder.isForwarding =>
            detach(forwarder)
            forwarder.source = inner
            inner.attach(forwarder)
            source = inner
            state = forwarder
          case _ =>
            source = inner
            inner.attach(this)
        }
    }
  } else answer.withdrawUnobserved()

  private def isForwarding: Boolean = f == null && isOpen

  /** The function that was not called and will not be, once; `null` after that. */
  final protected def takeFunction(): F = {
    val function = f
    f = null
    function
  }

  override private[async] def release(): Unit = source match {
    case pending: Pending[_] => f = null; pending.withdraw(this)
    case _                   => ()
  }
}

private[async] final class Mapped[A, B](f: A => B) extends Derived[A, B, A => B](f) {
  protected def step(f: A => B, result: Result[A]): Async[B] = Step.map(f, result)
}

private[async] final class FlatMapped[A, B](f: A => Async[B]) extends Derived[A, B, A => Async[B]](f) {
  protected def step(f: A => Async[B], result: Result[A]): Async[B] =
    if (result.isValue) f(result.value) else Step.same(result)
}

private[async] final class Filtered[A](p: A => Boolean) extends Derived[A, A, A => Boolean](p) {
  protected def step(p: A => Boolean, result: Result[A]): Async[A] = Step.filter(p, result)
}

private[async] final class Recovered[A](f: PartialFunction[Throwable, A])
    extends Derived[A, A, PartialFunction[Throwable, A]](f) {
  protected def step(f: PartialFunction[Throwable, A], result: Result[A]): Async[A] = Step.recover(f, result)
}

private[async] final class RecoveredWith[A](f: PartialFunction[Throwable, Async[A]])
    extends Derived[A, A, PartialFunction[Throwable, Async[A]]](f) {
  protected def step(f: PartialFunction[Throwable, Async[A]], result: Result[A]): Async[A] =
    if (result.isValue) result else f.applyOrElse(result.error, (_: Throwable) => result)
}

private[async] final class Transformed[A, B](f: Try[A] => Async[B])
    extends Derived[A, B, Try[A] => Async[B]](f) {
  protected def step(f: Try[A] => Async[B], result: Result[A]): Async[B] = f(result.toTry)
}

/** Runs its clean-up however the source ends, and when cancelled. */
private[async] final class Finally[A](cleanUp: () => Unit) extends Derived[A, A, () => Unit](cleanUp) {
  protected def step(cleanUp: () => Unit, result: Result[A]): Async[A] = Step.andFinally(cleanUp, result)

  override private[async] def release(): Unit = {
    val cleanUp = takeFunction()
    super.release()
    if (cleanUp != null) Callback.run(cleanUp)
  }
}

/** Waits like the others, but cancelling it leaves the source alone. */
private[async] final class Shielded[A] extends Derived[A, A, AnyRef](null) {
  protected def step(f: AnyRef, result: Result[A]): Async[A] = result

  override private[async] def release(): Unit = source match {
    case pending: Pending[_] => pending.detach(this)
    case _                   => ()
  }
}

/** What `onComplete` leaves with a pending value. It keeps its interest to the end. */
private[async] final class Callback[A](f: Try[A] => Unit) extends Pending[Nothing] {
  override private[async] def settled(result: Result[Any]): Unit =
    try f(result.asInstanceOf[Result[A]].toTry)
    catch { case Survivable(e) => Trampoline.report(e) }
}

private[async] object Callback {
  def run(f: () => Unit): Unit =
    try f()
    catch { case Survivable(e) => Trampoline.report(e) }
}

/** What the functions do with a result, alike for one that is there and one that comes. */
private[async] object Step {

  def same[B](failed: Result[_]): Result[B] = failed.asInstanceOf[Result[B]]

  def map[A, B](f: A => B, result: Result[A]): Result[B] =
    if (!result.isValue) same(result)
    else
      try new Value(f(result.value))
      catch { case Survivable(e) => new Failed(e) }

  def filter[A](p: A => Boolean, result: Result[A]): Result[A] =
    if (!result.isValue) result
    else
      try
        if (p(result.value)) result
        else new Failed(new NoSuchElementException("the value does not fit the pattern or condition"))
      catch { case Survivable(e) => new Failed(e) }

  def recover[A](f: PartialFunction[Throwable, A], result: Result[A]): Result[A] =
    if (result.isValue) result
    else
      try {
        // applyOrElse evaluates the guard once; the fallback's answer tells that no case fitted
        val answer = f.asInstanceOf[PartialFunction[Throwable, Any]].applyOrElse(result.error, notHandled)
        if (answer.asInstanceOf[AnyRef] eq notHandled) result else new Value(answer.asInstanceOf[A])
      } catch { case Survivable(e) => new Failed(e) }

  def andFinally[A](cleanUp: () => Unit, result: Result[A]): Result[A] =
    try {
      cleanUp()
      result
    } catch { case Survivable(e) => new Failed(e) }

  private object notHandled extends (Throwable => Any) {
    def apply(error: Throwable): Any = this
  }
}
