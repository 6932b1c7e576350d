package needletail.routing

import scala.annotation.tailrec
import scala.concurrent.duration.*

import needletail.async.{Async, ManualLoop}
import needletail.http.{
  Around,
  Gate,
  Handler,
  Method,
  Priority,
  Reply,
  Request,
  Response,
  RouteClass,
  ToReply
}

/**
 * Routes, as a handler: each request is answered by the one route that fits best.
 *
 * Where the path fits several, a literal segment goes before a captured one and that before the rest of a path,
 * at the leftmost segment where they differ; routes of one shape are tried in order of declaration. The first
 * that matches wins. If none does, the answer is 400 (or 415) with what was wrong, if only the method was not
 * right 405 with Allow, else 404; a method that nobody knows is 501.
 *
 * What handlers, filters and other functions of the user throw is not caught here but by the server.
 */
sealed abstract class Routes extends Handler {

  /** The routes, in order of declaration. */
  def all: List[Route]

  private lazy val table = new Table(all)

  final def apply(request: Request): Reply = table(request)

  /** Each route has its own. */
  private[needletail] final override def routeClass: RouteClass = null

  /** Both, these first. */
  final def ++(more: Routes): Routes = Routes(this, more)

  /** The same routes, with that priority when there is more to do than can be done. */
  def priority(priority: Priority): Routes = Routes(all.map(_.priority(priority))*)

  /**
   * The same routes in a bulkhead: all of them together have at most `inFlight` requests under way, on all loops.
   * Others wait, at most `queue` of them and each at most `queueTime`, then they are answered 503, as are those who
   * find no place. A request is under way from the moment it is known to be one of these routes' until there is a
   * response (what is streamed afterwards does not count). It leaves the queue when its client does.
   */
  def limit(inFlight: Int, queue: Int = 0, queueTime: FiniteDuration = 1.second): Routes = {
    val shared = new Bulkhead(inFlight, queue, queueTime)
    Routes(all.map(_.within(shared))*)
  }

  /**
   * The same routes without the limit of requests in flight that the server finds by itself, out of how long they
   * take: for those that take long on purpose, such as one that waits for news.
   */
  def unlimited: Routes = Routes(all.map(_.unlimited)*)

  /**
   * Answers a request without a socket, for tests: `routes.test(Request.get("/foo/3/hello")).text`. Time is
   * virtual, so that time-outs are tested at once.
   */
  final def test(request: Request, loop: ManualLoop = new ManualLoop): TestReply =
    TestReply(this, request, loop)

  /**
   * The same routes, with `f` applied to each response that goes out for them: what they answer, what their failures
   * become (an `HttpError`, or 500 for an exception), what their filters and limits answer in their place, the 400, 404
   * and 405 of what was meant for them, and the handler's time-out. They stay routes: priorities, limits and names in
   * the metrics are as before.
   *
   * {{{
   * routes.mapResponse((request, response) => response.header("Access-Control-Allow-Origin", "*"))
   * }}}
   * What no route matches is these routes' only where all of a server's have this around them.
   */
  override def mapResponse(f: (Request, Response) => Response): Routes = wrapped(Around.ofResponse(f))

  /**
   * The same routes, with `f` called in place of each; `next()`, called at most once, goes on with the route: its
   * filters, its body, its handler. `next()` does not fail: failures are responses by then, and logged. It is called
   * when the request has been let in; what is refused under load does not come here. Answers of the routes themselves
   * (400, 404, 405, OPTIONS) do.
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

  /** The same routes, with responses for those of their failures that `f` is defined for. They are not logged. */
  override def recover(f: PartialFunction[Throwable, Response]): Routes = wrapped(Around.ofFailure(f))

  private[needletail] override def wrapped(around: Around): Routes = Routes(all.map(_.wrapped(around))*)

  /** What these routes are: method, path, parameters with types, documentation. */
  final def describe: Description = Describe(all)
}

object Routes {

