package needletail.websocket.socket

import needletail.async.{Async, AsyncPromise}
import needletail.http.Tunnel

/** Whether there is room for what a WebSocket sends, and who waits until there is. Used on its loop. */
private[socket] final class WritableSignal(socket: WebSocket, tunnel: Tunnel) {
  private var promise: AsyncPromise[Unit] = null // null: nobody waits

  /** Whether no more than allowed waits for the peer. */
  def hasRoom: Boolean = socket.pendingBytes <= socket.mostUnsent

  private def isAwaited: Boolean = promise != null && !promise.isCompleted

  /** Completes once there is room. */
  def await(): Async[Unit] =
    if (hasRoom) Async.unit
    else {
      if (!isAwaited) {
        tunnel.wake() // the pending output may be this turn's own, which the kernel takes at its end
        promise = new AsyncPromise[Unit]
      }
      promise
    }

  /** Tells those who wait, if there is room now. In a turn. */
  def look(): Unit = if (isAwaited) {
    if (!hasRoom) tunnel.flush()
    if (hasRoom) {
      val _ = take().succeed(())
    }
  }

  /** There will be no room any more. */
  def fail(cause: Throwable): Unit = if (promise != null) {
    val _ = take().fail(cause)
  }

  private def take(): AsyncPromise[Unit] = {
    val waiting = promise
    promise = null
    waiting
  }
}
