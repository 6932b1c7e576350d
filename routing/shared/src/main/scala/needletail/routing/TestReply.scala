package needletail.routing

import scala.concurrent.duration.FiniteDuration
import scala.util.{Failure, Success}

import needletail.async.{Async, ManualLoop, Survivable}
import needletail.http.{
  Around,
  Gate,
  Handler,
  Headers,
  Method,
  Refusal,
  Reply,
  Request,
  Response,
  RouteClass,
  Status
}

/**
 * What a handler answers in a test: made by `routes.test(request)`, or here for any handler. No socket, no
 * thread; `loop` has a clock of its own.
 *
 * Whoever asks for `status`, `text` and the like lets as much virtual time pass as the answer takes. Whoever
 * wants to see what happens when calls `advance` step by step, and looks at `isAnswered`. Exceptions become the
 * responses that a server makes of them, and are kept as `failure`.
 */
final class TestReply private (
    isHead: Boolean,
    answered: Async[Response],
    failures: TestGate,
    val loop: ManualLoop
) {

  private val result: Async[Response] = loop.within {
    answered.recover { case Survivable(error) => failures.failed(null, error) }
  }

  /** Has the handler answered yet? Lets no time pass. */
  def isAnswered: Boolean = result.isCompleted

  /** Lets that much time pass, with all that it brings. */
  def advance(duration: FiniteDuration): TestReply = {
    loop.advance(duration)
    this
  }

  /** Stops it all, as when the client hangs up. */
  def cancel(): Unit = {
    loop.within(result.cancel())
    loop.runAll()
  }

  def response: Response = loop.run(result).get
  def status: Status     = response.status
  def headers: Headers   = response.headers

  /** The first value of that header. */
  def header(name: String): Option[String] = headers.get(name)

  /** What the handler failed with or threw: what a server would log. */
  def failure: Option[Throwable] = {
    val _ = response
    Option(failures.last)
  }

  /** The whole content; empty for HEAD. A stream is read to its end. */
  lazy val bytes: Array[Byte] =
    if (isHead || !response.status.allowsBody) new Array[Byte](0) else loop.run(response.body.bytes).get

  /** The whole content as UTF-8. */
  def text: String = new String(bytes, java.nio.charset.StandardCharsets.UTF_8)

  /** The content piece by piece, each asked for only when `next` is called; not to be mixed with `bytes`. */
  lazy val pieces: TestStream = new TestStream(response.body.stream, loop)

  override def toString: String =
    if (isAnswered) s"TestReply(${response.status}, $text)" else "TestReply(unanswered)"
}

/** Streamed content in a test. */
final class TestStream private[routing] (stream: needletail.http.ByteStream, loop: ManualLoop) {

  /** The next piece as UTF-8, `None` at the end; lets as much time pass as it takes. Throws what the stream fails with. */
  def next(): Option[String] =
    loop.run(stream.next()).get.map(new String(_, java.nio.charset.StandardCharsets.UTF_8))

  def cancel(): Unit = loop.within(stream.cancel())
}

object TestReply {

  /** Has `handler` answer `request`. */
  def apply(handler: Handler, request: Request, loop: ManualLoop = new ManualLoop): TestReply = {
    val gate = new TestGate
    request.head.gate = gate
    val answered = loop.within {
      Async.attempt(handler(request)).transform {
        case Success(response: Response) => Async.value(response)
        case Success(later: Reply.Later) => later.response
        case Failure(error)              => Async.fail(error)
      }
    }
    new TestReply(request.method eq Method.HEAD, answered, gate, loop)
  }
}

/** Lets everything in, and remembers what has failed. */
private[routing] final class TestGate extends Gate {
  var last: Throwable     = null
  var current: RouteClass = RouteClass.unmatched

  def enter(route: RouteClass): Response = {
    current = route
    null
  }
  def enterHandler(route: RouteClass): Response            = enter(route)
  def later(route: RouteClass, body: () => Reply): Reply   = body()
  def refused(route: RouteClass, reason: Int): Response    = Refusal.response(reason)
  def unmatched(): Unit                                    = current = RouteClass.unmatched
  def failed(request: Request, cause: Throwable): Response = {
    last = cause
    Around.failure(cause)
  }
}
