package needletail.http

/** A response's parsed head: offsets into the bytes that came in. Mutable and reused by whoever parses. */
private[needletail] final class ResponseHead extends MessageHead {

  /** The status code, 100 to 599. */
  var code: Int = 0

  /** Does the content end where the connection does? (RFC 9112 §6.3, 8) */
  def untilClose: Boolean = contentLength < 0 && !chunked

  /** Begins on another response: nothing of the last one is left. */
  def clear(): Unit = {
    code = 0
    minor = 1
    contentLength = 0
    chunked = false
    keepAlive = true
    length = 0
    clearFields()
  }
}
