package needletail.websocket.socket

import needletail.async.{Async, AsyncPromise}

/** Completes `whenWritable` for all who wait, once there is room again. */
private[socket] final class WritableSignal {
  private var promise: AsyncPromise[Unit] = null // null: nobody waits

  def isAwaited: Boolean = promise != null && !promise.isCompleted

  def await(): Async[Unit] = {
    if (!isAwaited) promise = new AsyncPromise[Unit]
    promise
  }

  def succeed(): Unit = {
    val waiting = promise
    promise = null
    if (waiting != null) {
      waiting.succeed(())
      ()
    }
  }

  def fail(cause: Throwable): Unit = {
    val waiting = promise
    promise = null
    if (waiting != null) {
      waiting.fail(cause)
      ()
    }
  }
}
