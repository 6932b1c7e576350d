package needletail.http

import scala.concurrent.Future

import needletail.async.Async
import needletail.http.admission.{Priority, RouteClass}

/**
 * Responds to requests, at once or later. It is called on the connection's event loop and must not block (see
 * `Async.blocking`).
 *
 * Under overload the server refuses requests by the priority and limits of their route. A handler that calls routes
 * leaves that decision to them, from its first call on: responses that it makes itself are counted as one kind, and
 * then not limited, also not by `OverloadConfig.maxInFlight`. To add behaviour around routes, prefer `mapResponse`,
 * `around` and `recover`, which keep them routes.
 */
trait Handler {

  /** Returns the response, or one that will be available later. An exception becomes the response to that failure. */
  def apply(request: Request): Reply

  /**
   * The class by which its requests are limited and counted before it is called; null if it asks the [[Gate]] itself,
   * as routers do.
   */
  private[needletail] def routeClass: RouteClass = RouteClass.handler

  /** Applies the wrappers of this handler to a response that the server sends in its place. */
  private[needletail] def dressed(request: Request, response: Response): Response = {
    val _ = request
    response
  }

  /**
   * This handler with `f` applied to every response sent for it: those of the handler, of its failures (an `HttpError`,
   * or 500 for another exception), of filters and routes (401, 404, 405), refusals under overload, and the handler's
   * timeout. Not for responses to requests that cannot be read (400, 414, 431) or that the handler never sees (413).
   *
   * `f` is called once for each response, on the event loop. An exception of `f` is a failure of the handler; the
   * stream of the response that it was given is cancelled.
   */
  def mapResponse(f: (Request, Response) => Response): Handler = wrapped(Around.ofResponse(f))

  /**
   * Calls `f` in place of this handler; `f` calls the handler by `next()`, at most once: a second call throws an
   * IllegalStateException. `next()` does not fail: failures of the handler have been turned into responses, by `recover` or
   * else logged. For code that needs the request first, or that measures.
   * For routes, `f` runs only after the request has been admitted, so refusals under overload do not pay for it.
   *
   * If `f` fails, the stream of the response that `next()` returned is cancelled when the request ends. If `f` responds
   * with something else, it has to cancel that stream itself.
   */
  def around[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Handler =
    wrapped(Around.ofCall(f))

  /**
   * This handler with responses for the failures that `f` is defined for: those of the handler, and of wrappers that were
   * applied before. Such wrappers get these responses, too, in place of the failures. They are not logged.
   */
  def recover(f: PartialFunction[Throwable, Response]): Handler = wrapped(Around.ofFailure(f))

  private[needletail] def wrapped(around: Around): Handler = new Around.Wrapped(this, List(around))
}

object Handler {

  /** A handler from a function to `Response`, `Async[Response]`, `Future[Response]`, `Reply` or `Async[Reply]`. */
  def apply[R](f: Request => R)(implicit toReply: ToReply[R]): Handler = request => toReply(f(request))

  /**
   * The same, with a priority under overload and the name that metrics use for its requests. Where it calls routes, at once
   * or later, their own names, priorities and limits apply instead.
   */
  def apply[R](name: String, priority: Priority)(f: Request => R)(implicit toReply: ToReply[R]): Handler =
    new Handler {
      private val own                                         = new RouteClass("*", name, priority)
      private[needletail] override def routeClass: RouteClass = null
      def apply(request: Request): Reply                      =
        Gate.admitHandler(request, own, () => toReply(f(request)))
    }
}

/** Converts what a handler may return to a [[Reply]]: there is an instance for each such type. */
@annotation.implicitNotFound(
  "a handler must return Response, Async[Response], Future[Response], Reply or Async[Reply], not ${R}; convert a text with .ok, an Async or Future of a text with .map(_.ok), and, where some branches have a Response and others an Async, the Response with Async.value(response)"
)
trait ToReply[-R] {

  /** The reply for `result`. */
  def apply(result: R): Reply
}

object ToReply extends ToReplyLater {
  implicit val reply: ToReply[Reply] = r => r
}

/**
 * The instances have an order of precedence, as all of them fit a handler that returns nothing (`???`, or one that
 * does not compile). Otherwise the compiler would report an ambiguity as well.
 */
private[http] sealed trait ToReplyLater extends ToReplyFuture {
  implicit val async: ToReply[Async[Response]] = r => new Reply.Later(r)
}

private[http] sealed trait ToReplyFuture extends ToReplyTwice {
  implicit val future: ToReply[Future[Response]] = r => new Reply.Later(Async.fromFuture(r))
}

private[http] sealed trait ToReplyTwice {

  /** For a reply that is made later, and may itself be available later. */
  implicit def asyncReply[R <: Reply]: ToReply[Async[R]] = Reply.laterReply(_)
}
