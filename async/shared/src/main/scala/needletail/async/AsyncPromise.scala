package needletail.async

import scala.util.Try

/**
 * An `Async` that its owner completes, once, on the loop's own thread.
 *
 * Results of other threads are handed over by `Async.callback` or `Async.fromFuture`.
 */
final class AsyncPromise[A] extends Pending[A] {

  /** What to run on cancellation, the newest first. Usually one, so a list is enough. */
  private var hooks: List[() => Unit] = Nil

  /** Completes this with a value. Returns false, without effect, if it is already complete or cancelled. */
  def succeed(value: A): Boolean = isOpen && finish(new Value(value))

  /** Completes this with an error. Returns false, without effect, if it is already complete or cancelled. */
  def fail(error: Throwable): Boolean = isOpen && finish(new Failed(error))

  /** Completes this with a result. Returns false, without effect, if it is already complete or cancelled. */
  def complete(result: Try[A]): Boolean = isOpen && finish(Result.of(result))

  /**
   * Runs `hook` if this is cancelled before it is complete: explicitly, or because all its observers have withdrawn.
   * Hooks run in order, after the failure is set and before observers are called; at once if this is cancelled
   * already.
   */
  def onCancel(hook: () => Unit): Unit =
    if (isOpen) hooks = hook :: hooks
    else if (resultOrNull eq Result.cancelled) Callback.run(hook)

  private def finish(result: Result[A]): Boolean = {
    hooks = Nil
    settle(result)
    true
  }

  override private[async] def release(): Unit = {
    val inOrder = hooks.reverse
    hooks = Nil
    inOrder.foreach(Callback.run)
  }
}
