package needletail.websocket.socket

import needletail.websocket.config.WebSocketConfig

/** When a silent peer is sent a ping, and until when it has to answer. Times in nanoseconds of the tunnel's clock. */
private[socket] final class KeepAlive(config: WebSocketConfig, now: Long) {
  private var heardAt = now
  private var awaits  = false

  /** Whether a ping has been sent since something last arrived. */
  def awaitsPong: Boolean = awaits

  /** Something has arrived, or could not be read. */
  def heard(now: Long): Unit = {
    heardAt = now
    awaits = false
  }

  /** A ping is sent. */
  def pinged(now: Long): Unit = {
    heardAt = now
    awaits = true
  }

  /** When to send a ping, or to stop waiting for the answer; `Long.MaxValue` without pings. */
  def dueAt: Long =
    if (config.pingNanos == 0) Long.MaxValue
    else heardAt + (if (awaits) config.pingTimeoutNanos else config.pingNanos)
}
