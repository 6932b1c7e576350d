package needletail.async

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{Future, Promise => FuturePromise}
import scala.util.{Failure, Success, Try}

/**
 * A value, or a failure, that comes later, on the loop that asked for it.
 *
 * It is completed and observed on one thread, the loop's, so nothing here is synchronised and no execution
 * context is passed; to observe it from another thread is a mistake that is not detected (see `toFuture`). A
 * non-fatal exception of a function given to it becomes a failure. What is complete already is treated at
 * once: `map` on it has called its function before it returns. What completes while observers are being told
 * of another completion is told after that, so neither long chains nor deep recursion through `flatMap`
 * need stack; a loop that ends in `flatMap` needs no memory that grows.
 *
 * '''Cancelling.''' What nobody needs any more should stop. Cancelling a value fails it with [[Cancelled]]
 * and withdraws its interest in what it was made from; a value whose last observer has withdrawn is
 * cancelled in turn, up to the promise, timer or blocking work where it all began. `onComplete`, `foreach`
 * and `toFuture` observe to the end and never withdraw.
 */
abstract class Async[+A] private[async] () {

  /** The result when it is there, else `null`: for those who serve requests, before they register for it. */
  private[needletail] def resultOrNull: Result[A]

  /** Cancels this one if nobody observes it. */
  private[async] def withdrawUnobserved(): Unit

  /** Fails this with [[Cancelled]] and stops what it waits for, unless it is complete; may be repeated. */
  def cancel(): Unit

  final def isCompleted: Boolean = resultOrNull != null

  /** The result if it is there already. */
  final def poll: Option[Try[A]] = {
    val result = resultOrNull
    if (result == null) None else Some(result.toTry)
  }

  /** Calls `f` with the result, once, now or later. What `f` throws goes to the loop, which logs it. */
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

  final def map[B](f: A => B): Async[B] = {
    val result = resultOrNull
    if (result == null) new Mapped(f).observe(this) else Step.map(f, result)
  }

