package needletail.http

import scala.util.{Failure, Success}

import needletail.async.{Async, Rejected, Survivable, TimedOut}

/** What is put around a handler; see [[Handler.mapResponse]], [[Handler.around]] and [[Handler.recover]]. */
private[needletail] abstract class Around {

  /** The reply to `request`, of which `inner` is the handler's. */
  def apply(request: Request, inner: () => Reply): Reply

  /** What is sent for a response that the handler has not given: a refusal under load, a time-out. */
  def dress(request: Request, response: Response): Response
}

private[needletail] object Around {

  /** All of them, the first is the outermost. */
  def run(all: List[Around], request: Request, inner: () => Reply): Reply = all match {
    case Nil          => inner()
    case around :: in => around(request, () => run(in, request, inner))
  }

  def dress(all: List[Around], request: Request, response: Response): Response =
    all.foldRight(response)((around, inner) => around.dress(request, inner))

  def ofResponse(f: (Request, Response) => Response): Around = new Around {
    def apply(request: Request, inner: () => Reply): Reply =
      settled(request, inner) match {
        case response: Response => f(request, response)
        case later: Reply.Later => new Reply.Later(later.response.map(f(request, _)))
      }
    def dress(request: Request, response: Response): Response = f(request, response)
  }

  /** What is left alone where the handler is not asked. */
  private abstract class OfCalls extends Around {
    def dress(request: Request, response: Response): Response = {
      val _ = request
      response
    }
  }

  def ofCall[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Around =
    new OfCalls {
      def apply(request: Request, inner: () => Reply): Reply =
        toReply(f(request, () => settled(request, inner).toAsync))
    }

  def ofFailure(f: PartialFunction[Throwable, Response]): Around = new OfCalls {
    def apply(request: Request, inner: () => Reply): Reply =
      try
        inner() match {
          case later: Reply.Later => new Reply.Later(later.response.recover(f))
          case response           => response
        }
      catch { case Survivable(e) if f.isDefinedAt(e) => f(e) }
  }

  /** The handler's reply, in which a failure has become the response that the server gives for it. */
  private def settled(request: Request, inner: () => Reply): Reply = {
    val gate = request.reporter

    def failed(cause: Throwable): Response =
      if (gate == null) failure(cause) else gate.failed(request, cause)
    try
      inner() match {
        case null               => failed(new NullPointerException("a handler answered null"))
        case later: Reply.Later =>
          new Reply.Later(later.response.transform {
            case Success(null)     => Async.value(failed(new NullPointerException("a handler answered null")))
            case Success(response) => Async.value(response)
            case Failure(cause)    => Async.value(failed(cause))
          })
        case response => response
      }
    catch { case Survivable(e) => failed(e) }
  }

  private val internal = Response(Status.InternalServerError).text("internal server error")
  private val tooSlow  = Response(Status.ServiceUnavailable).text("the request took too long")

  /** The response for a failure: its own where it has one, else a 500 that says nothing. */
  def failure(cause: Throwable): Response = cause match {
    case e: Answerable => errorOf(e).fold(internal)(_.response)
    case _: TimedOut   => tooSlow
    case e: Rejected   => Refusal.response(Refusal.of(e))
    case _             => internal
  }

  /** What a failure says of itself is a user's code: None where it fails, too. */
  def errorOf(cause: Answerable): Option[HttpError] =
    try Option(cause.asHttpError)
    catch { case Survivable(_) => None }

  /** A handler that is no router, with that around it. */
  final class Wrapped(inner: Handler, around: Around) extends Handler {
    def apply(request: Request): Reply                      = around(request, () => inner(request))
    private[needletail] override def routeClass: RouteClass = inner.routeClass

    private[needletail] override def dressed(request: Request, response: Response): Response =
      around.dress(request, inner.dressed(request, response))
  }
}
