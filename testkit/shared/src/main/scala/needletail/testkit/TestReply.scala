package needletail.testkit

import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Success}

import needletail.async.{Async, Survivable}
import needletail.http.{Around, ByteStream, Gate, Handler, MessageBody, Refusal, Reply, Request, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.{Headers, Method, Status}

/**
 * A handler's reply in a test, made by `routes.test(request)`: without a socket or a thread, on `loop`, whose clock is
 * virtual.
 *
 * `status`, `text` and the other accessors advance the clock until the reply is complete. To see what happens at which
 * time, call `advance` step by step and look at `isAnswered`. An exception of the handler becomes the response that a
 * server would send for it, and is kept as `failure`.
 *
 * Accessors throw an `IllegalStateException` when nothing is left that could complete the reply.
 */
final class TestReply private (
    isHead: Boolean,
    answered: Async[Response],
    failures: TestGate,
    val loop: ManualLoop
) {

  private var isStreamOver = false // of the response, or it has none

  private val result: Async[Response] = loop.within {
    answered.recover { case Survivable(error) => failures.failed(null, error) }.map { response =>
      if (isBodiless(response)) leave(response)
      response
    }
  }

  private def isBodiless(response: Response): Boolean = isHead || !response.status.allowsBody

  /** Cancels the stream of the response, if it has one that was not read to its end. */
  private def leave(response: Response): Unit = if (response.source != null && !isStreamOver) {
    isStreamOver = true
    try response.source.cancel()
    catch { case Survivable(e) => loop.unhandled(e) }
  }

  /** Whether the response is available. Does not advance the clock. */
  def isAnswered: Boolean = result.isCompleted

  /** Advances the clock by `duration` and runs what becomes due; returns this reply. */
  def advance(duration: FiniteDuration): TestReply = {
    loop.advance(duration)
    this
  }

  /**
   * Cancels the handler's work, as a server does when the client closes the connection: once there is a response, its
   * stream, unless that has been read to its end.
   */
  def cancel(): Unit = {
    loop.within {
      result.poll match {
        case Some(Success(response)) => leave(response)
        case _                       => result.cancel()
      }
    }
    loop.runAll()
  }

  /** The response; advances the clock until it is available. */
  def response: Response = loop.run(result).get

  /** The response's status. */
  def status: Status = response.status

  /** The response's headers. */
  def headers: Headers = response.headers

  /** The first value of the header `name`, which is case-insensitive. */
  def header(name: String): Option[String] = headers.get(name)

  /** The exception that the handler threw or failed with, which a server would log. */
  def failure: Option[Throwable] = {
    val _ = response
    Option(failures.last)
  }

  /** The whole content; empty for HEAD. A stream is read to its end. The caller owns the array. */
  lazy val bytes: Array[Byte] = {
    val whole = loop.run(body.bytes)
    isStreamOver = true
    whole.get
  }

  private def body: MessageBody = if (isBodiless(response)) MessageBody.empty else response.body

  /** The whole content as UTF-8. */
  def text: String = new String(bytes, java.nio.charset.StandardCharsets.UTF_8)

  /**
   * The whole content piece by piece, each read when `next` is called; without any for HEAD. Use either this or `bytes`
   * and `text`, not both.
   */
  lazy val pieces: TestStream = new TestStream(body.stream, loop, () => isStreamOver = true)

  /** The status, and the text if the content is no stream: reading that would use it up, or never end. */
  override def toString: String =
    if (!isAnswered) "TestReply(unanswered)"
    else if (response.content == null) s"TestReply(${response.status}, streamed)"
    else s"TestReply(${response.status}, $text)"
}

/** The streamed content of a [[TestReply]]. */
final class TestStream private[testkit] (stream: ByteStream, loop: ManualLoop, over: () => Unit) {

  /**
   * The next piece as UTF-8, `None` at the end; advances the clock until it is available. Throws the exception that
   * the stream fails with.
   */
  def next(): Option[String] = {
    val piece = loop.run(stream.next())
    if (!piece.toOption.exists(_.isDefined)) over()
    piece.get.map(new String(_, java.nio.charset.StandardCharsets.UTF_8))
  }

  /** Cancels the stream, as a server does when the client closes the connection. */
  def cancel(): Unit = {
    over()
    loop.within(stream.cancel())
  }
}

object TestReply {

  /** A handler that returns null, at once or later, has failed, as in a server. */
  private def notNull(response: Response): Response =
    if (response == null) throw new NullPointerException("a handler returned null") else response

  /** Passes `request` to `handler` on `loop`. Use one loop for several replies to run them concurrently. */
  def apply(handler: Handler, request: Request, loop: ManualLoop = new ManualLoop): TestReply = {
    val gate     = new TestGate
    val exchange = new TestExchange(handler, request, gate, loop)
    new TestReply(request.method eq Method.HEAD, exchange.response, gate, loop)
  }

  private[testkit] def ask(handler: Handler, request: Request): Async[Response] =
    Async.attempt(handler(request)).transform {
      case Success(null)               => Async.value(notNull(null))
      case Success(response: Response) => Async.value(response)
      case Success(later: Reply.Later) => later.response.map(notNull)
      case Failure(error)              => Async.fail(error)
    }
}

/** Admits every request, and keeps the last failure. */
private[testkit] final class TestGate extends Gate {
  var last: Throwable     = null
  var current: RouteClass = RouteClass.unmatched

  /** Called when a route has matched. */
  var matched: () => Unit = () => ()

  def enter(route: RouteClass): Response = {
    current = route
    matched()
    null
  }
  def enterHandler(route: RouteClass): Response            = enter(route)
  def later(route: RouteClass, body: () => Reply): Reply   = body()
  def waits(): Unit                                        = ()
  def goesOn(): Unit                                       = ()
  def leaves(route: RouteClass): Unit                      = ()
  def refused(route: RouteClass, reason: Int): Response    = Refusal.response(reason)
  def unmatched(): Unit                                    = current = RouteClass.unmatched
  def answeredFor(route: RouteClass): Unit                 = current = route
  def failed(request: Request, cause: Throwable): Response = {
    last = cause
    Around.failure(cause)
  }
}
