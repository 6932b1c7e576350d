package needletail.websocket.frame

/** Why a WebSocket is closed (RFC 6455 §7.4). Applications have 3000 to 4999; from 4000 on nothing is registered. */
object CloseCode {
  final val Normal         = 1000
  final val GoingAway      = 1001
  final val ProtocolError  = 1002
  final val Unsupported    = 1003
  final val InvalidPayload = 1007
  final val Policy         = 1008
  final val MessageTooBig  = 1009
  final val InternalError  = 1011
  final val ServiceRestart = 1012
  final val TryAgainLater  = 1013

  /** Reported, never sent: the peer closed without a code. */
  final val NoStatus = 1005

  /** Reported, never sent: the connection ended without a close frame. */
  final val Abnormal = 1006

  /** Whether a close frame may have it. */
  def isAllowed(code: Int): Boolean =
    code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
}
