package needletail.http

/** Writes response heads and chunk frames (RFC 9112 §4, §7.1). */
private[needletail] object ResponseEncoder {

  /** A head up to, not with, the fields that differ from one sending to the next, or some lines of it; safe to publish by a race. */
  final class Rendered(val bytes: Array[Byte])

  /** How the content of a response is framed. */
  final val Fixed      = 0
  final val Chunked    = 1
  final val UntilClose = 2

  private def latin1(s: String): Array[Byte] = s.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1)

  private val closeLine   = latin1("Connection: close\r\n")
  private val keepLine    = latin1("Connection: keep-alive\r\n")
  private val chunkedLine = latin1("Transfer-Encoding: chunked\r\n")
  private val lengthName  = latin1("Content-Length: ")
  private val noContent   = latin1("Content-Length: 0\r\n")
  private val crLf        = latin1("\r\n")
  val continueLine        = latin1("HTTP/1.1 100 Continue\r\n\r\n")
  val lastChunk           = latin1("0\r\n\r\n")

  private val statusLines: Array[Array[Byte]] = new Array(600)

  private def statusLine(status: Status): Array[Byte] = {
    val known = statusLines(status.code)
    if (known != null) known else latin1(s"HTTP/1.1 ${status.code} ${status.reason}\r\n")
  }
  (100 to 599).foreach(code => statusLines(code) = statusLine(Status(code)))

  /** How this response's content goes to a client of that version. */
  def framing(response: Response, minor: Int): Int =
    if (response.content != null || response.sourceLength >= 0 || !response.status.allowsBody) Fixed
    else if (minor >= 1) Chunked
    else UntilClose

  /**
   * Writes the head, with its final empty line.
   *
   * @param common lines every response has, Date, and Server where one is set, and the empty line behind them
   * @param minor the request's minor version
   */
  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit = {
    val ready = response.rendered
    if (ready != null) w.write(ready.bytes)
    else {
      val from = w.length
      fields(w, response)
      if (response.source == null) {
        if (response.sentBefore)
          response.rendered = new Rendered(java.util.Arrays.copyOfRange(w.bytes, from, w.length))
        else response.sentBefore = true
      } else if (framing(response, minor) == Chunked) w.write(chunkedLine)
    }
    if (keepAlive && minor != 0) w.write(common)
    else {
      w.write(common, 0, common.length - 2)
      w.write(if (keepAlive) keepLine else closeLine)
      w.write(crLf)
    }
  }

  private def fields(w: ByteWriter, response: Response): Unit = {
    w.write(statusLine(response.status))
    ownFields(w, response)
  }

  /** The lines that are this response's own: its headers, and Content-Length where its length is known. */
  def ownFields(w: ByteWriter, response: Response): Unit = {
    lines(w, response.headers)
    // 204 and 1xx must not have it (RFC 9110 §8.6); on 304 it would be the length of what is not sent
    if (response.status.allowsBody) {
      val length = if (response.content != null) response.content.length.toLong else response.sourceLength
      if (length >= 0) {
        w.write(lengthName)
        w.writeDecimal(length)
        w.writeCrLf()
      }
    } else if (response.status.code == 205) w.write(noContent) // RFC 9110 §15.3.6
  }

  /** Responses made anew often share their headers: a media type, a policy. */
  private def lines(w: ByteWriter, headers: Headers): Unit = {
    val ready = headers.rendered
    if (ready != null) w.write(ready.bytes)
    else {
      val from = w.length
      val flat = headers.flat
      var i    = 0
      while (i < flat.length) {
        if (!Ascii.same(flat(i), "date")) w.writeField(flat(i), flat(i + 1)) // `common` has that
        i += 2
      }
      if (headers.sentBefore)
        headers.rendered = new Rendered(java.util.Arrays.copyOfRange(w.bytes, from, w.length))
      else headers.sentBefore = true
    }
  }

  /** Begins a chunk of `size` octets; they follow, then CRLF. */
  def chunkHead(w: ByteWriter, size: Int): Unit = {
    w.writeHex(size)
    w.writeCrLf()
  }
}
