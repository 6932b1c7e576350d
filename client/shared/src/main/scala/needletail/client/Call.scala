package needletail.client

import scala.concurrent.Future
import scala.concurrent.duration.FiniteDuration

import needletail.async.{Async, Setting}
import needletail.http._

/**
 * A request that has not been sent yet. Immutable: each of the methods that change it answers another one, and each
 * of those that send it sends it anew.
 *
 * `response`, `text` and `stream` are for event loops, such as a handler's: they answer an `Async`, and cancelling
 * that stops the call. `future` is for any thread, `await` for any thread but a loop's.
 */
final class Call private[client] (
    private[client] val client: Client,
    private[client] val host: Host,
    val method: Method,
    val target: String,
    val headers: Headers,
    private[client] val content: Array[Byte], // null: no content, or a stream
    private[client] val source: ByteStream,   // null where there is none
    private[client] val sourceLength: Long,
    private[client] val deadline: TimeLimit,
    private[client] val limit: FiniteDuration, // null: the client's
    private[client] val options: Int
) {
  import Call.*

  private def copy(
      headers: Headers = headers,
      content: Array[Byte] = content,
      source: ByteStream = source,
      sourceLength: Long = sourceLength,
      deadline: TimeLimit = deadline,
      limit: FiniteDuration = limit,
      options: Int = options
  ): Call =
    new Call(client, host, method, target, headers, content, source, sourceLength, deadline, limit, options)

  /**
   * Adds a header. Throws IllegalArgumentException for one that would split or misframe the request: lengths,
   * codings and the connection are the client's business.
   */
  def header(name: String, value: String): Call = {
    Call.refuseFraming(name)
    copy(headers = headers.add(name, value))
  }

  /** Sets a header in place of all others of that name. */
  def setHeader(name: String, value: String): Call = {
    Call.refuseFraming(name)
    copy(headers = headers.set(name, value))
  }

  def withHeaders(more: Headers): Call = {
    more.toList.foreach { case (name, _) => Call.refuseFraming(name) }
    copy(headers = headers ++ more)
  }

  /** With this text as content, in UTF-8; text/plain unless a type is set. */
  def body(text: String): Call =
    typed("text/plain; charset=utf-8").body(text.getBytes(java.nio.charset.StandardCharsets.UTF_8))

  /** With these octets as content; the array must not change afterwards. */
  def body(bytes: Array[Byte]): Call = copy(content = bytes, source = null)

  /**
   * With a stream as content, in chunks; read as fast as the server takes it. It can be sent once only, so such
   * a call is repeated only where nothing of the stream was asked for.
   */
  def body(stream: ByteStream): Call = copy(content = null, source = stream, sourceLength = -1)

  /** With a stream of just `length` octets; one that yields another number fails the call with `BadRequestBody`. */
  def body(stream: ByteStream, length: Long): Call = {
    require(length >= 0, "length must not be negative")
    copy(content = null, source = stream, sourceLength = length)
  }

  /** With the content of a request that came in, for passing it on. */
  def body(content: Body): Call =
    if (content.isEmpty) this
    else if (content.length >= 0) body(content.stream, content.length)
    else body(content.stream)

  /**
   * At most so long for all of it, from being sent: waiting for a connection, retries and redirections included.
   * In place of the client's `requestTimeout`, so it may be longer too; a streamed body has `bodyTimeout` instead.
   */
  def within(limit: FiniteDuration): Call = {
    Setting("Call").notNegative("within", limit)
    copy(limit = limit)
  }

  /** Over by then, whatever else allows it more time. */
  def within(limit: TimeLimit): Call = copy(deadline = deadline.min(limit))

  /** To be over before the answer to this request is due. An implicit request does the same. */
  def within(request: Request): Call = within(request.timeLimit)

  /** The call may be repeated although its method is not idempotent (RFC 9110 §9.2.2). */
  def repeatable: Call = copy(options = options | Repeatable)

  /** Whatever happens, it is not repeated. */
  def once: Call = copy(options = options | Once)

  /** A redirection is answered as it is. */
  def noRedirects: Call = copy(options = options | NoRedirects)

  /** A streamed body waits until the server says that it wants it, or for `continueTimeout` (RFC 9110 §10.1.1). */
  def expectContinue: Call = copy(options = options | ExpectContinue)

  /**
   * Sends it; the answer with its whole body, up to `maxBodyInMemory`. Fails with a [[ClientError]]. A status from
   * 400 on is an answer like any other.
   *
   * @throws java.lang.IllegalStateException when this is no event loop's thread
   */
  def response: Async[ClientResponse] = new WholeSending(client.here, this).begin()

  /** The same; the body as text, by its Content-Type's charset or as UTF-8. */
  def text: Async[String] = response.map(_.text)

  /** Sends it; the answer's head, with its body as a stream that is to be read, or cancelled. */
  def stream: Async[StreamedResponse] = new StreamSending(client.here, this).begin()

  /** `response`, from any thread, on a loop of the client's. */
  def future: Future[ClientResponse] = client.run(response)

  /**
   * `response`, for code that may block: on a virtual thread it costs next to nothing. Interrupting the thread
   * cancels the call.
   *
   * @throws ClientError when there is no answer
   * @throws java.lang.IllegalStateException on an event loop's thread, which must not block
   */
  def await(): ClientResponse = client.await(response)

  private def typed(mediaType: String): Call =
    if (headers.contains("Content-Type")) this else copy(headers = headers.add("Content-Type", mediaType))

  private[client] def is(option: Int): Boolean = (options & option) != 0

  override def toString: String = s"$method ${host.name}$target"
}

private[client] object Call {
  final val Repeatable     = 1
  final val Once           = 2
  final val NoRedirects    = 4
  final val ExpectContinue = 8

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
