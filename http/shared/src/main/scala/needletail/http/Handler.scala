package needletail.http

import scala.concurrent.Future

import needletail.async.Async

/**
 * Answers a request, at once or later. Called on the connection's loop: it must not block (see `blocking`).
 *
 * Under load a server refuses by the priority and limits of the route that a request is for. A handler that calls
 * routes, or any other handler, therefore leaves the decision to them; what it answers without them is limited and
 * counted as one kind, by what it is itself. Best put things around routes by `mapResponse`, `around` and `recover`,
 * which keep them routes.
 */
trait Handler {
  def apply(request: Request): Reply

  /**
   * What its requests are limited and counted as before it is called; null where it asks the [[Gate]] itself, as
   * routers do.
   */
  private[needletail] def routeClass: RouteClass = RouteClass.handler

  /** What is sent in place of an answer that this handler has not given, with what is around it. */
  private[needletail] def dressed(request: Request, response: Response): Response = {
    val _ = request
    response
  }

  /**
   * The same, with `f` applied to each response that goes out for it: what the handler answers, what its failures
   * become (an `HttpError`, or 500 for an exception), what filters and routes answer in its place (401, 404, 405),
   * refusals under load and the handler's time-out. What the server answers before there is a request that can be
   * read (400, 414, 431), or without asking the handler (413), does not come here.
   *
   * `f` is called once for each response, on the loop. What it throws is the handler's failure.
   */
  def mapResponse(f: (Request, Response) => Response): Handler = wrapped(Around.ofResponse(f))

  /**
   * The same, with `f` called in its place; `next()`, called at most once, calls the handler. `next()` does not fail:
   * failures of the handler are responses by then, and logged. For what has to see the request first, or to measure;
   * of routes it is called when the request has been let in, so that what is refused under load does not cost it.
   */
  def around[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Handler =
    wrapped(Around.ofCall(f))

  /** The same, with responses for those of its failures that `f` is defined for. They are not logged. */
  def recover(f: PartialFunction[Throwable, Response]): Handler = wrapped(Around.ofFailure(f))

  private[needletail] def wrapped(around: Around): Handler = new Around.Wrapped(this, around)
}

object Handler {

  /** A handler out of a function to `Response`, `Async[Response]`, `Future[Response]` or `Reply`. */
  def apply[R](f: Request => R)(implicit toReply: ToReply[R]): Handler = request => toReply(f(request))

  /** The same with a priority under overload, and the name by which metrics count its requests. */
  def apply[R](name: String, priority: Priority)(f: Request => R)(implicit toReply: ToReply[R]): Handler =
    new Handler {
      private val own                                         = new RouteClass("*", name, priority)
      private[needletail] override def routeClass: RouteClass = null
      def apply(request: Request): Reply                      =
        Gate.admitHandler(request.gate, own, () => toReply(f(request)))
    }
}

/** What may be the result of a handler. */
@annotation.implicitNotFound(
  "a handler must answer Response, Async[Response], Future[Response] or Reply, not ${R}; a text becomes a Response by .ok"
)
trait ToReply[-R] {
  def apply(result: R): Reply
}

object ToReply {
  implicit val reply: ToReply[Reply]             = r => r
  implicit val async: ToReply[Async[Response]]   = r => new Reply.Later(r)
  implicit val future: ToReply[Future[Response]] = r => new Reply.Later(Async.fromFuture(r))
}
