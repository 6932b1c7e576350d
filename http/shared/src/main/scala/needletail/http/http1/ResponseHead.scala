package needletail.http.http1

/** A parsed response head: offsets into the received bytes. Mutable and reused by its parser. */
private[needletail] final class ResponseHead extends MessageHead {

  /** The status code, 100 to 999. */
  var code: Int = 0

  /** Whether the content ends when the connection closes (RFC 9112 §6.3, 8). */
  def untilClose: Boolean = contentLength < 0 && !chunked

  /** Removes all data of the previous response. */
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
