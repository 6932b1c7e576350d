package needletail.http

import scala.util.{Failure, Success}

import needletail.async.{Async, Rejected, Survivable, TimedOut}
import needletail.http.admission.RouteClass
import needletail.http.message.{Answerable, HttpError, Status}

/** A wrapper around a handler; see [[Handler.mapResponse]], [[Handler.around]] and [[Handler.recover]]. */
private[needletail] abstract class Around {

  /** Returns the reply to `request`. `inner` calls the wrapped handler. */
  def apply(request: Request, inner: () => Reply): Reply

  /** Returns what to send for a response that the handler did not make: a refusal under overload, or a timeout. */
  def dress(request: Request, response: Response): Response
}

private[needletail] object Around {

  /** Applies all wrappers; the first is the outermost. */
  def run(all: List[Around], request: Request, inner: () => Reply): Reply = all match {
    case Nil          => inner()
    case around :: in => around(request, () => run(in, request, inner))
  }

  def dress(all: List[Around], request: Request, response: Response): Response =
    all.foldRight(response)((around, inner) => around.dress(request, inner))

  def ofResponse(f: (Request, Response) => Response): Around = new Around {
    def apply(request: Request, inner: () => Reply): Reply =
      settled(request, inner) match {
        case response: Response => mapped(request, response)
        case later: Reply.Later => new Reply.Later(later.response.map(mapped(request, _)))
      }
    def dress(request: Request, response: Response): Response = f(request, response)

    /** An exception of `f` drops the response, whose stream nobody would end otherwise. */
    private def mapped(request: Request, response: Response): Response =
      try f(request, response)
      catch {
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
  private val tooSlow  = Response(Status.ServiceUnavailable).text("the request took too long")

  /** The response for a failure: its own if it is [[Answerable]], otherwise a 500 without details. */
  def failure(cause: Throwable): Response = cause match {
    case e: Answerable => errorOf(e).fold(internal)(Response.of)
    case _: TimedOut   => tooSlow
    case e: Rejected   => Refusal.response(Refusal.of(e))
    case _             => internal
  }

  /** The error that a failure describes; None if its `asHttpError`, which is user code, throws. */
  def errorOf(cause: Answerable): Option[HttpError] =
    try Option(cause.asHttpError)
    catch { case Survivable(_) => None }

  /** A handler that is not a router, with `around` applied. */
  final class Wrapped(inner: Handler, around: Around) extends Handler {
    def apply(request: Request): Reply                      = around(request, () => inner(request))
    private[needletail] override def routeClass: RouteClass = inner.routeClass

    private[needletail] override def dressed(request: Request, response: Response): Response =
      around.dress(request, inner.dressed(request, response))
  }
}
