package needletail.http

/** Writes response heads and chunk frames (RFC 9112 §4, §7.1). */
private[needletail] object ResponseEncoder {

  /**
   * What is the same in every sending, for all loops. Of a response its own lines, the empty line and,
   * where it is short, the content (`contentLength` is -1 where it is not here).
   */
  final class Rendered(val bytes: Array[Byte], val headLength: Int, val contentLength: Int)

  /** Octets of content that are kept behind the head that was rendered, as one piece. */
  final val ShortContent = 1024

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

  private val okLine = latin1("HTTP/1.1 200 OK\r\n")

  /** What `head` and `whole` take for `common`: lines that every response has, each ended by CRLF; Date is one of them. */
  def common(lines: String): Array[Byte] = okLine ++ latin1(lines)

  /** Of registered codes; others are rendered when they are sent, as five hundred at start would cost a CGI program. */
  private val statusLines: Array[Array[Byte]] = {
    val lines = new Array[Array[Byte]](600)
    Status.registered.foreach(status => lines(status.code) = render(status))
    lines
  }

  private def render(status: Status): Array[Byte] = latin1(s"HTTP/1.1 ${status.code} ${status.reason}\r\n")

  private def statusLine(status: Status): Array[Byte] = {
    val known = statusLines(status.code)
    if (known != null) known else render(status)
  }

  /** How this response's content goes to a client of that version. */
  def framing(response: Response, minor: Int): Int =
    if (response.content != null || response.sourceLength >= 0 || !response.status.allowsBody) Fixed
    else if (minor >= 1) Chunked
    else UntilClose

  /**
   * Writes the head, with its final empty line. Date and what else decides about the message come first, as is good
   * practice (RFC 9110 §5.3); what is this response's own follows in one piece.
   *
   * @param common made by the function of that name
   * @param minor the request's minor version
   */
  def head(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Unit = {
    begin(w, response.status, common, minor, keepAlive)
    val ready = response.rendered
    if (ready != null) w.write(ready.bytes, 0, ready.headLength)
    else own(w, response, minor)
  }

  /**
   * Writes head and content where they have been rendered as one, and answers how many octets the content has; else
   * writes nothing and answers -1.
   */
  def whole(w: ByteWriter, response: Response, common: Array[Byte], minor: Int, keepAlive: Boolean): Int = {
    val ready = response.rendered
    if (ready == null || ready.contentLength < 0) -1
    else {
      begin(w, response.status, common, minor, keepAlive)
      w.write(ready.bytes)
      ready.contentLength
    }
  }

  @inline private def begin(
      w: ByteWriter,
      status: Status,
      common: Array[Byte],
      minor: Int,
      keepAlive: Boolean
  ): Unit = {
    if (status.code == 200) w.write(common)
    else {
      w.write(statusLine(status))
      w.write(common, okLine.length, common.length - okLine.length)
    }
    if (!keepAlive) w.write(closeLine)
    else if (minor == 0) w.write(keepLine)
  }

  private def own(w: ByteWriter, response: Response, minor: Int): Unit = {
    val from = w.length
    ownFields(w, response)
    if (response.source != null) {
      if (framing(response, minor) == Chunked) w.write(chunkedLine)
      w.write(crLf)
    } else {
      w.write(crLf)
      if (response.sentBefore) response.rendered = rendered(response, w.bytes, from, w.length)
      else response.sentBefore = true
    }
  }

  private def rendered(response: Response, bytes: Array[Byte], from: Int, until: Int): Rendered = {
    val length = if (response.status.allowsBody) response.content.length else 0
    val all    = length <= ShortContent
    val copy   = java.util.Arrays.copyOfRange(bytes, from, until + (if (all) length else 0))
    if (all) System.arraycopy(response.content, 0, copy, until - from, length)
    new Rendered(copy, until - from, if (all) length else -1)
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
        headers.rendered = new Rendered(java.util.Arrays.copyOfRange(w.bytes, from, w.length), 0, -1)
      else headers.sentBefore = true
    }
  }

  /** Begins a chunk of `size` octets; they follow, then CRLF. */
  def chunkHead(w: ByteWriter, size: Int): Unit = {
    w.writeHex(size)
    w.writeCrLf()
  }
}
