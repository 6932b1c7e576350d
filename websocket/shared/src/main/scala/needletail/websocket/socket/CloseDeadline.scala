package needletail.websocket.socket

import needletail.http.Tunnel
import needletail.websocket.config.WebSocketConfig

/** Until when the peer has to close, or a listener to take what was kept before the end. */
private[socket] final class CloseDeadline(config: WebSocketConfig, tunnel: Tunnel) {
  private var due       = Long.MaxValue
  private var takenThen = -1L // how far the peer had read; -1 before what was sent then is written

  /** By the tunnel's clock; `Long.MaxValue` before it has begun. */
  def dueAt: Long = due

  /** It begins, or begins anew. */
  def begin(): Unit = {
    due = tunnel.nowNanos + config.closeNanos
    takenThen = -1
  }

  def isOver: Boolean = due <= tunnel.nowNanos

  /** What was sent before it began is written. */
  def written(): Unit = if (takenThen < 0) takenThen = tunnel.outputProgress

  /** Whether the peer has read nothing since then, although there is something. */
  def isIgnored: Boolean =
    tunnel.pendingOutput > 0 && tunnel.outputProgress == takenThen && tunnel.pendingOutput > 0
}
