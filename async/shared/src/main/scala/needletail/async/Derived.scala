package needletail.async

import scala.concurrent.duration.FiniteDuration
import scala.util.Try

/**
 * The result of a function of another value. Node, observer and callback in one object.
 *
 * It waits for `source` and holds `f`; then `f` is called and dropped. If `f` returned another pending value, this
 * waits for that one ("forwards" it).
 *
 * A loop of `flatMap`s would make a chain of forwarders as long as the loop. So if this one would begin to forward,
 * and its only observer does nothing but forward this one, it removes itself: the observer waits for the inner value
 * directly. This one's `state` is then that observer, and requests to it are answered by the observer's `source`,
 * which is always the newest link. Cancellation stays exact: cancelling the observer cancels what it waits for, unless
 * that has other observers; cancelling this one cancels the observer. But who begins to observe this one only then waits
 * for the inner value itself, and is not cancelled with this one.
 */
private[async] abstract class Derived[A, B, F >: Null <: AnyRef](private var f: F) extends Pending[B] {

  /** What this one waits for or, later, received. Kept when cancelled, for those that were replaced by this one. */
  private[async] final var source: Async[_] = null

  protected def step(f: F, result: Result[A]): Async[B]

  /** Begins to wait for `on`, which has no result yet. */
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
          try Step.nonNull(step(function, result.asInstanceOf[Result[A]]))
          catch {
            case Survivable(e) => new Failed(e)
            case e: Throwable  =>
              settleAtEnd(e)
              throw e
          }
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

  /** Whether it does nothing but wait for another one, which it also cancels. */
  private[async] def isForwarding: Boolean = f == null && isOpen

  /** The function if it has not been called; it never will be then. Null afterwards. */
  final protected def takeFunction(): F = {
    val function = f
    f = null
    function
  }

  override private[async] def release(): Unit = source match {
    case pending: Pending[_] => f = null; pending.withdraw(this)
    case _                   => ()
  }

  /** Cancels those that this one has replaced, and so this one, which waited for them. What they waited for may go on. */
  final private[async] def cancelReplaced(): Unit = source match {
    case pending: Pending[_] =>
      source = Result.cancelled // which is their result
      pending.withdraw(this)
      abort(Result.cancelled)
    case _ => ()
  }
}

private[async] final class Mapped[A, B](f: A => B) extends Derived[A, B, A => B](f) {
  protected def step(f: A => B, result: Result[A]): Async[B] = Step.map(f, result)
}

private[async] final class FlatMapped[A, B](f: A => Async[B]) extends Derived[A, B, A => Async[B]](f) {
  protected def step(f: A => Async[B], result: Result[A]): Async[B] =
    if (result.isValue) f(result.value) else Step.same(result)
}

private[async] object FlatMapped {

  /** Calls `f(a)`: at once or, if the recursion is deep already, a little later. Throws nothing that is survivable. */
  def call[A, B](f: A => Async[B], a: A): Async[B] = {
    val trampoline = Trampoline.here
    if (trampoline.enter()) {
      val called =
        try Step.nonNull(f(a))
        catch { case Survivable(e) => new Failed(e) }
        finally trampoline.leave()
      val result = if (trampoline.resume()) called.resultOrNull else null
      if (result != null) result else called
    } else {
      val node = new FlatMapped[A, B](f)
      node.source = new Value(a)
      trampoline.append(node)
      node
    }
  }
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

/** Runs its clean-up whether the source completes or this is cancelled. */
private[async] final class Finally[A](cleanUp: () => Unit) extends Derived[A, A, () => Unit](cleanUp) {
  protected def step(cleanUp: () => Unit, result: Result[A]): Async[A] = Step.andFinally(cleanUp, result)

  override private[async] def release(): Unit = {
    val cleanUp = takeFunction()
    super.release()
    if (cleanUp != null) Callback.run(cleanUp)
  }
}

/** Waits for its source; cancelling it does not cancel the source. */
private[async] final class Shielded[A] extends Derived[A, A, AnyRef](null) {
  protected def step(f: AnyRef, result: Result[A]): Async[A] = result

  /** It must replace nothing: its source has other holders, and goes on without it. */
  override private[async] def isForwarding: Boolean = false

  override private[async] def release(): Unit = source match {
    case pending: Pending[_] => pending.detach(this)
    case _                   => ()
  }
}

/** One source of `zip`, `race` or `all`. An observer can be in one list only, so each source needs its own. */
private[async] final class Side(owner: Combined[_], val index: Int) extends Pending[Nothing] {
  private var source: Pending[_] = null

  def observe(on: Async[_]): Unit = {
    source = on.asInstanceOf[Pending[Any]].open
    source.attach(this)
  }

  override private[async] def settled(result: Result[Any]): Unit = {
    source = null
    owner.sideSettled(index, result)
  }

  def leave(): Unit = if (source != null) {
    val left = source
    source = null
    left.withdraw(this)
  }
}

private[async] abstract class Combined[A] extends Pending[A] {
  def sideSettled(index: Int, result: Result[Any]): Unit
}

/** Both values, or the first failure. */
private[async] final class Zipped[A, B](a: Async[A], b: Async[B]) extends Combined[(A, B)] {
  private val left            = new Side(this, 0)
  private val right           = new Side(this, 1)
  private var seen: Result[_] = null // the value of the side that was complete first
  left.observe(a)
  right.observe(b)

  def sideSettled(index: Int, result: Result[Any]): Unit =
    if (!result.isValue) abort(Step.same(result))
    else if (seen == null) seen = result
    else {
      val other = seen.value
      settle(new Value((if (index == 0) (result.value, other) else (other, result.value)).asInstanceOf[(
          A,
          B
      )]))
    }

  override private[async] def release(): Unit = {
    left.leave()
    right.leave()
  }
}

/** The result of the first of two. */
private[async] final class Raced[A](a: Async[A], b: Async[A]) extends Combined[A] {
  private val left  = new Side(this, 0)
  private val right = new Side(this, 1)
  left.observe(a)
  right.observe(b)

  def sideSettled(index: Int, result: Result[Any]): Unit = abort(result.asInstanceOf[Result[A]])

  override private[async] def release(): Unit = {
    left.leave()
    right.leave()
  }
}

/** The result of `source` within `limit`, else [[TimedOut]]. */
private[async] final class Within[A](loop: Loop, from: Async[A], limit: FiniteDuration)
    extends Pending[A]
    with Runnable {
  private val source = from.asInstanceOf[Pending[A]].open
  private val timer  = loop.schedule(limit.toNanos, this)
  source.attach(this)

  def run(): Unit = abort(new Failed(new TimedOut(limit)))

  override private[async] def settled(result: Result[Any]): Unit = {
    timer.cancel()
    settle(result.asInstanceOf[Result[A]])
  }

  override private[async] def release(): Unit = {
    timer.cancel()
    source.withdraw(this)
  }
}

/** The observer made by `onComplete`. It never withdraws. */
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

/** What each combinator does with a result, whether available at once or later. */
private[async] object Step {

  /** The `Async` that a function returned, or a failure instead of null. */
  def nonNull[A](async: Async[A]): Async[A] =
    if (async != null) async
    else new Failed(new NullPointerException("a function returned null instead of an Async"))

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
        // applyOrElse evaluates the guard once; the fallback's result shows that no case matched
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