  final def flatMap[B](f: A => Async[B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new FlatMapped(f).observe(this)
    else if (result.isValue) Trampoline.here.call(f, result.value)
    else Step.same(result)
  }

  /** The value where `p` holds for it, else a failure with a `NoSuchElementException`. */
  final def withFilter(p: A => Boolean): Async[A] = {
    val result = resultOrNull
    if (result == null) new Filtered(p).observe(this) else Step.filter(p, result)
  }

  /** Turns the failures that `f` is defined for into values. */
  final def recover[B >: A](f: PartialFunction[Throwable, B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new Recovered[B](f).observe(this) else Step.recover(f, result)
  }

  /** Has another value take the place of the failures that `f` is defined for. */
  final def recoverWith[B >: A](f: PartialFunction[Throwable, Async[B]]): Async[B] = {
    val result = resultOrNull
    if (result == null) new RecoveredWith[B](f).observe(this)
    else if (result.isValue) result
    else
      Trampoline.here.call[Throwable, B](e => f.applyOrElse(e, (_: Throwable) => result), result.error)
  }

  /** Goes on with what `f` makes of the value or the failure. */
  final def transform[B](f: Try[A] => Async[B]): Async[B] = {
    val result = resultOrNull
    if (result == null) new Transformed(f).observe(this) else Trampoline.here.call(f, result.toTry)
  }

  /** Runs `cleanUp` when this has a value, fails or is cancelled; the result stays unless `cleanUp` throws. */
  final def andFinally(cleanUp: => Unit): Async[A] = {
    val result = resultOrNull
    val once   = () => cleanUp
    if (result == null) new Finally[A](once).observe(this) else Step.andFinally(once, result)
  }

  /** Both values; both proceed side by side. The first failure is the result and withdraws from the other. */
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

  /** Whichever is complete first, with a value or a failure; withdraws from the other. This one has precedence. */
  final def race[B >: A](other: Async[B]): Async[B] =
    if (resultOrNull != null) {
      other.withdrawUnobserved()
      this
    } else if (other.resultOrNull != null) {
      withdrawUnobserved()
      other
    } else new Raced[B](this, other)

  /**
   * This, if it is complete within `limit`; else fails with [[TimedOut]] and withdraws, so that what nobody
   * else observes is cancelled. To be called on the loop.
   */
  final def within(limit: FiniteDuration): Async[A] =
    if (resultOrNull != null) this else new Within(Loop.current, this, limit)

  /** As this, but cancelling it leaves this one running: for what is shared, in a cache say. */
  final def shield: Async[A] = if (resultOrNull != null) this else new Shielded[A].observe(this)

  /** The same result for other threads. To be called on the loop; the future may be used anywhere. */
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

/** The failure of what was cancelled. */
final class Cancelled extends RuntimeException("cancelled", null, false, false)

/** The failure of what was not complete within `limit`. It carries no stack trace: it was thrown nowhere. */
final class TimedOut(val limit: FiniteDuration)
    extends RuntimeException(s"not complete within $limit", null, false, false)

object Async {

  val unit: Async[Unit] = Result.unit

  def value[A](value: A): Async[A]           = new Value(value)
  def fail(error: Throwable): Async[Nothing] = new Failed(error)
  def fromTry[A](result: Try[A]): Async[A]   = Result.of(result)

  /** What `body` gives, now; a non-fatal exception becomes a failure. */
  def attempt[A](body: => A): Async[A] =
    try new Value(body)
    catch { case Survivable(e) => new Failed(e) }

  /** The `Async` that `body` gives, now; a non-fatal exception becomes a failure. */
  def defer[A](body: => Async[A]): Async[A] =
    try Trampoline.nonNull(body)
    catch { case Survivable(e) => new Failed(e) }

  /** Complete after `duration`, not earlier; needs no thread. As `yieldNow` if it is not positive. To be called on a loop. */
  def sleep(duration: FiniteDuration): Async[Unit] =
    if (duration.length <= 0) yieldNow else new Sleep(Loop.current, duration.toNanos)

  /**
   * Complete in the loop's next turn: whatever is ready by then, other connections above all, goes first. For work that
   * is long but can be done in parts. To be called on a loop.
   */
  def yieldNow: Async[Unit] = new Yield(Loop.current)

  /** All values, in order; all proceed side by side. The first failure is the result and withdraws from the others. */
  def all[A](asyncs: Seq[Async[A]]): Async[Seq[A]] = Gathered(asyncs)

  /** The future's result, brought to the loop that calls. Cancelling stops waiting; a future cannot be stopped. */
  def fromFuture[A](future: Future[A]): Async[A] = future.value match {
    case Some(result) => Result.of(result)
    case None => callback(done => future.onComplete(done)(scala.concurrent.ExecutionContext.parasitic))
  }

  /**
   * For results that come from elsewhere: calls `register` at once with a function that takes the result and
   * brings it to the loop that called. That function may be called from any thread and throws nothing; only
   * its first call counts.
   */
  def callback[A](register: (Try[A] => Unit) => Unit): Async[A] = {
    val loop                         = Loop.current
    val promise                      = new Promise[A]
    def finish(result: Try[A]): Unit = if (promise.complete(result)) ManualLoop.awaitOutside(loop, -1)
    ManualLoop.awaitOutside(loop, +1)
    promise.onCancel(() => ManualLoop.awaitOutside(loop, -1))
    try
      register { result =>
        if (loop.inLoop) finish(result)
        else
          try loop.execute(() => finish(result))
          catch { case Survivable(_) => () } // the loop has ended: nobody waits any more
      }
    catch { case Survivable(e) => finish(Failure(e)) }
    promise
  }

  /** Runs `body`, which blocks, on another thread and brings its result to the loop that calls: see [[Blocking]]. */
  def blocking[A](body: => A): Async[A] = Blocking.default(body)

  /** Starts `body` on `loop`, from any thread. */
  def run[A](loop: Loop)(body: => Async[A]): Future[A] = {
    val promise = FuturePromise[A]()
    try loop.execute(() => defer(body).onComplete(t => { promise.complete(t); () }))
    catch { case Survivable(e) => promise.tryFailure(e) } // a loop that has ended takes no more
    promise.future
  }
}
