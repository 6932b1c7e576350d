package needletail.client

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.http.{ByteWriter, Headers, Method}

/** Writes request heads (RFC 9112 §3, §5). */
private[client] object RequestEncoder {

  /** Content up to this size is copied behind its head and goes out with it. */
  final val CopyLimit = 16 * 1024

  private def latin1(s: String) = s.getBytes(ISO_8859_1)

  private val chunkedLine = latin1("Transfer-Encoding: chunked\r\n")
  private val lengthName  = latin1("Content-Length: ")
  private val expectLine  = latin1("Expect: 100-continue\r\n")

  /** The request line and all fields but those of the content; what ends the head is still to come. */
  def head(w: ByteWriter, method: Method, target: String, host: Host, headers: Headers): Unit = {
    w.writeLatin1(method.name)
    w.writeByte(' ')
    w.writeLatin1(target)
    w.write(if (headers.nonEmpty && headers.contains("Host")) host.afterTargetNoHost else host.afterTarget)
    val flat = headers.flat
    var i    = 0
    while (i < flat.length) {
      w.writeField(flat(i), flat(i + 1))
      i += 2
    }
  }

  /** Says how the content is framed: by its length, or in chunks where that is below 0. */
  def announce(w: ByteWriter, length: Long, continue: Boolean): Unit = {
    if (length < 0) w.write(chunkedLine)
    else {
      w.write(lengthName)
      w.writeDecimal(length)
      w.writeCrLf()
    }
    if (continue) w.write(expectLine)
  }

  /** Does the method lead one to expect content, so that a length of 0 is worth saying? (RFC 9110 §8.6) */
  def expectsContent(method: Method): Boolean =
    (method eq Method.POST) || (method eq Method.PUT) || (method eq Method.PATCH)
}
