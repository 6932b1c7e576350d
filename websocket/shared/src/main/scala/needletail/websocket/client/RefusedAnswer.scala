package needletail.websocket.client

import needletail.http.http1.{ContentDecoder, ResponseHead}
import needletail.http.text.ByteWriter
import needletail.websocket.socket.WebSocketRefused

/** A server's answer that opens no WebSocket. Its body, which may say why, is read up to a bound. */
private[client] final class RefusedAnswer(
    head: ResponseHead,
    message: String,
    config: WebSocketClientConfig
) {
  import RefusedAnswer._

  private val status  = head.code
  private val headers = head.toHeaders
  private val content = new ContentDecoder(config.maxHead, MaxTrailerFields)
  private val body    = new ByteWriter(256)
  content.begin(head, ContentDecoder.Unlimited)

  /** Whether there is no more to read. */
  def isComplete: Boolean = content.isComplete || content.error != null || body.length == MaxBody

  /** Reads what has come of the body. Returns the index up to which the bytes are used. */
  def read(bytes: Array[Byte], from: Int, until: Int): Int = {
    var at = from
    var go = true
    while (go && at < until && !isComplete) {
      at = content.decode(bytes, at, until)
      val n = content.dataUntil - content.dataFrom
      body.write(bytes, content.dataFrom, Math.min(n, MaxBody - body.length))
      go = n > 0
    }
    at
  }

  def failure: WebSocketRefused =
    new WebSocketRefused(status, message, headers, java.util.Arrays.copyOf(body.bytes, body.length))
}

private[client] object RefusedAnswer {
  final val MaxBody                  = 64 * 1024
  private final val MaxTrailerFields = 100
}
