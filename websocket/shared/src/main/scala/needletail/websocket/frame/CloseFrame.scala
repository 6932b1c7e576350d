package needletail.websocket.frame

import java.nio.charset.StandardCharsets.UTF_8

/** The payload of close frames (RFC 6455 §5.5.1). */
private[websocket] object CloseFrame {

  /** Throws IllegalArgumentException if the code may not be sent, or the reason is longer than 123 bytes. */
  def payload(code: Int, reason: String): Array[Byte] = {
    if (!CloseCode.isAllowed(code))
      throw new IllegalArgumentException(s"$code is not a code that a close frame may have")
    val text = reason.getBytes(UTF_8)
    if (text.length > 123) throw new IllegalArgumentException("a reason has at most 123 bytes")
    val payload = new Array[Byte](2 + text.length)
    payload(0) = (code >> 8).toByte
    payload(1) = code.toByte
    System.arraycopy(text, 0, payload, 2, text.length)
    payload
  }
}
