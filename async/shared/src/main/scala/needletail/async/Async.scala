package needletail.async

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{Future, Promise => FuturePromise}
import scala.util.{Failure, Success, Try}

/**
 * A value, or a failure, that becomes available later, on the loop that created it.
 *
 * It is completed and observed on one thread, the loop's, so nothing is synchronised and no execution context is
 * needed. Observing it on another thread is an error that is not detected (see `toFuture`). A non-fatal exception of a
 * function passed to it becomes a failure; a fatal error ends the loop first, and observers are called at its end. If it
 * is already complete, functions are called at once: `map` has called its function when it returns. A value that is
 * completed while observers of another are being called has its own observers called after that. So long chains and
 * deep recursion through `flatMap` do not use stack, and a loop that ends in `flatMap` runs in constant memory.
 *
 * '''Cancellation.''' Work that is no longer needed should stop. Cancelling a value fails it with `Cancelled` and
 * withdraws it from what it was derived from. A value whose last observer has withdrawn is cancelled in turn, down to
 * the promise, timer or blocking work at the origin. `onComplete`, `foreach` and `toFuture` never withdraw.
 */
abstract class Async[+A] private[async] () {

  /** The result if it is complete, else null: for servers, before they register an observer. */
  private[needletail] def resultOrNull: Result[A]

  /** Cancels this one if it has no observers. */
  private[async] def withdrawUnobserved(): Unit

  /** Fails this with `Cancelled` and stops what it waits for, unless it is complete. May be called more than once. */
  def cancel(): Unit

  /** Whether it has a result. */
  final def isCompleted: Boolean = resultOrNull != null

  /** The result if it is complete. */
  final def poll: Option[Try[A]] = {
    val result = resultOrNull
    if (result == null) None else Some(result.toTry)
  }

  /** Calls `f` with the result, once, now or later. Exceptions of `f` go to the loop, which logs them. */
  final def onComplete(f: Try[A] => Unit): Unit = {
    val result = resultOrNull
    if (result == null) this.asInstanceOf[Pending[A]].open.attach(new Callback(f))
    else
      try f(result.toTry)
      catch { case Survivable(e) => Trampoline.report(e) }
  }

  /** Calls `f` with the value if there is one. */
  final def foreach(f: A => Unit): Unit = onComplete {
    case Success(value) => f(value)
    case Failure(_)     => ()
  }

  /** Applies `f` to the value. A non-fatal exception of `f` becomes the failure. */
  final def map[B](f: A => B): Async[B] = {
    val result = resultOrNull
    if (result == null) new Mapped(f).observe(this) else Step.map(f, result)
  }

