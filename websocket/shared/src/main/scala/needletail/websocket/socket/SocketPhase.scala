package needletail.websocket.socket

/** The phases of a WebSocket, in this order. */
private[socket] object SocketPhase {
  final val Opening = 0
  final val Open    = 1

  /** A close frame has been sent. */
  final val Closing = 2

  /** Close frames have been sent and received. */
  final val Closed = 3

  final val Over = 4
}
