package needletail.async

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration.FiniteDuration
import scala.concurrent.{Future, Promise => FuturePromise}
import scala.util.{Failure, Try}

/** The object `Async`: ways to make an `Async`. */
object AsyncFactories {

  /** An `Async` that is complete with `()`. */
  val unit: Async[Unit] = Result.unit

  /** An `Async` that is complete with `value`. */
  def value[A](value: A): Async[A] = new Value(value)

  /** An `Async` that has failed with `error`. */
  def fail(error: Throwable): Async[Nothing] = new Failed(error)

  /** An `Async` that is complete with `result`. */
  def fromTry[A](result: Try[A]): Async[A] = Result.of(result)

  /** Evaluates `body` now; a non-fatal exception becomes a failure. */
  def attempt[A](body: => A): Async[A] =
    try new Value(body)
    catch { case Survivable(e) => new Failed(e) }

  /** Evaluates `body` now and returns its `Async`; a non-fatal exception becomes a failure. */
  def defer[A](body: => Async[A]): Async[A] =
    try Step.nonNull(body)
    catch { case Survivable(e) => new Failed(e) }

  /** Completes after `duration`, not earlier; as `yieldNow` if that is not positive. To be called on a loop. */
  def sleep(duration: FiniteDuration): Async[Unit] =
    if (duration.length <= 0) yieldNow else new Sleep(Loop.current, duration.toNanos)

  /**
   * Completes in the loop's next turn: everything that is ready by then, such as other connections, runs first. For
   * long work that can be done in parts. To be called on a loop.
   */
  def yieldNow: Async[Unit] = new Yield(Loop.current)

  /**
   * All values, in order, computed concurrently. The first failure becomes the result and withdraws from the others.
   */
  def all[A](asyncs: Seq[Async[A]]): Async[Seq[A]] = Gathered(asyncs)

  /**
   * The results of `f` for all items, in order. At most `parallelism` are in progress at a time: `f` is called for
   * the next item when one is complete. The first failure becomes the result, withdraws from the others that are in
   * way, and `f` is called for no further item; the same if this is cancelled.
   *
   * Throws IllegalArgumentException unless `parallelism` is positive.
   */
  def traverse[A, B](items: Iterable[A], parallelism: Int)(f: A => Async[B]): Async[Seq[B]] = {
    if (parallelism < 1) throw new IllegalArgumentException(s"parallelism must be positive, not $parallelism")
    val traversed = new Traversed[A, B](items.iterator, parallelism, f)
    val result    = traversed.resultOrNull
    if (result == null) traversed else result
  }

  /** The future's result, on the calling loop. Cancelling stops waiting; a future itself cannot be cancelled. */
  def fromFuture[A](future: Future[A]): Async[A] = future.value match {
    case Some(result) => Result.of(result)
    case None => callback(done => future.onComplete(done)(scala.concurrent.ExecutionContext.parasitic))
  }

  /**
   * Converts a callback API: calls `register` at once with a function that takes the result and completes the `Async`
   * on the calling loop. That function may be called on any thread and throws nothing; only its first call counts.
   */
  def callback[A](register: (Try[A] => Unit) => Unit): Async[A] = {
    val loop                         = Loop.current
    val promise                      = new AsyncPromise[A]
    val isCalled                     = new AtomicBoolean // its result may still be on its way to the loop
    def finish(result: Try[A]): Unit = if (promise.complete(result)) loop.outsideResultsChanged(-1)
    loop.outsideResultsChanged(+1)
    promise.onCancel(() => loop.outsideResultsChanged(-1))
    try
      register { result =>
        if (isCalled.compareAndSet(false, true))
          if (loop.inLoop) finish(result)
          else
            try loop.execute(() => finish(result))
            catch { case Survivable(_) => () } // the loop has ended: nothing waits any more
      }
    catch {
      case Survivable(e) =>
        if (promise.isCompleted || !isCalled.compareAndSet(false, true)) loop.unhandled(e)
        else finish(Failure(e))
    }
    promise
  }

  /** Runs `body`, which blocks, on another thread and returns its result on the calling loop: see `Blocking`. */
  def blocking[A](body: => A): Async[A] = Blocking.default(body)

  /**
   * Starts `body` on `loop`, from any thread. If the loop has ended, or ends before the result of `body` is there, fails
   * with RejectedExecutionException. A fatal error of the virtual machine that `body` throws is the future's failure, and
   * ends the loop.
   */
  def run[A](loop: Loop)(body: => Async[A]): Future[A] = {
    val promise = FuturePromise[A]()
    try
      loop.execute { () =>
        try untilEnd(loop, defer(body), promise)
        catch {
          case e: Throwable => // fatal: the loop ends with it
            promise.tryFailure(e)
            throw e
        }
      }
    catch { case Survivable(e) => promise.tryFailure(e) } // the loop has ended
    promise.future
  }

  private def untilEnd[A](loop: Loop, running: Async[A], promise: FuturePromise[A]): Unit = {
    val ended: Runnable = () => {
      promise.tryFailure(new RejectedExecutionException("the event loop ended before the result was there"))
      ()
    }
    if (!running.isCompleted) loop.atEnd(ended)
    running.onComplete { result =>
      loop.notAtEnd(ended)
      promise.tryComplete(result)
      ()
    }
  }
}