  /** Routes of routes; a [[Route]] is one. */
  def apply(routes: Routes*): Routes = {
    val list = routes.toList.flatMap(_.all)
    new Several(list)
  }

  private final class Several(val all: List[Route]) extends Routes {
    override def toString: String = all.mkString("Routes(", ", ", ")")
  }
}

/** One route: what it asks of a request and how it answers; made by `to`. Immutable. */
final class Route private (
    private[routing] val pattern: Part[?],
    handler: Any => Reply,
    private[routing] val settings: RouteSettings
) extends Routes {
  def all: List[Route] = List(this)

  private[routing] val leaves: List[Part[?]] = pattern.all.filter(_.children.isEmpty)

  /** Its method; `None` for all. */
  val method: Option[Method] = leaves.collect { case m: MethodPart => m.means }.distinct match {
    case Nil         => None
    case List(one)   => Some(one)
    case one :: more =>
      throw new IllegalArgumentException(
        s"a route has one method, this one $one and ${more.mkString(" and ")}"
      )
  }

  /** Its segments, for the table; the path of none is "/", which is one that is empty. */
  private[routing] val shape: List[Part[?]] = leaves.filter(_.segments > 0) match {
    case Nil                                               => List(Literal.empty)
    case path if path.init.exists(_.isInstanceOf[Rest[?]]) =>
      throw new IllegalArgumentException(s"nothing can follow the rest of a path, as it does in $this")
    case path => path
  }

  /** A text for the documentation. */
  def doc(text: String): Route = copy(settings.copy(doc = text))

  override def priority(priority: Priority): Route = copy(settings.copy(priority = priority))

  override def limit(inFlight: Int, queue: Int = 0, queueTime: FiniteDuration = 1.second): Route =
    within(new Bulkhead(inFlight, queue, queueTime))

  override def unlimited: Route = copy(settings.copy(adaptive = false))

  /** In one bulkhead more; the outermost is asked first. */
  private[routing] def within(bulkhead: Bulkhead): Route =
    copy(settings.copy(bulkheads = bulkhead :: settings.bulkheads))

  override def mapResponse(f: (Request, Response) => Response): Route = wrapped(Around.ofResponse(f))

  override def around[R](f: (Request, () => Async[Response]) => R)(implicit toReply: ToReply[R]): Route =
    wrapped(Around.ofCall(f))

  override def recover(f: PartialFunction[Throwable, Response]): Route = wrapped(Around.ofFailure(f))

  private[needletail] override def wrapped(around: Around): Route =
    copy(settings.copy(arounds = around :: settings.arounds))

  private def copy(settings: RouteSettings): Route = new Route(pattern, handler, settings)

  /** Nothing to evaluate: the table has checked method and segments, and there is no value. */
  private val isLiteral: Boolean = !pattern.reads

  /** Filters in their order, then the body. */
  private val waiting: Array[AsyncPart & Part[?]] = {
    val parts  = leaves.collect { case part: (AsyncPart & Part[?] @unchecked) => part }.distinct
    val bodies = parts.filter(_.isInstanceOf[BodyPart[?]])
    if (bodies.length > 1) throw new IllegalArgumentException("a route reads the body once, this one twice")
    (parts.filterNot(bodies.contains) ++ bodies).toArray
  }

  /**
   * The reply if this route, whose method and path shape the request has, matches; else `before`, or a new
   * [[Matching]], with what was wrong noted.
   */
  @inline private[routing] def attempt(request: Request, before: Matching): AnyRef =
    if (isLiteral) admit(request, null, ()) else attemptValues(request, before)

  @noinline private def attemptValues(request: Request, before: Matching): AnyRef = {
    val in = if (before != null) before else new Matching(request)
    in.index = 0
    pattern.value(in) match {
      case fault: Fault =>
        in.note(fault, this)
        in
      case values => admit(request, in, values)
    }
  }

  /** What limiters and metrics know it by. */
  private val known =
    new RouteClass(method.fold("*")(_.name), Describe.template(this), settings.priority, settings.adaptive)

  private val isOpen = settings.bulkheads.isEmpty && settings.arounds.isEmpty

  /** The route has matched. Before anything of it runs, or is read, its limits are asked. */
  @inline private def admit(request: Request, in: Matching, values: Any): Reply =
    if (isOpen) admitOpen(request.gate, in, values) else admitOthers(request, in, values)

  @inline private def admitOpen(gate: Gate, in: Matching, values: Any): Reply = {
    val refusal = if (gate == null) null else gate.enter(known)
    if (refusal == null) go(in, values)
    else if (refusal eq Gate.hold) gate.later(known, () => go(in, values))
    else refusal
  }

  /** With bulkheads, or with something around it: what is around runs when all limits have let the request in. */
  @noinline private def admitOthers(request: Request, in: Matching, values: Any): Reply = {
    val gate = request.gate
    val body = () => go(in, values)
    if (settings.arounds.isEmpty) limited(gate, body)
    else {
      def dressed(response: Response): Response = Around.dress(settings.arounds, request, response)
      var hasBegun                              = false
      request.more.dress = dressed
      request.more.reporter = gate
      if (gate == null) request.becomes(known)
      val reply = limited(
        gate,
        () => {
          hasBegun = true
          Around.run(settings.arounds, request, body)
        }
      )
      // what is answered before it has begun is a limit's refusal
      reply match {
        case response: Response => if (hasBegun) response else dressed(response)
        case later: Reply.Later =>
          if (hasBegun) later
          else new Reply.Later(later.response.map(response => if (hasBegun) response else dressed(response)))
      }
    }
  }

  private def limited(gate: Gate, body: () => Reply): Reply =
    Gate.admit(gate, known, () => Bulkhead.pass(settings.bulkheads, gate, known, body))

  @inline private def go(in: Matching, values: Any): Reply =
    if (values.asInstanceOf[AnyRef] eq Pending) await(in, 0) else handler(values)

  /** Runs what had to wait, from `step` on, and answers: at once if all of it comes at once. */
  @tailrec
  private def await(in: Matching, step: Int): Reply =
    if (step == waiting.length) finish(in)
    else {
      val part = waiting(step)
      if (in.hasCome(part)) await(in, step + 1)
      else {
        val pending = part.start(in.request)
        val result  = pending.resultOrNull
        if (result == null) new Reply.Later(pending.flatMap(value => settled(in, step, value)))
        else if (!result.isValue) new Reply.Later(result.map(Route.neverCalled))
        else
          part.settle(result.value) match {
            case rejected: Rejected => rejected.response
            case value              =>
              in.come(part, value)
              await(in, step + 1)
          }
      }
    }

  private def settled(in: Matching, step: Int, value: Any): Async[Response] = {
    val part = waiting(step)
    part.settle(value) match {
      case rejected: Rejected => Async.value(rejected.response)
      case settled            =>
        in.come(part, settled)
        await(in, step + 1) match {
          case response: Response => Async.value(response)
          case later: Reply.Later => later.response
        }
    }
  }

  private def finish(in: Matching): Reply = {
    in.index = 0
    pattern.value(in) match {
      case fault: Fault => fault.error.response
      case values       => handler(values)
    }
  }

  override def toString: String = s"${method.fold("*")(_.name)} ${Describe.template(this)}"
}

private[routing] object Route {
  def apply(pattern: Part[?], handler: Any => Reply): Route = new Route(pattern, handler, RouteSettings())

  /** Gives a failure the type of a response. */
  private val neverCalled: Any => Response = _ => throw new IllegalStateException("a failure has no value")
}

/** What a route has beside its pattern and handler; of bulkheads and arounds the outermost comes first. */
private[routing] final case class RouteSettings(
    doc: String = "",
    priority: Priority = Priority.Normal,
    adaptive: Boolean = true,
    bulkheads: List[Bulkhead] = Nil,
    arounds: List[Around] = Nil
)
