package needletail.http

import needletail.async.Async
import needletail.http.message.{Cookie, Headers, HttpError, MediaType, Rendered, Status}
import needletail.http.text.{Ascii, Utf8Text}

/** What a handler returns: a [[Response]], or one that will be available later. */
sealed abstract class Reply {

  /** The response, as an `Async` that may be complete already. */
  def toAsync: Async[Response] = this match {
    case response: Response => Async.value(response)
    case later: Reply.Later => later.response
  }

  /** The reply with `f` applied to its response; a failure stays as it is. */
  def map(f: Response => Response): Reply = this match {
    case response: Response => f(response)
    case later: Reply.Later => new Reply.Later(later.response.map(f))
  }
}

/** After the conversion of an `Async[Response]`, which is an `Async[Reply]` as well. */
private[http] sealed trait LaterReply {

  /** Converts an `Async` of a reply that may itself be available later. */
  implicit def laterReply[R <: Reply](reply: Async[R]): Reply =
    new Reply.Later(if (reply == null) null else reply.flatMap(_.toAsync))
}

object Reply extends LaterReply {

  /** A response that will be available later, on the event loop that serves the request. Null counts as a failure. */
  final class Later(result: Async[Response]) extends Reply {
    val response: Async[Response] =
      if (result != null) result
      else Async.fail(new NullPointerException("a handler returned null instead of an Async"))
  }

  /** Converts an `Async` to a reply. */
  implicit def later(response: Async[Response]): Reply = new Later(response)
}

/**
 * A response: status, headers, content. Immutable; a constant may be sent any number of times, and is rendered
 * once.
 *
 * The server frames the content: Content-Length, Transfer-Encoding and Connection cannot be set as headers (`close`
 * ends the connection after this response). A Date set here is left out, as every response has the server's.
 */
final class Response private (
    val status: Status,
    val headers: Headers,
    private[needletail] val content: Array[Byte], // null if the content is a stream
    private[needletail] val source: ByteStream,   // null if it is not
    private[needletail] val sourceLength: Long,   // -1 if the stream's length is not known
    private[needletail] val closes: Boolean,
    // whether a server of this program refuses by it, or says by it that it has waited for too long
    private[needletail] val isRefusal: Boolean
) extends Reply {

  /**
   * The encoder's copy of the rendered head, made when this response is sent for the second time. Loops that share a
   * constant see each other's copy. `Rendered` is published by a volatile write, as a final field alone publishes
   * nothing on Native (decision 22). Not set to null, which would be a volatile write for each response.
   */
  @volatile private[needletail] var rendered: Rendered = _
  private[needletail] var sentBefore: Boolean          = false // loops may see it late, or both render

  private def copy(
      status: Status = status,
      headers: Headers = headers,
      content: Array[Byte] = content,
      source: ByteStream = source,
      sourceLength: Long = sourceLength,
      closes: Boolean = closes,
      isRefusal: Boolean = isRefusal
  ): Response = new Response(status, headers, content, source, sourceLength, closes, isRefusal)

  /** Marks it, and what is made of it by adding to it, as a refusal. No field can: others' responses may have any. */
  private[needletail] def asRefusal: Response = copy(isRefusal = true)

  /** Sets the status, which must be final, 200 to 599; else IllegalArgumentException. */
  def withStatus(status: Status): Response = copy(status = Response.checked(status))

  /**
   * Adds a header, keeping others of that name; Content-Type, of which there can be one only, is replaced. Throws
   * IllegalArgumentException for a malformed one and for those that the server sets.
   */
  def header(name: String, value: String): Response =
    if (Ascii.same(name, "Content-Type")) setHeader(name, value)
    else {
      Response.refuseFraming(name, value)
      copy(headers = headers.add(name, value))
    }

  /** Sets a header, replacing all others of that name. Throws as `header` does. */
  def setHeader(name: String, value: String): Response = {
    Response.refuseFraming(name, value)
    copy(headers = headers.set(name, value))
  }

  /** Removes all headers of that name. */
  def withoutHeader(name: String): Response = copy(headers = headers.remove(name))

  /** Adds headers as `header` does, one after the other. */
  def withHeaders(more: Headers): Response =
    if (more.hasContentType) more.toList.foldLeft(this) { case (all, (name, value)) =>
      all.header(name, value)
    }
    else {
      more.foreach((name, value) => Response.refuseFraming(name, value))
      copy(headers = headers ++ more)
    }

  /** Adds headers, without those that the server sets. */
  private def withOwn(more: Headers): Response = {
    var own     = headers
    var isClose = closes
    more.foreach { (name, value) =>
      if (!Response.isFraming(name, value)) own = own.add(name, value)
      else if (Ascii.same(name, "connection") && Ascii.same(value, "close")) isClose = true
    }
    copy(headers = own, closes = isClose)
  }

  /** Adds a Set-Cookie header. */
  def cookie(cookie: Cookie): Response = header("Set-Cookie", cookie.render)

  /** Sets Content-Type. */
  def contentType(value: String): Response = copy(headers =
    // most responses have no other header, and for the common types the line is rendered once
    if (headers.isEmpty) MediaType.headers(value) else headers.setKnown("Content-Type", value)
  )

  /** Sets the content to a text in UTF-8; its type is text/plain unless one has been set. */
  def text(content: String): Response =
    asText.withContent(Utf8Text.encode(content))

  /** Sets the content to these bytes; the array must not change afterwards. */
  def bytes(content: Array[Byte]): Response = {
    if (content == null) throw new NullPointerException("the content of a response is null")
    withContent(content)
  }

  /** Sets the content to a stream of unknown length: sent chunked, or to HTTP/1.0 until the connection closes. */
  def stream(content: ByteStream): Response = withSource(content, -1)

  /**
   * Sets the content to a stream of exactly `length` bytes. If it ends before, or has more at hand then, the connection
   * ends and the failure is logged; what it would yield later is not asked for, and the stream is cancelled.
   */
  def stream(content: ByteStream, length: Long): Response = {
    require(length >= 0, "length must not be negative; stream(content) is for a length that is not known")
    withSource(content, length)
  }

  /** Closes the connection after this response. */
  def close: Response = copy(closes = true)

  /** The content, for tests and measurements. Reading it uses up a stream. */
  def body: MessageBody =
    if (content != null) MessageBody.of(content) else MessageBody.streamed(source, sourceLength)

  private def withContent(content: Array[Byte]): Response =
    copy(status = finalStatus, content = content, source = null)

  private def withSource(source: ByteStream, length: Long): Response = {
    if (source == null) throw new NullPointerException("the stream of a response is null")
    copy(status = finalStatus, content = null, source = source, sourceLength = length)
  }

  /** A response with other content than its protocol switches no more, and must not say so: 200 instead of 101. */
  private def finalStatus: Status = if (status.code < 200) Status.Ok else status

  private def asText: Response =
    if (headers.isEmpty) contentType(MediaType.Text)
    else if (headers.hasContentType) this
    else copy(headers = headers.add("Content-Type", MediaType.Text))

  override def toString: String = s"Response($status)"
}

