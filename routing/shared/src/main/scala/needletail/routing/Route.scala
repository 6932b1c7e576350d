package needletail.routing

import scala.annotation.tailrec
import scala.concurrent.duration.*

import needletail.async.{Async, ManualLoop}
import needletail.http.{Gate, Handler, Method, Priority, Reply, Request, Response, RouteClass}

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
        in.note(fault)
        in
      case values => admit(request, in, values)
    }
  }

  /** What limiters and metrics know it by. */
  private val known =
    new RouteClass(method.fold("*")(_.name), Describe.template(this), settings.priority, settings.adaptive)

  private val isOpen = settings.bulkheads.isEmpty

  /** The route has matched. Before anything of it runs, or is read, its limits are asked. */
  @inline private def admit(request: Request, in: Matching, values: Any): Reply = {
    val gate    = request.head.gate
    val refusal = if (gate == null) null else gate.enter(known)
    if (refusal == null) proceed(gate, in, values)
    else if (refusal eq Gate.hold) gate.later(known, () => proceed(gate, in, values))
    else refusal
  }

  @inline private def proceed(gate: Gate, in: Matching, values: Any): Reply =
    if (isOpen) go(in, values) else enterBulkheads(gate, in, values)

  @noinline private def enterBulkheads(gate: Gate, in: Matching, values: Any): Reply =
    Bulkhead.pass(settings.bulkheads, gate, known, () => go(in, values))

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

/** What a route has beside its pattern and handler; the outermost bulkhead comes first. */
private[routing] final case class RouteSettings(
    doc: String = "",
    priority: Priority = Priority.Normal,
    adaptive: Boolean = true,
    bulkheads: List[Bulkhead] = Nil
)
