package needletail.http

import scala.util.{Failure, Success}

import needletail.async.{Async, Rejected, Survivable, TimedOut, UpstreamFailure}
import needletail.http.admission.RouteClass
import needletail.http.message.{Answerable, HttpError, Status}

/** A wrapper around a handler; see [[Handler.mapResponse]], [[Handler.around]] and [[Handler.recover]]. */
private[needletail] abstract class Around {

  /** Returns the reply to `request`. `inner` calls the wrapped handler. */
  def apply(request: Request, inner: () => Reply): Reply

  /** Returns what to send for a response that the handler did not make: a refusal under overload, or a timeout. */
  def dress(request: Request, response: Response): Response

  /** Whether failures of the handler pass through it as failures; through others they pass as responses. */
  def passesFailures: Boolean = false
}

private[needletail] object Around {

  /** Applies all wrappers; the first is the outermost. */
  def run(all: List[Around], request: Request, inner: () => Reply): Reply = all match {
    case Nil          => inner()
    case around :: in => around(request, () => run(in, request, inner))
  }

  /**
   * `around` outside of all of `inside`. If it is for failures, it is also put where the others of `inside` would make
   * responses of them, as none would reach it otherwise.
   */
  def outside(around: Around, inside: List[Around]): List[Around] =
    if (!around.passesFailures) around :: inside
    else
      around :: inside.flatMap(inner => if (inner.passesFailures) List(inner) else List(inner, around))

  def dress(all: List[Around], request: Request, response: Response): Response =
    all.foldRight(response)((around, inner) => around.dress(request, inner))

  def ofResponse(f: (Request, Response) => Response): Around = new Around {
    def apply(request: Request, inner: () => Reply): Reply =
      settled(request, inner) match {
        case response: Response => mapped(request, response)
        case later: Reply.Later => new Reply.Later(later.response.map(mapped(request, _)))
      }
    def dress(request: Request, response: Response): Response = mapped(request, response)

    /**
     * If `f` throws an exception or returns null, the response is dropped and its stream is cancelled, which nothing
     * else would do.
     */
    private def mapped(request: Request, response: Response): Response =
      try {
        val result = f(request, response)
        if (result == null) throw new NullPointerException("a wrapper returned null")
        result
      } catch {
        case Survivable(e) =>
          if (response.source != null)
            try response.source.cancel()
            catch { case Survivable(other) => if (other ne e) e.addSuppressed(other) }
          throw e
      }
  }

  /** A wrapper that leaves responses alone that the handler did not make. */
  private abstract class OfCalls extends Around {
    def dress(request: Request, response: Response): Response = {
      val _ = request
      response
    }
  }

  def ofCall[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Around =
    new OfCalls {
      def apply(request: Request, inner: () => Reply): Reply = {
        val call = new Call(request, inner)
        call.delivered(toReply(f(request, call)))
      }
    }

  /** The handler's response to a function around it, which may fail, or be cancelled, when it has that response. */
  private final class Call(request: Request, inner: () => Reply) extends (() => Async[Response]) {
    private var isDelivered = false // the function has a response, and sees to the stream of this one
    private var isCalled    = false
    private val gate        = request.reporter

    def apply(): Async[Response] = {
      if (isCalled) throw new IllegalStateException("next() was called twice for one request")
      isCalled = true
      settled(request, inner) match {
        case later: Reply.Later => later.response.map(kept)
        case response: Response => Async.value(kept(response))
      }
    }

    private val kept: Response => Response = { response =>
      val source = response.source
      if (source != null) request.onOver(() => if (!isDelivered) cancel(source))
      response
    }

    /** An exception would end the connection, with what other requests have been answered. */
    private def cancel(source: ByteStream): Unit =
      try source.cancel()
      catch { case Survivable(e) => if (gate != null) { gate.failed(request, e); () } }

    def delivered(reply: Reply): Reply = reply match {
      case later: Reply.Later =>
        new Reply.Later(later.response.map { response =>
          isDelivered = true
          response
        })
      case response =>
        isDelivered = response != null
        response
    }
  }

  def ofFailure(f: PartialFunction[Throwable, Response]): Around = new OfCalls {
    override def passesFailures: Boolean = true

    def apply(request: Request, inner: () => Reply): Reply =
      try
        inner() match {
          case later: Reply.Later => new Reply.Later(later.response.recover(f))
          case response           => response
        }
      catch { case Survivable(e) if f.isDefinedAt(e) => f(e) }
  }

  /** The handler's reply, with a failure replaced by the response that the server sends for it. */
  private def settled(request: Request, inner: () => Reply): Reply = {
    val gate = request.reporter

    def failed(cause: Throwable): Response =
      if (gate == null) failure(cause) else gate.failed(request, cause)
    try
      inner() match {
        case null               => failed(new NullPointerException("a handler returned null"))
        case later: Reply.Later =>
          new Reply.Later(later.response.transform {
            case Success(null)     => Async.value(failed(new NullPointerException("a handler returned null")))
            case Success(response) => Async.value(response)
            case Failure(cause)    => Async.value(failed(cause))
          })
        case response => response
      }
    catch { case Survivable(e) => failed(e) }
  }

  private val internal = Response(Status.InternalServerError).text("internal server error")

  /** The response for a `TimedOut`. */
  private[needletail] val tooSlow =
    Response(Status.ServiceUnavailable).text("the request took too long").asRefusal

  /** The response for a failure: its own if it describes one, otherwise a 500 without details. */
  def failure(cause: Throwable): Response = cause match {
    case _: TimedOut => tooSlow
    case e: Rejected => Refusal.response(Refusal.of(e))
    case _           => errorOf(cause).fold(internal)(Response.of)
  }

  /**
   * The error that a failure describes, for one that is [[Answerable]] or an `UpstreamFailure`. None for others, and if
   * the method that describes it, which is user code, throws.
   */
  def errorOf(cause: Throwable): Option[HttpError] =
    try
      cause match {
        case e: Answerable      => Option(e.asHttpError)
        case e: UpstreamFailure => Some(HttpError.ofUpstream(e.upstreamReason))
        case _                  => None
      }
    catch { case Survivable(_) => None }

  /** A handler that is not a router, with wrappers, of which the first is the outermost. */
  final class Wrapped(inner: Handler, arounds: List[Around]) extends Handler {
    def apply(request: Request): Reply                      = run(arounds, request, () => inner(request))
    private[needletail] override def routeClass: RouteClass = inner.routeClass

    private[needletail] override def dressed(request: Request, response: Response): Response =
      dress(arounds, request, inner.dressed(request, response))

    private[needletail] override def wrapped(around: Around): Handler =
      new Wrapped(inner, outside(around, arounds))
  }
}
