package needletail.client.call

import java.nio.charset.StandardCharsets.ISO_8859_1

import needletail.client.pool.Host
import needletail.http.message.{Headers, Method}
import needletail.http.text.{Ascii, ByteWriter}

/** Writes request heads (RFC 9112 §3, §5). */
private[client] object RequestEncoder {

  /** Largest content, in bytes, that is copied after its head and sent with it in one write. */
  final val CopyLimit = 16 * 1024

  private def latin1(s: String) = s.getBytes(ISO_8859_1)

  private val chunkedLine = latin1("Transfer-Encoding: chunked\r\n")
  private val lengthName  = latin1("Content-Length: ")
  private val expectLine  = latin1("Expect: 100-continue\r\n")

  /** The request line and all fields except those that announce the content. The empty line is not written. */
  def head(w: ByteWriter, method: Method, target: String, host: Host, headers: Headers): Unit = {
    w.writeLatin1(method.name)
    w.writeByte(' ')
    w.write(host.beforePath)
    w.writeLatin1(target)
    w.write(host.afterTarget(headers))
    val flat = headers.flat
    var i    = 0
    while (i < flat.length) {
      if (!host.authorizesAtProxy || !Ascii.same(flat(i), "Proxy-Authorization"))
        w.writeField(flat(i), flat(i + 1))
      i += 2
    }
  }

  /** The fields that announce the content: its length, or the chunked coding if `length` is negative. */
  def announce(w: ByteWriter, length: Long, continue: Boolean): Unit = {
    if (length < 0) w.write(chunkedLine)
    else {
      w.write(lengthName)
      w.writeDecimal(length)
      w.writeCrLf()
    }
    if (continue) w.write(expectLine)
  }

  /** Whether requests of that method usually have content, so that a length of 0 is announced (RFC 9110 §8.6). */
  def expectsContent(method: Method): Boolean =
    (method eq Method.POST) || (method eq Method.PUT) || (method eq Method.PATCH)
}
