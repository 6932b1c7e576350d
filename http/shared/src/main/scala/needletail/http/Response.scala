package needletail.http

import needletail.async.Async

/** What a handler answers: a [[Response]], or one that comes later. */
sealed abstract class Reply {

  /** The response when it is there. */
  def toAsync: Async[Response] = this match {
    case response: Response => Async.value(response)
    case later: Reply.Later => later.response
  }

  /** The reply with `f` applied to its response; failures stay failures. */
  def map(f: Response => Response): Reply = this match {
    case response: Response => f(response)
    case later: Reply.Later => new Reply.Later(later.response.map(f))
  }
}

object Reply {

  /** A reply that comes later, on the loop that serves the request. */
  final class Later(val response: Async[Response]) extends Reply

  implicit def later(response: Async[Response]): Reply = new Later(response)
}

/**
 * A response: status, headers, content. Immutable; a constant may be sent any number of times, and is rendered
 * once.
 *
 * How long the content is and how it is framed is the server's business: Content-Length, Transfer-Encoding
 * and Connection can't be set as headers (`close` ends the connection after this reply). A Date set here is left
 * out: every reply has the server's own.
 */
final class Response private (
    val status: Status,
    val headers: Headers,
    private[needletail] val content: Array[Byte], // null where the content is a stream
    private[needletail] val source: ByteStream,   // null where it is not
    private[needletail] val sourceLength: Long,   // -1 where only the stream's end will tell
    private[needletail] val closes: Boolean
) extends Reply {

  /**
   * The encoder's copy of the rendered head, made when this response is sent for the second time. Loops that share a
   * constant find each other's copy here: volatile, as a final field alone publishes nothing on Native (decision 22).
   * Not set to null, which would be a volatile store for each response.
   */
  @volatile private[needletail] var rendered: ResponseEncoder.Rendered = _
  private[needletail] var sentBefore: Boolean = false // loops may see it late, or both render

  private def copy(
      status: Status = status,
      headers: Headers = headers,
      content: Array[Byte] = content,
      source: ByteStream = source,
      sourceLength: Long = sourceLength,
      closes: Boolean = closes
  ): Response = new Response(status, headers, content, source, sourceLength, closes)

  def withStatus(status: Status): Response = copy(status = Response.checked(status))

  /** Adds a header. Throws IllegalArgumentException for one that would split or misframe the message. */
  def header(name: String, value: String): Response = {
    Response.refuseFraming(name, value)
    copy(headers = headers.add(name, value))
  }

  /** Sets a header in place of all others of that name. */
  def setHeader(name: String, value: String): Response = {
    Response.refuseFraming(name, value)
    copy(headers = headers.set(name, value))
  }
  def withHeaders(more: Headers): Response = {
    more.toList.foreach { case (name, value) => Response.refuseFraming(name, value) }
    copy(headers = headers ++ more)
  }

  /** Adds a Set-Cookie header. */
  def cookie(cookie: Cookie): Response = header("Set-Cookie", cookie.render)

  /** The media type, in place of what was set before. */
  def contentType(value: String): Response = copy(headers =
    // most responses have no other header, and of the usual types the line is rendered once
    if (headers.isEmpty) MediaType.headers(value) else headers.setKnown("Content-Type", value)
  )

  /** With this text, as UTF-8; text/plain unless another type is set. */
  def text(content: String): Response =
    asText.copy(content = Utf8Text.encode(content), source = null)

  /** With these octets; the array must not change afterwards. */
  def bytes(content: Array[Byte]): Response = copy(content = content, source = null)

  /** With a stream of unknown length: chunked to HTTP/1.1, until the connection's end to HTTP/1.0. */
  def stream(content: ByteStream): Response = copy(content = null, source = content, sourceLength = -1)

  /** With a stream of just `length` octets; one that yields another number breaks the connection. */
  def stream(content: ByteStream, length: Long): Response = {
    require(length >= 0, "length must not be negative")
    copy(content = null, source = content, sourceLength = length)
  }

  /** Ends the connection once this is sent. */
  def close: Response = copy(closes = true)

  /** The whole content, for tests and for those who measure; a stream is read. */
  def body: Body = if (content != null) Body.of(content) else Body.streamed(source, sourceLength)

  private def asText: Response =
    if (headers.isEmpty) contentType(MediaType.Text)
    else if (headers.contains("Content-Type")) this
    else copy(headers = headers.add("Content-Type", MediaType.Text))

  override def toString: String = s"Response($status)"
}

object Response {
  private val none  = new Array[Byte](0)
  private val usual = Response(Status.Ok)

  /** A response without content. The status must be final, 200 to 599. */
  def apply(status: Status): Response = new Response(checked(status), Headers.empty, none, null, -1, false)

  def ok: Response               = usual
  def ok(text: String): Response = ok.text(text)
  def notFound: Response         = Response(Status.NotFound)

  private def checked(status: Status): Status = {
    if (status.code < 200) throw new IllegalArgumentException(s"$status is not a final status")
    status
  }

  private def refuseFraming(name: String, value: String): Unit = {
    val upgrades = Ascii.same(value, "upgrade") // the connection option that goes with Upgrade, RFC 9110 §7.8
    if (
      Ascii.same(name, "content-length") || Ascii.same(name, "transfer-encoding") ||
      (Ascii.same(name, "connection") && !upgrades)
    )
      throw new IllegalArgumentException(
        s"the server sets $name itself; use stream(content, length) or close"
      )
  }
}
