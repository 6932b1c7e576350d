package needletail.routing

import scala.concurrent.duration.*

import needletail.async.{Async, Setting}
import needletail.http.{Around, Handler, Reply, Request, Response, ToReply}
import needletail.http.admission.{Priority, RouteClass}
import needletail.http.message.Method
import needletail.routing.internal.description.Description
import needletail.routing.internal.matching.Pattern
import needletail.routing.internal.table.{Bulkhead, CompiledRoute, Reachable, RouteSettings, Table}
import needletail.routing.internal.typing.{Mistake, NotARoute}

/**
 * Routes, as a handler: the route that fits a request best responds.
 *
 * If several paths fit, a literal segment has precedence over a captured one, and that over the rest of a path, at
 * the leftmost segment where they differ. Routes with the same segments are tried in order of declaration, and the
 * first that matches responds; one that none of its requests would reach is refused when the routes are made. If none does, the response is 400 (or 415) with the reason; 405 with Allow if only the
 * method did not match; otherwise 404. It is 501 for a method that is neither registered nor used by a route.
 *
 * Exceptions of handlers, filters and other user functions are not caught here but by the server.
 */
sealed abstract class Routes extends Handler {

  /** The routes, in order of declaration. */
  def all: List[Route]

  private lazy val table = new Table(all.map(_.compiled))

  private[routing] def reachable: Reachable

  final def apply(request: Request): Reply = table(request)

  /** None: each route has its own. */
  private[needletail] final override def routeClass: RouteClass = null

  /** These routes, then `more`. */
  final def ++(more: Routes): Routes = Routes(this, more)

  /** The same routes with that priority under overload: requests of the lowest priority are refused first. */
  def priority(priority: Priority): Routes = Routes(all.map(_.priority(priority))*)

  /**
   * The same routes in a bulkhead: all of them together have at most `inFlight` requests in flight, over all loops.
   * Further requests wait, at most `queue` of them and each for at most `queueTime`; a request that finds the queue full
   * or has waited that long is answered 503. A request is in flight from the moment one of these routes has matched until
   * its response is there (streaming the content afterwards does not count). It leaves the queue when its client
   * disconnects.
   *
   * @throws java.lang.IllegalArgumentException
   *   unless `inFlight` is above 0, and `queue` and `queueTime` are 0 or above
   */
  def limit(inFlight: Int, queue: Int = 0, queueTime: FiniteDuration = 1.second): Routes = {
    val shared = new Bulkhead(inFlight, queue, queueTime)
    Routes(all.map(_.within(shared))*)
  }

  /**
   * The same routes without the limit of requests in flight that the server derives from their response times: for
   * routes that take long on purpose, such as long polling.
   */
  def withoutAdaptiveLimit: Routes = Routes(all.map(_.withoutAdaptiveLimit)*)

  /**
   * The same routes with that limit on the time of each request, instead of the server's `handlerTimeout`, whether it is
   * shorter or longer: from the moment the route has matched to the head of the response. It includes filters and waiting
   * for a `limit`. While the handler waits for content that the client has not sent yet, the server's `bodyTimeout`
   * applies instead, and content that arrives for it begins the time anew. After it
   * the response is 503, and the work that the handler waits for is cancelled. `request.timeLimit`, and calls in its
   * scope, have it too. Of several limits the outermost applies.
   *
   * @throws java.lang.IllegalArgumentException unless `limit` is above 0 and at most 3650 days
   */
  def timeout(limit: FiniteDuration): Routes = Routes(all.map(_.timeout(limit))*)

  /**
   * The same routes, with `f` applied to each of their responses: those of handlers, of failures (an `HttpError`, or 500
   * for an exception), of filters and limits, the 400, 404 and 405 of requests that were meant for them, and that of the
   * handler's timeout. They stay routes: their priorities, limits and names in the metrics do not change.
   *
   * {{{
   * routes.mapResponse((request, response) => response.header("Access-Control-Allow-Origin", "*"))
   * }}}
   * The response to a request that no route matches is passed to `f` only if all routes of the server have it.
   */
  override def mapResponse(f: (Request, Response) => Response): Routes = wrapped(Around.ofResponse(f))