  /** Continues with the `Async` that `f` returns for the value. A non-fatal exception of `f` becomes the failure. */
  final def flatMap[B](f: A => Async[B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new FlatMapped(f).observe(this)
    else if (result.isValue) FlatMapped.call(f, result.value)
    else Step.same(result)
  }

  /** The value if `p` holds for it, else a failure with NoSuchElementException. */
  final def withFilter(p: A => Boolean): Async[A] = {
    val result = resultOrNull
    if (result == null) new Filtered(p).observe(this) else Step.filter(p, result)
  }

  /** Replaces the failures that `f` is defined for by values. */
  final def recover[B >: A](f: PartialFunction[Throwable, B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new Recovered[B](f).observe(this) else Step.recover(f, result)
  }

  /** Replaces the failures that `f` is defined for by the result of another `Async`. */
  final def recoverWith[B >: A](f: PartialFunction[Throwable, Async[B]]): Async[B] = {
    val result = resultOrNull
    if (result == null) new RecoveredWith[B](f).observe(this)
    else if (result.isValue) result
    else
      FlatMapped.call[Throwable, B](e => f.applyOrElse(e, (_: Throwable) => result), result.error)
  }

  /** Continues with the `Async` that `f` returns for the value or the failure. */
  final def transform[B](f: Try[A] => Async[B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new Transformed(f).observe(this) else FlatMapped.call(f, result.toTry)
  }

  /** Runs `cleanUp` when this has a value, fails or is cancelled. The result stays unless `cleanUp` throws. */
  final def andFinally(cleanUp: => Unit): Async[A] = {
    val result = resultOrNull
    val once   = () => cleanUp
    if (result == null) new Finally[A](once).observe(this) else Step.andFinally(once, result)
  }

  /** Both values, computed concurrently. The first failure becomes the result and withdraws from the other. */
  final def zip[B](other: Async[B]): Async[(A, B)] = {
    val mine   = resultOrNull
    val theirs = other.resultOrNull
    if (mine != null && !mine.isValue) {
      other.withdrawUnobserved()
      Step.same(mine)
    } else if (theirs != null && !theirs.isValue) {
      withdrawUnobserved()
      Step.same(theirs)
    } else if (mine != null) {
      val a = mine.value
      other.map(b => (a, b))
    } else if (theirs != null) {
      val b = theirs.value
      map(a => (a, b))
    } else new Zipped(this, other)
  }

  /**
   * The result of the one that completes first, a value or a failure; withdraws from the other. If both are complete,
   * this one's.
   */
  final def race[B >: A](other: Async[B]): Async[B] =
    if (resultOrNull != null) {
      other.withdrawUnobserved()
      this
    } else if (other.resultOrNull != null) {
      withdrawUnobserved()
      other
    } else new Raced[B](this, other)

  /**
   * The result of this if it is complete within `limit`; otherwise fails with `TimedOut` and withdraws, which
   * cancels this unless it has other observers. To be called on the loop.
   */
  final def timeout(limit: FiniteDuration): Async[A] =
    if (resultOrNull != null) this else new Within(Loop.current, this, limit)

  /** The same result, but cancelling it does not cancel this one: for shared values, for example in a cache. */
  final def shield: Async[A] = if (resultOrNull != null) this else new Shielded[A].observe(this)

  /** The same result for other threads. To be called on the loop; the future may be used on any thread. */
  final def toFuture: Future[A] = {
    val result = resultOrNull
    if (result != null) Future.fromTry(result.toTry)
    else {
      val promise = FuturePromise[A]()
      onComplete(t => { promise.complete(t); () })
      promise.future
    }
  }
}

/** The failure of a cancelled `Async`. */
final class Cancelled extends RuntimeException("cancelled", null, false, false)

/** The failure of an `Async` that was not complete within `limit`. It has no stack trace, because it is never thrown. */
final class TimedOut(val limit: FiniteDuration)
    extends RuntimeException(s"not complete within $limit", null, false, false)

/**
 * An `Async` that is complete, and the form in which others keep their result.
 *
 * One small object, so that an immediate answer costs no more than that: `map` and `flatMap` call their function at
 * once, and a holder may read the result without registering an observer.
 */
private[needletail] sealed abstract class Result[+A] extends Async[A] {

  /** Whether it is a value, not a failure. */
  def isValue: Boolean

  /** The value; throws the error if this is a failure. */
  def value: A

  /** The error, or null if this is a value. */
  def error: Throwable

  def toTry: Try[A]

  final private[needletail] def resultOrNull: Result[A] = this
  final private[async] def withdrawUnobserved(): Unit   = ()
  final def cancel(): Unit                              = ()
}

private[needletail] final class Value[+A](val value: A) extends Result[A] {
  def isValue: Boolean          = true
  def error: Throwable          = null
  def toTry: Try[A]             = Success(value)
  override def toString: String = s"Async.value($value)"
}

private[needletail] final class Failed(cause: Throwable) extends Result[Nothing] {
  val error: Throwable          = if (cause != null) cause else new NullPointerException("a failure was null")
  def isValue: Boolean          = false
  def value: Nothing            = throw error
  def toTry: Try[Nothing]       = Failure(error)
  override def toString: String = s"Async.fail($error)"
}

private[async] object Result {
  val unit: Value[Unit] = new Value(())

  /** Shared by all that are cancelled: the exception has no stack trace and records no suppressed ones. */
  val cancelled: Failed = new Failed(new Cancelled)

  def of[A](result: Try[A]): Result[A] = result match {
    case Success(value) => new Value(value)
    case Failure(error) => new Failed(error)
  }
}
