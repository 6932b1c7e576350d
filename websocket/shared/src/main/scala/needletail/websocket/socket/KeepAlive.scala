package needletail.websocket.socket

import needletail.websocket.config.WebSocketConfig

/** When a silent peer is sent a ping, and until when it has to answer. Times in nanoseconds of the tunnel's clock. */
private[socket] final class KeepAlive(config: WebSocketConfig, now: Long) {
  import KeepAlive._

  private var heardAt = now
  private var awaits  = false

  /** Something has arrived, or could not be read. */
  def heard(now: Long): Unit = {
    heardAt = now
    awaits = false
  }

  /**
   * What to do now, when time has passed.
   *
   * @param isHeldBack whether nothing is read from the peer, so that no answer would be noticed
   * @param hasTaken whether the peer has taken all that was sent
   */
  def timePassed(now: Long, isHeldBack: Boolean, hasTaken: Boolean): Int = {
    val isDue = dueAt <= now
    if (isHeldBack) {
      heard(now)
      if (isDue && hasTaken) Ping else Nothing // if the peer is gone, TCP finds out
    } else if (!isDue) Nothing
    else if (awaits) GiveUp
    else {
      heardAt = now
      awaits = true
      Ping
    }
  }

  /** When to send a ping, or to stop waiting for the answer; `Long.MaxValue` without pings. */
  def dueAt: Long =
    if (config.pingNanos == 0) Long.MaxValue
    else heardAt + (if (awaits) config.pingTimeoutNanos else config.pingNanos)
}

private[socket] object KeepAlive {

  // what to do
  final val Nothing = 0
  final val Ping    = 1
  final val GiveUp  = 2 // the peer has not answered
}
