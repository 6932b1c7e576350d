package needletail.http

import scala.concurrent.Future

import needletail.async.Async

/** Answers a request, at once or later. Called on the connection's loop: it must not block (see `blocking`). */
trait Handler {
  def apply(request: Request): Reply

  /** What its requests are limited and counted as; null where it asks the [[Gate]] itself, as routers do. */
  private[needletail] def routeClass: RouteClass = RouteClass.handler
}

object Handler {

  /** A handler out of a function to `Response`, `Async[Response]`, `Future[Response]` or `Reply`. */
  def apply[R](f: Request => R)(implicit toReply: ToReply[R]): Handler = request => toReply(f(request))

  /** The same with a priority under overload, and the name by which metrics count its requests. */
  def apply[R](name: String, priority: Priority)(f: Request => R)(implicit toReply: ToReply[R]): Handler =
    new Handler {
      def apply(request: Request): Reply                      = toReply(f(request))
      private[needletail] override val routeClass: RouteClass = new RouteClass("*", name, priority)
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