object Response {
  private val none  = new Array[Byte](0)
  private val usual = Response(Status.Ok)

  /** A response without content. The status must be final, 200 to 599. */
  def apply(status: Status): Response =
    new Response(checked(status), Headers.empty, none, null, -1, false, false)

  /** 200 without content. */
  def ok: Response = usual

  /** 200 with a text in UTF-8. */
  def ok(text: String): Response = ok.text(text)

  /** 404 without content. */
  def notFound: Response = Response(Status.NotFound)

  /**
   * The response that the server sends for an error: its status and headers, with its message as text. Of the headers
   * that the server sets itself, `Connection: close` closes the connection, and the others are left out. A status that
   * is not final becomes 500.
   */
  def of(error: HttpError): Response = {
    val response =
      if (error.status.code < 200 || !error.status.isValid) Response(Status.InternalServerError)
      else Response(error.status)
    val text = if (error.message == null) response.status.reason else error.message
    if (error.headers.isEmpty) response.text(text)
    else if (error.headers.contains("Content-Type")) response.withOwn(error.headers).text(text)
    else response.text(text).withOwn(error.headers)
  }

  /** A response without content that the server handles by its source: see `Upgrade.response`. */
  private[needletail] def switching(to: ByteStream): Response =
    new Response(Status.SwitchingProtocols, Headers.empty, null, to, 0, false, false)

  private def checked(status: Status): Status = {
    if (status.code < 200 || !status.isValid)
      throw new IllegalArgumentException(s"$status is not a final status")
    status
  }

  private def isFraming(name: String, value: String): Boolean = {
    val upgrades = Ascii.same(value, "upgrade") // the connection option that goes with Upgrade, RFC 9110 §7.8
    Ascii.same(name, "content-length") || Ascii.same(name, "transfer-encoding") ||
    (Ascii.same(name, "connection") && !upgrades)
  }

  private def refuseFraming(name: String, value: String): Unit =
    if (isFraming(name, value))
      throw new IllegalArgumentException(
        s"the server sets $name itself; use stream(content, length) or close"
      )
}
