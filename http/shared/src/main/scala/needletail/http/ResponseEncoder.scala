package needletail.http

import needletail.http.message.{Headers, Rendered, Status}
import needletail.http.text.{Ascii, ByteWriter}

/** Writes response heads and chunk frames (RFC 9112 §4, §7.1). */
private[needletail] object ResponseEncoder {

  /** Content up to this many bytes is kept with the rendered head, as one array. */
  final val ShortContent = 1024

  /** The framings of a response's content. */
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

  /** The argument `common` of `head` and `whole`: lines that every response has, each ended by CRLF, including Date. */
  def common(lines: String): Array[Byte] = okLine ++ latin1(lines)

  /** Of registered codes. Others are rendered when sent: rendering five hundred at startup would cost a CGI program. */
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

  /** How this response's content is framed for a client of HTTP/1.`minor`. */
  def framing(response: Response, minor: Int): Int =
    if (response.content != null || response.sourceLength >= 0 || !response.status.allowsBody) Fixed
    else if (minor >= 1) Chunked
    else UntilClose

  /**
   * Writes the head, including its final empty line. Date and other fields about the message come first, as is good
   * practice (RFC 9110 §5.3); the response's own fields follow.
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
   * Writes head and content if they have been rendered together, and returns the length of the content in bytes; else
   * writes nothing and returns -1.
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

  /** Writes the response's own lines: its headers, and Content-Length if the length is known. */
  def ownFields(w: ByteWriter, response: Response): Unit = {
    lines(w, response.headers)
    // not allowed in 204 and 1xx (RFC 9110 §8.6); in 304 it would be the length of content that is not sent
    if (response.status.allowsBody) {
      val length = if (response.content != null) response.content.length.toLong else response.sourceLength
      if (length >= 0) {
        w.write(lengthName)
        w.writeDecimal(length)
        w.writeCrLf()
      }
    } else if (response.status.code == 205) w.write(noContent) // RFC 9110 §15.3.6
  }

  /** New responses often share their headers, such as a media type. */
  private def lines(w: ByteWriter, headers: Headers): Unit = {
    val ready = headers.rendered
    if (ready != null) w.write(ready.bytes)
    else {
      val from = w.length
      val flat = headers.flat
      var i    = 0
      while (i < flat.length) {
        if (!Ascii.same(flat(i), "date")) w.writeField(flat(i), flat(i + 1)) // `common` has Date
        i += 2
      }
      if (headers.sentBefore)
        headers.rendered = new Rendered(java.util.Arrays.copyOfRange(w.bytes, from, w.length), 0, -1)
      else headers.sentBefore = true
    }
  }

  /** Begins a chunk of `size` bytes; the bytes and a CRLF must follow. */
  def chunkHead(w: ByteWriter, size: Int): Unit = {
    w.writeHex(size)
    w.writeCrLf()
  }
}
