package needletail.async

import scala.util.Try

/**
 * An [[Async]] that its owner completes, once, on the loop's own thread.
 *
 * What comes from another thread is handed over by [[Async.callback]] or [[Async.fromFuture]].
 */
final class Promise[A] extends Pending[A] {

  /** What to do on cancellation, the newest first; usually one, so no better structure pays. */
  private var hooks: List[() => Unit] = Nil

  /** Gives the value. False, and nothing happens, when this was complete or cancelled before. */
  def succeed(value: A): Boolean = isOpen && finish(new Value(value))

  /** Gives the error. False, and nothing happens, when this was complete or cancelled before. */
  def fail(error: Throwable): Boolean = isOpen && finish(new Failed(error))

  /** Gives the one or the other. False, and nothing happens, when this was complete or cancelled before. */
  def complete(result: Try[A]): Boolean = isOpen && finish(Result.of(result))

  /**
   * Has `hook` run when this is cancelled before it is complete: by itself, or because nobody who observed
   * it is interested any more. Hooks run in order, after the failure is set and before observers learn of it;
   * at once when this is cancelled already.
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
