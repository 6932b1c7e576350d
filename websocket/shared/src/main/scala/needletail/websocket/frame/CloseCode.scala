package needletail.websocket.frame

/** Why a WebSocket is closed (RFC 6455 §7.4). Applications have 3000 to 4999; from 4000 on nothing is registered. */
object CloseCode {

  /** The purpose of the connection is fulfilled. */
  final val Normal = 1000

  /** A server goes down, or a page is left. */
  final val GoingAway = 1001

  /** The peer breaks the protocol. */
  final val ProtocolError = 1002

  /** A kind of message that is not taken, such as binary ones. */
  final val Unsupported = 1003

  /** A message with invalid content, such as text that is not UTF-8. */
  final val InvalidPayload = 1007

  /** For any other rule of the application. */
  final val Policy = 1008

  /** A message is larger than is taken. */
  final val MessageTooBig = 1009

  /** The server has failed. */
  final val InternalError = 1011

  /** The server restarts: the client may connect again. */
  final val ServiceRestart = 1012

  /** The server has no room for it now. */
  final val TryAgainLater = 1013

  /** Reported, never sent: the peer closed without a code. */
  final val NoStatus = 1005

  /** Reported, never sent: the connection ended without a close frame. */
  final val Abnormal = 1006

  /** Whether a close frame may have it. */
  def isAllowed(code: Int): Boolean =
    code >= 1000 && code <= 1003 || code >= 1007 && code <= 1014 || code >= 3000 && code <= 4999
}
