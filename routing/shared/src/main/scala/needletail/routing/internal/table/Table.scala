package needletail.routing.internal.table

import needletail.http.{Around, Gate, Reply, Request, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.{HttpError, Method, Status}
import needletail.http.text.Swar
import needletail.routing.internal.matching.Matching

/**
 * The routing table: a trie over path segments with the methods at its leaves. The time of a lookup depends on the
 * number of segments, not on the number of literal routes. It allocates nothing until a route has a value to read.
 */
private[routing] class Table(routes: List[CompiledRoute]) {
  private val root: Node              = Node.of(routes)
  private val ownMethods: Set[Method] = routes.flatMap(_.method).toSet
  private val common: List[Around]    = Table.common(routes.map(_.settings.arounds))

  /** Called for each node and route visited; overridden only by a test, which counts. */
  protected def step(): Unit = ()

  def apply(request: Request): Reply = {
    val head   = request.head
    val result =
      if (head.pathUntil == head.pathFrom) null // CONNECT: its target has no path
      else search(root, request, head.pathBytes, head.pathStart + 1, head.pathEnd, head.pathEscaped, null)
    result match {
      case reply: Reply => reply
      case null         => unmatched(request)
      case matching     => refuse(request, matching.asInstanceOf[Matching])
    }
  }

  /**
   * The reply of the first route below `node` that matches; otherwise `before`, or a new [[Matching]], with the faults
   * noted. `from` is the offset of a segment's first byte.
   */
  private def search(
      node: Node,
      request: Request,
      bytes: Array[Byte],
      from: Int,
      end: Int,
      escaped: Boolean,
      before: Matching
  ): AnyRef = {
    step()
    val until          = Swar.indexOf(bytes, '/', from, end)
    var result: AnyRef = before
    val literal        = node.child(bytes, from, until, escaped)
    if (literal != null)
      result =
        if (until == end) attempt(literal.leaf, request, before)
        else search(literal, request, bytes, until + 1, end, escaped, before)
    if (node.captured != null && until > from && !result.isInstanceOf[Reply]) {
      val sofar = result.asInstanceOf[Matching]
      result =
        if (until == end) attempt(node.captured.leaf, request, sofar)
        else search(node.captured, request, bytes, until + 1, end, escaped, sofar)
    }
    if (node.rest != null && !result.isInstanceOf[Reply])
      result = attempt(node.rest, request, result.asInstanceOf[Matching])
    result
  }

  @inline private def attempt(leaf: Leaf, request: Request, before: Matching): AnyRef =
    if (leaf == null) before
    else {
      val candidates = leaf.routes(request.method)
      if (candidates == null) otherMethod(leaf, request, before)
      else {
        var result: AnyRef = before
        var i              = 0
        while (i < candidates.length && !result.isInstanceOf[Reply]) {
          step()
          result = candidates(i).attempt(request, result.asInstanceOf[Matching])
          i += 1
        }
        result
      }
    }

  @noinline private def otherMethod(leaf: Leaf, request: Request, before: Matching): Matching = {
    val in = if (before != null) before else new Matching(request)
    in.otherMethods = leaf.otherMethods :: in.otherMethods
    in
  }

  @noinline private def refuse(request: Request, in: Matching): Reply =
    if (in.fault != null) refusedByPart(request, in)
    else if (isUnknown(request.method)) unmatched(request)
    else {
      val others  = in.otherMethods.reverse
      val allow   = Table.allow(others.flatMap(_.methods))
      val arounds = Table.common(others.flatMap(_.arounds))
      if (request.method eq Method.OPTIONS) {
        val options = Response(Status.NoContent).header("Allow", allow)
        if (arounds.nonEmpty) Wrapped.admit(arounds, request, RouteClass.options, options)
        else {
          val gate = request.gate
          if (gate != null) gate.answeredFor(RouteClass.options)
          options
        }
      } else answer(request, arounds, Table.methodNotAllowed.header("Allow", allow))
    }

  /** A part of a route has refused the request: it is counted as that route's. */
  private def refusedByPart(request: Request, in: Matching): Reply = {
    val gate = request.gate
    if (gate == null) request.becomes(in.routeOfFault)
    if (in.aroundFault.nonEmpty) Wrapped.admit(in.aroundFault, request, in.routeOfFault, in.fault.response)
    else {
      if (gate != null) gate.answeredFor(in.routeOfFault)
      in.fault.response
    }
  }

  @noinline private def unmatched(request: Request): Reply = {
    val method = request.method
    answer(
      request,
      common,
      if (isUnknown(method) || (method eq Method.CONNECT)) Table.notImplemented else Table.notFound
    )
  }

  /**
   * A response of the table itself, passed through the arounds of the routes that the request may have been meant for.
   */
  private def answer(request: Request, arounds: List[Around], response: Response): Reply = {
    val gate = request.gate
    if (gate != null) gate.unmatched()
    if (arounds.isEmpty) response
    else
      Wrapped.limited(
        arounds,
        request,
        () => {
          val now = request.gate // another one where the request had to wait
          if (now != null) now.unmatched() // what is called next may find a route
          response
        },
        Gate.admit(request, RouteClass.unmatched, _)
      )
  }

  /** Whether the method is neither registered nor used by a route (RFC 9110 §15.6.2). */
  private def isUnknown(method: Method): Boolean =
    method.code < 0 && !ownMethods.contains(method) && !Table.registered.contains(method.name)
}

private[routing] object Table {
  private val notFound         = Response.of(HttpError(Status.NotFound, "not found"))
  private val methodNotAllowed = Response.of(HttpError(Status.MethodNotAllowed, "method not allowed"))
  private val notImplemented   = Response.of(HttpError(Status.NotImplemented, "method not implemented"))

  /** The arounds that some routes have in common, outermost first. */
  private def common(arounds: List[List[Around]]): List[Around] =
    if (arounds.isEmpty) Nil
    else arounds.reduceLeft((one, other) => one.zip(other).takeWhile { case (a, b) => a eq b }.map(_._1))

  /** The value of Allow: with GET also HEAD, and always OPTIONS. */
  private def allow(methods: List[Method]): String = {
    val head = if (methods.contains(Method.GET)) List(Method.HEAD) else Nil
    val all  = (methods ++ head :+ Method.OPTIONS).distinct
    all.sortBy(method => if (method.code < 0) Int.MaxValue else method.code).mkString(", ")
  }

  /** The IANA registry of methods (RFC 9110 §16.1), except those that `Method` has as constants. */
  private val registered: Set[String] = (
    "ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL " +
      "MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH QUERY REBIND REPORT SEARCH UNBIND " +
      "UNCHECKOUT UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL"
  ).split(' ').toSet
}
