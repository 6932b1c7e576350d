package needletail.routing.internal.table

import scala.annotation.tailrec

import needletail.async.{Async, Survivable}
import needletail.http.{Around, Gate, Reply, Request, Response}
import needletail.http.admission.{Priority, RouteClass}
import needletail.http.message.Method
import needletail.routing.internal.description.RouteDescription
import needletail.routing.internal.matching.{AsyncPart, Fault, Matching, Pattern, Pending, Rejected, Segment}

/**
 * A route as it is executed: matches a request whose method and path the [[Table]] has found to be this route's, applies
 * its limits, runs its filters, reads the body and calls the handler. Immutable.
 */
private[routing] final class CompiledRoute(
    val pattern: Pattern,
    handler: Any => Reply,
    val settings: RouteSettings
) {

  /** The simple patterns that it consists of, from left to right. */
  private val leaves: List[Pattern] = pattern.all.filter(_.children.isEmpty)

  /** Its segments, for the table. Without any it is the path "/", which is one empty segment. */
  val path: List[Segment] = leaves.map(_.segment).filter(_ != null) match {
    case Nil      => List(Segment.Text(""))
    case segments => segments
  }

  private val template = Segment.template(path)

  /** Equal for routes whose paths match the same requests. */
  lazy val shape: List[Segment] = path.map(_.shape)

  private lazy val demands: Set[Any] = pattern.demands(0)

  /** Its method; None for all methods. */
  val method: Option[Method] = leaves.map(_.method).filter(_ != null).distinct match {
    case Nil         => None
    case List(one)   => Some(one)
    case one :: more =>
      throw new IllegalArgumentException(
        s"a route has one method, but this one, $template, has ${(one :: more).mkString(" and ")}"
      )
  }

  if (path.init.contains(Segment.Rest))
    throw new IllegalArgumentException(s"nothing can follow the rest of a path, as it does in $this")

  if (leaves.filter(_.segment != null).dropRight(1).exists(_.isLastSegment))
    throw new IllegalArgumentException(
      s"the path of $this has an empty segment before its end, so only a request with two slashes in a row matches it: " +
        "leave the empty text out; if it is meant, write segment(\"\")"
    )

  /** Whether it answers every request that `later`, a route of the same shape, would answer. */
  def hides(later: CompiledRoute): Boolean =
    // HEAD is tried before all methods
    (method == later.method || method.isEmpty && !later.method.contains(Method.HEAD)) &&
      demands.subsetOf(later.demands)

  /** The same route with other settings. */
  def withSettings(settings: RouteSettings): CompiledRoute = new CompiledRoute(pattern, handler, settings)

  /** The documentation of this route. */
  def description: RouteDescription =
    RouteDescription(method, template, leaves.flatMap(_.description), settings.doc)

  /** Whether there is nothing to evaluate, as the table has compared method and segments and there is no value. */
  private val isLiteral: Boolean = !pattern.reads

  /** The parts that are evaluated after everything else has matched: filters in order, then the body. */
  private val waiting: Array[AsyncPart & Pattern] = {
    val parts             = leaves.collect { case part: (AsyncPart & Pattern @unchecked) => part }.distinct
    val (bodies, filters) = parts.partition(_.readsBody)
    if (bodies.length > 1)
      throw new IllegalArgumentException(s"a route can read the body only once, but $this reads it twice")
    (filters ++ bodies).toArray
  }

  /**
   * The reply if this route matches; the table has already compared method and path. Otherwise `before`, or a new
   * [[Matching]] if that is null, with the fault noted.
   */
  @inline def attempt(request: Request, before: Matching): AnyRef =
    if (isLiteral) admit(request, null, ()) else attemptValues(request, before)

  @noinline private def attemptValues(request: Request, before: Matching): AnyRef = {
    val in = if (before != null) before else new Matching(request)
    in.index = 0
    var thrown: Throwable = null
    val found             =
      try pattern.value(in)
      catch {
        case Survivable(e) =>
          thrown = e
          null
      }
    if (thrown != null) fails(request, thrown)
    else
      found match {
        case fault: Fault =>
          in.note(fault, known, settings.arounds)
          in
        case values => admit(request, in, values)
      }
  }

  /** A part of it has thrown while it was matched: as if the handler had. */
  @noinline private def fails(request: Request, cause: Throwable): Reply =
    if (settings.arounds.nonEmpty) admitOthers(request, () => throw cause)
    else {
      val gate = request.gate
      if (gate == null) request.becomes(known) else gate.answeredFor(known)
      throw cause
    }

  /** The class by which it is limited and counted. */
  private val known =
    new RouteClass(method.fold("*")(_.name), template, settings.priority, settings.adaptive)

  private val isOpen = settings.bulkheads.isEmpty && settings.arounds.isEmpty && settings.timeoutNanos == 0

  /** The route has matched. Its limits decide before a filter runs or a body is read. */
  @inline private def admit(request: Request, in: Matching, values: Any): Reply =
    if (isOpen) admitOpen(request, in, values) else admitOthers(request, () => go(in, values))

  @inline private def admitOpen(request: Request, in: Matching, values: Any): Reply = {
    val gate    = request.gate
    val refusal = if (gate == null) null else gate.enter(known)
    if (refusal == null) go(in, values)
    else if (refusal eq Gate.hold) Gate.later(request, known, () => go(in, values))
    else refusal
  }

  /** With a time limit, bulkheads or arounds; the arounds run when all limits have admitted the request. */
  @noinline private def admitOthers(request: Request, body: () => Reply): Reply = {
    val gate = request.gate
    if (settings.timeoutNanos > 0) request.limitTo(settings.timeoutNanos)
    if (settings.arounds.isEmpty) limited(request, body)
    else {
      request.dressBy(Around.dress(settings.arounds, request, _))
      request.more.reporter = gate
      if (gate == null) request.becomes(known)
      Wrapped.limited(settings.arounds, request, body, limited(request, _))
    }
  }

  private def limited(request: Request, body: () => Reply): Reply =
    if (settings.bulkheads.isEmpty) Gate.admit(request, known, body)
    else {
      val gate = request.gate // not known any more where the request has to wait for it
      Gate.admit(request, known, () => Bulkhead.pass(settings.bulkheads, request, gate, known, body))
    }

  @inline private def go(in: Matching, values: Any): Reply =
    if (values.asInstanceOf[AnyRef] eq Pending) await(in, 0) else answer(values)

  /** What the handler replies; null would mean that the route does not match. */
  @inline private def answer(values: Any): Reply = {
    val reply = handler(values)
    if (reply == null) returnedNull() else reply
  }

  @noinline private def returnedNull(): Reply =
    throw new NullPointerException(s"the handler of $this returned null")

  /** Runs filters and reads the body, from `step` on, then replies: at once if all of them complete at once. */
  @tailrec
  private def await(in: Matching, step: Int): Reply =
    if (step == waiting.length) finish(in)
    else {
      val part = waiting(step)
      if (in.isSettled(part)) await(in, step + 1)
      else {
        val pending = part.start(in.request)
        val result  = pending.resultOrNull
        if (result == null) new Reply.Later(pending.flatMap(value => settled(in, step, value)))
        else if (!result.isValue) new Reply.Later(result.map(CompiledRoute.neverCalled))
        else
          part.settle(result.value) match {
            case rejected: Rejected => rejected.response
            case value              =>
              in.settle(part, value)
              await(in, step + 1)
          }
      }
    }

  private def settled(in: Matching, step: Int, value: Any): Async[Response] = {
    val part = waiting(step)
    part.settle(value) match {
      case rejected: Rejected => Async.value(rejected.response)
      case settled            =>
        in.settle(part, settled)
        await(in, step + 1) match {
          case response: Response => Async.value(response)
          case later: Reply.Later => later.response
        }
    }
  }

  private def finish(in: Matching): Reply = {
    in.index = 0
    pattern.value(in) match {
      case fault: Fault => fault.response
      case values       => answer(values)
    }
  }

  override def toString: String = s"${method.fold("*")(_.name)} $template"
}

private[routing] object CompiledRoute {

  /** Gives a failure the type of a response. */
  private val neverCalled: Any => Response = _ => throw new IllegalStateException("a failure has no value")
}

/**
 * The settings of a route besides its pattern and handler; the outermost bulkheads and arounds come first.
 *
 * @param yields whether routes before it may answer all of its requests: it is there only in case that none does
 */
private[routing] final case class RouteSettings(
    doc: String = "",
    yields: Boolean = false,
    priority: Priority = Priority.Normal,
    adaptive: Boolean = true,
    bulkheads: List[Bulkhead] = Nil,
    arounds: List[Around] = Nil,
    timeoutNanos: Long = 0
)
