package needletail.websocket.frame

/** The types of frames (RFC 6455 §5.2, §11.8). */
private[needletail] object Opcode {
  final val Continuation = 0
  final val Text         = 1
  final val Binary       = 2
  final val Close        = 8
  final val Ping         = 9
  final val Pong         = 10

  /** The first bit of control frames. */
  final val Control = 8

  def isKnown(opcode: Int): Boolean = opcode <= Binary || opcode >= Close && opcode <= Pong
}