  /**
   * The same routes, with `f` called in place of each; `next()`, called at most once (a second call throws an
   * IllegalStateException), continues with the route: its filters, its body, its handler. `next()` does not fail: failures
   * have become responses, by `recover`, wherever it was applied, or else they are logged. `f` is called
   * when the request has been admitted, not for one that is refused under load. It is also called for the responses of
   * the routes themselves (400, 404, 405, OPTIONS).
   *
   * {{{
   * routes.around { (request, next) =>
   *   val began = System.nanoTime()
   *   next().map { response => record(request.route, System.nanoTime() - began); response }
   * }
   * }}}
   */
  override def around[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Routes =
    wrapped(Around.ofCall(f))

  /**
   * The same routes, with responses for the failures that `f` is defined for: those of the routes, and of wrappers that
   * were applied before. Such wrappers get these responses, too, in place of the failures. They are not logged.
   */
  override def recover(f: PartialFunction[Throwable, Response]): Routes = wrapped(Around.ofFailure(f))

  private[needletail] override def wrapped(around: Around): Routes = Routes(all.map(_.wrapped(around))*)

  /** The documentation of these routes, of those that are reached: method, path, parameters with types, text. */
  final def describe: Description = {
    val (shown, _) =
      all.foldLeft((Vector.empty[CompiledRoute], Reachable.none)) { case ((some, known), route) =>
        val next = route.compiled
        (if (known.hiding(next).isEmpty) some :+ next else some, known + next)
      }
    Description(shown.map(_.description).toList)
  }
}

object Routes {

  /**
   * All the routes of `routes`, in order; a [[Route]] is one itself.
   *
   * @throws java.lang.IllegalArgumentException
   *   if one of them is never reached, because one before it has the same method and path and matches all of its requests
   */
  def apply(routes: Routes*): Routes = {
    val first = routes.headOption.fold(Reachable.none)(_.reachable)
    val more  = routes.iterator.drop(1).flatMap(_.all)
    new Several(routes.toList.flatMap(_.all), more.foldLeft(first)((known, route) => known + route.compiled))
  }

  /** Does not compile: this overload exists for its error message, which explains what a route is. */
  def apply[P](routes: P*)(implicit not: NotARoute): Mistake = not(routes)

  private final class Several(val all: List[Route], private[routing] val reachable: Reachable)
      extends Routes {
    override def toString: String = all.mkString("Routes(", ", ", ")")
  }
}

/** One route: a pattern and a handler; made by `to`. Immutable. */
final class Route private (private[routing] val compiled: CompiledRoute) extends Routes {

  /** This route alone. */
  def all: List[Route] = List(this)

  private[routing] def reachable: Reachable = Reachable.none + compiled

  /** Its method; None for all methods. */
  def method: Option[Method] = compiled.method

  private[routing] def pattern: Pattern = compiled.pattern

  /** The same route with `text` in the documentation. */
  def doc(text: String): Route = change(_.copy(doc = text))

  /** Routes before it may take its place: those of programs, at the path of what a library mounts. */
  private[needletail] def yielding: Route = change(_.copy(yields = true))

  override def priority(priority: Priority): Route = change(_.copy(priority = priority))

  override def limit(inFlight: Int, queue: Int = 0, queueTime: FiniteDuration = 1.second): Route =
    within(new Bulkhead(inFlight, queue, queueTime))

  override def withoutAdaptiveLimit: Route = change(_.copy(adaptive = false))

  override def timeout(limit: FiniteDuration): Route = {
    Setting("Routes.timeout").positive("limit", limit)
    change(_.copy(timeoutNanos = limit.toNanos))
  }

  /** In another bulkhead, which becomes the outermost and is asked first. */
  private[routing] def within(bulkhead: Bulkhead): Route =
    change(settings => settings.copy(bulkheads = bulkhead :: settings.bulkheads))

  override def mapResponse(f: (Request, Response) => Response): Route = wrapped(Around.ofResponse(f))

  override def around[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Route =
    wrapped(Around.ofCall(f))

  override def recover(f: PartialFunction[Throwable, Response]): Route = wrapped(Around.ofFailure(f))

  private[needletail] override def wrapped(around: Around): Route =
    change(settings => settings.copy(arounds = Around.outside(around, settings.arounds)))

  private def change(f: RouteSettings => RouteSettings): Route =
    new Route(compiled.withSettings(f(compiled.settings)))

  override def toString: String = compiled.toString
}

private[routing] object Route {
  def apply(pattern: Pattern, handler: Any => Reply): Route =
    new Route(new CompiledRoute(pattern, handler, RouteSettings()))
}
