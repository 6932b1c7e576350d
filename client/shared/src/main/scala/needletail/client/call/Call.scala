package needletail.client.call

import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Setting}
import needletail.client.cookies.CookieJar
import needletail.client.error.ClientError
import needletail.client.pool.Host
import needletail.http.{ByteStream, MessageBody, Request}
import needletail.http.admission.{HasTimeLimit, TimeLimit}
import needletail.http.message.{Headers, Method, Status}
import needletail.http.text.Ascii

/**
 * A request that has not been sent. Immutable: methods that change it return another call, and each of the methods
 * that send it sends it again.
 *
 * `response`, `text` and `stream` must be called on an event loop, such as a handler's; they return an `Async`, and
 * cancelling that cancels the call. `future` may be called on any thread, `await` on any thread except a loop's.
 */
final class Call private[client] (
    sender: CallSender,
    private[client] val host: Host,
    val method: Method,
    val target: String,
    val headers: Headers,
    private[client] val content: Array[Byte], // null: no content, or a stream
    private[client] val source: ByteStream,   // null: none
    private[client] val sourceLength: Long,
    private[client] val deadline: TimeLimit,
    private[client] val limit: FiniteDuration, // null: `requestTimeout`
    private[client] val options: Int,
    private[client] val jar: CookieJar,                  // null: none
    private[client] val headLimited: HasTimeLimit = null // null: nothing
) {
  import Call.*

  private def copy(
      headers: Headers = headers,
      content: Array[Byte] = content,
      source: ByteStream = source,
      sourceLength: Long = sourceLength,
      deadline: TimeLimit = deadline,
      limit: FiniteDuration = limit,
      options: Int = options,
      jar: CookieJar = jar,
      headLimited: HasTimeLimit = headLimited
  ): Call =
    new Call(
      sender,
      host,
      method,
      target,
      headers,
      content,
      source,
      sourceLength,
      deadline,
      limit,
      options,
      jar,
      headLimited
    )

  /**
   * With an additional header.
   *
   * @throws java.lang.IllegalArgumentException if the name or value is not valid, or the client sets that header
   *   itself: those for length, coding and connection
   */
  def header(name: String, value: String): Call = {
    Call.refuseFraming(name)
    copy(headers = headers.add(name, value))
  }

  /** With a header that replaces all others of that name. Throws as `header` does. */
  def setHeader(name: String, value: String): Call = {
    Call.refuseFraming(name)
    copy(headers = headers.set(name, value))
  }

  /** With additional headers. Throws as `header` does. */
  def withHeaders(more: Headers): Call = {
    more.toList.foreach { case (name, _) => Call.refuseFraming(name) }
    copy(headers = headers ++ more)
  }

  /** With a text as content, in UTF-8; its Content-Type is text/plain unless one is set. */
  def body(text: String): Call =
    typed("text/plain; charset=utf-8").body(text.getBytes(java.nio.charset.StandardCharsets.UTF_8))

  /** With bytes as content. The array must not change afterwards. */
  def body(bytes: Array[Byte]): Call = copy(content = bytes, source = null)

  /**
   * With a stream as content, sent in chunks and read as fast as the server accepts it. A stream can be sent only once,
   * so the call is not retried once the stream has been read from.
   */
  def body(stream: ByteStream): Call = copy(content = null, source = stream, sourceLength = -1)

  /**
   * With a stream of exactly `length` bytes as content; the call fails with `BadRequestBody` if there are fewer, or more at
   * once. When all have been sent, a stream that has not ended by then is cancelled: the response does not wait for it.
   *
   * @throws java.lang.IllegalArgumentException if `length` is negative
   */
  def body(stream: ByteStream, length: Long): Call = {
    require(length >= 0, "length must not be negative; body(stream) is for a length that is not known")
    copy(content = null, source = stream, sourceLength = length)
  }

  /**
   * With the content of an incoming request, to forward it.
   *
   * @throws java.lang.IllegalStateException if reading it has begun, so that only the rest would be sent
   */
  def body(content: MessageBody): Call =
    if (content.isEmpty) this
    else {
      content.refuseIfBegun()
      if (content.length >= 0) body(content.allPieces, content.length) else body(content.allPieces)
    }

  /**
   * With a time limit for the whole call, from sending it to the end of the response, including waiting for a
   * connection, retries and redirections. It replaces the client's `requestTimeout`, and may be longer. A streamed
   * body is limited by `bodyTimeout` instead.
   *
   * @throws java.lang.IllegalArgumentException if it is negative or infinite
   */
  def timeout(limit: FiniteDuration): Call = {
    Setting("Call").notNegative("timeout", limit)
    copy(limit = limit)
  }

  /**
   * With a deadline, in addition to the other limits: the earliest one applies. The call fails before it, by a tenth of
   * the time that is left but at most 10 ms, so that a handler can still respond to the failure.
   */
  def timeout(limit: TimeLimit): Call = copy(deadline = deadline.min(limit))

  /** With the deadline of an incoming request. An implicit request has the same effect. */
  def timeout(request: Request): Call = timeout(request.timeLimit)

  /**
   * Names what the head of the response is awaited for. Its time limit ends nothing: that is up to the caller, who
   * cancels the call. But a call that is cancelled when the limit has passed has failed, as if it had timed out.
   */
  private[needletail] def headFor(limited: HasTimeLimit): Call = copy(headLimited = limited)

  /** May be retried although its method is not idempotent (RFC 9110 §9.2.2). */
  def repeatable: Call = copy(options = options | Repeatable)

  /** Is never retried. */
  def once: Call = copy(options = options | Once)

  /** A redirect is returned as the response, not followed. */
  def noRedirects: Call = copy(options = options | NoRedirects)

  /**
   * With another cookie jar instead of the client's, for example that of one user. A call that has a Cookie header
   * is sent with that one only.
   */
  def cookies(jar: CookieJar): Call = copy(jar = jar)

  /** The client's cookies are neither sent nor set by this call. */
  def noCookies: Call = copy(jar = null)

  /** The content of the response is returned as sent, and no coding is requested: see `decoding`. */
  def undecoded: Call = copy(options = options | Undecoded)

  /** A streamed body waits for 100 (Continue), at most for `continueTimeout` (RFC 9110 §10.1.1). */
  def expectContinue: Call = copy(options = options | ExpectContinue)

  /**
   * Sends it: the response with its whole body, of at most `maxBodyInMemory` bytes. Fails with a [[ClientError]]; a
   * status of 400 or more is not a failure.
   *
   * @throws java.lang.IllegalStateException if this is not an event loop's thread
   */
  def response: Async[ClientResponse] = sender.response(this)

  /**
   * As `response`: its body as text, in the charset of its Content-Type or in UTF-8. Fails with
   * `ClientError.UnexpectedStatus` unless the status is 200 to 299.
   */
  def text: Async[String] = expected.map(_.text)

  /** As `text`: its body as bytes. */
  def bytes: Async[Array[Byte]] = expected.map(_.bytes)

  /** As `response`; fails with `ClientError.UnexpectedStatus` unless the status is 200 to 299. */
  def expected: Async[ClientResponse] = expecting(status => status.code / 100 == 2)

  /** As `response`; fails with `ClientError.UnexpectedStatus` for a status that is not accepted. */
  def expecting(accept: Status => Boolean): Async[ClientResponse] = response.flatMap { answer =>
    if (accept(answer.status)) Async.value(answer)
    else Async.fail(new ClientError.UnexpectedStatus(
      host.name,
      answer.status,
      answer.headers,
      answer.bytes
    ).of(name))
  }

  private[needletail] def hostName: String = host.name

  /** For messages: without the query, which may contain secrets. */
  private[needletail] def name: String = Call.name(method, host, target)

  /**
   * Sends it: the head of the response, with its body as a stream, which must be read to its end or cancelled. Fails
   * with a [[ClientError]].
   *
   * @throws java.lang.IllegalStateException if this is not an event loop's thread
   */
  def stream: Async[StreamedResponse] = sender.stream(this)

  /** As `response`, from any thread, on a loop of the client. Fails with `ClientError.ClientClosed` if that is closed. */
  def future: Future[ClientResponse] = sender.future(this)

  /**
   * As `response`, blocking: for virtual threads, and others that may block. Interrupting the thread cancels the call.
   *
   * @throws ClientError if there is no response: `ClientClosed` if the client is closed
   * @throws java.lang.IllegalStateException on an event loop's thread, which must not block
   */
  def await(): ClientResponse = sender.await(this)

  private def typed(mediaType: String): Call =
    if (headers.contains("Content-Type")) this else copy(headers = headers.add("Content-Type", mediaType))

  /** Whether that option of the companion is set. */
  private[client] def is(option: Int): Boolean = (options & option) != 0

  override def toString: String = s"$method ${host.name}$target"
}

private[client] object Call {
  final val Repeatable     = 1
  final val Once           = 2
  final val NoRedirects    = 4
  final val ExpectContinue = 8
  final val Undecoded      = 16

  /** A call for messages, without its query. */
  def name(method: Method, host: Host, target: String): String = {
    val question = target.indexOf('?')
    val path     = if (question < 0) target else target.substring(0, question)
    s"$method ${host.name}${if (path.length <= LongestPath) path else path.take(LongestPath) + "…"}"
  }

  private final val LongestPath = 200

  private val framing =
    List(
      "content-length",
      "transfer-encoding",
      "connection",
      "keep-alive",
      "upgrade",
      "te",
      "trailer",
      "expect"
    )

  def refuseFraming(name: String): Unit =
    if (framing.exists(Ascii.same(name, _)))
      throw new IllegalArgumentException(s"the client sets $name itself")
}
