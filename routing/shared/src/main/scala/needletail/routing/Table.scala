package needletail.routing

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.{Around, HttpError, Method, Octets, Reply, Request, Response, Status}

/**
 * Routes as one decision structure: a trie over path segments, the methods at its leaves. How long a look-up
 * takes depends on the number of segments, not on the number of literal routes, and it allocates nothing until a
 * route has a value to read.
 */
private[routing] class Table(routes: List[Route]) {
  private val root: Node              = Node.of(routes)
  private val ownMethods: Set[Method] = routes.flatMap(_.method).toSet
  private val common: List[Around]    = Table.common(routes)

  /** Called for each node and each route looked at; nothing but a test that counts overrides it. */
  protected def step(): Unit = ()

  def apply(request: Request): Reply = {
    val head   = request.head
    val result =
      if (head.pathUntil == head.pathFrom) null // CONNECT: its target is no path
      else search(root, request, head.pathBytes, head.pathStart + 1, head.pathEnd, head.pathEscaped, null)
    result match {
      case reply: Reply => reply
      case null         => unmatched(request)
      case matching     => refuse(request, matching.asInstanceOf[Matching])
    }
  }

  /**
   * The reply of the first route below `node` that matches; else `before`, or a [[Matching]] made on the way,
   * with what was wrong noted. `from` is where a segment begins.
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
    val until          = Octets.indexOf(bytes, '/', from, end)
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
    in.otherMethods = leaf :: in.otherMethods
    in
  }

  @noinline private def refuse(request: Request, in: Matching): Reply =
    if (in.fault != null) answer(request, in.blamed.settings.arounds, in.fault.error.response)
    else if (isUnknown(request.method)) unmatched(request)
    else {
      val others   = in.otherMethods.reverse
      val allow    = Table.allow(others.flatMap(_.methods))
      val response =
        if (request.method eq Method.OPTIONS) Response(Status.NoContent).header("Allow", allow)
        else Table.methodNotAllowed.header("Allow", allow)
      answer(request, Table.common(others.flatMap(_.all)), response)
    }

  @noinline private def unmatched(request: Request): Reply = {
    val method = request.method
    answer(
      request,
      common,
      if (isUnknown(method) || (method eq Method.CONNECT)) Table.notImplemented else Table.notFound
    )
  }

  /** Answers for routes, with what is around those that it may have been meant for. */
  private def answer(request: Request, arounds: List[Around], response: Response): Reply = {
    val gate = request.gate
    if (gate != null) gate.unmatched()
    if (arounds.isEmpty) response else Around.run(arounds, request, () => response)
  }

  /** Neither registered nor any route's (RFC 9110 §15.6.2). */
  private def isUnknown(method: Method): Boolean =
    method.code < 0 && !ownMethods.contains(method) && !Table.registered.contains(method.name)
}

private[routing] object Table {
  private val notFound         = HttpError(Status.NotFound, "not found").response
  private val methodNotAllowed = HttpError(Status.MethodNotAllowed, "method not allowed").response
  private val notImplemented   = HttpError(Status.NotImplemented, "method not implemented").response

  /** What is around all of these routes, outermost first. */
  private def common(routes: List[Route]): List[Around] =
    if (routes.isEmpty) Nil
    else
      routes.map(_.settings.arounds).reduceLeft((one, other) =>
        one.zip(other).takeWhile { case (a, b) => a eq b }.map(_._1)
      )

  /** A value for Allow: GET brings HEAD, and OPTIONS is always answered. */
  private def allow(methods: List[Method]): String = {
    val head = if (methods.contains(Method.GET)) List(Method.HEAD) else Nil
    val all  = (methods ++ head :+ Method.OPTIONS).distinct
    all.sortBy(method => if (method.code < 0) Int.MaxValue else method.code).mkString(", ")
  }

  /** The IANA registry of methods (RFC 9110 §16.1), but for those that `Method` has as constants. */
  private val registered: Set[String] = (
    "ACL BASELINE-CONTROL BIND CHECKIN CHECKOUT COPY LABEL LINK LOCK MERGE MKACTIVITY MKCALENDAR MKCOL " +
      "MKREDIRECTREF MKWORKSPACE MOVE ORDERPATCH PRI PROPFIND PROPPATCH QUERY REBIND REPORT SEARCH UNBIND " +
      "UNCHECKOUT UNLINK UNLOCK UPDATE UPDATEREDIRECTREF VERSION-CONTROL"
  ).split(' ').toSet
}

/**
 * What may follow at one place of a path. Immutable after construction.
 *
 * @param literals by open addressing: a power of two, at most half full; null where there is none
 * @param captured for any one segment that is not empty; may be null
 * @param rest for anything; may be null
 * @param leaf where the path ends here; may be null
 */
private[routing] final class Node private (
    literals: Array[Node.Entry],
    val captured: Node,
    val rest: Leaf,
    val leaf: Leaf
) {

  /** The node behind the literal that the segment spells, or null. */
  @inline def child(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Node =
    if (literals == null) null
    else {
      val table = literals
      val mask  = table.length - 1
      var i     = Percent.hash(bytes, from, until, escaped) & mask
      var entry = table(i)
      while (entry != null && !entry.spelled(bytes, from, until, escaped)) {
        i = (i + 1) & mask
        entry = table(i)
      }
      if (entry == null) null else entry.next
    }
}

private[routing] object Node {
  final class Entry(octets: Array[Byte], val next: Node) {
    private val length = octets.length
    private val tail   = (length - 1) & 7 // one less than the octets of the last word
    private val last   = if (length == 0) 0L else Octets.load(octets, length - tail - 1, tail + 1)

    /** Do these octets spell the literal? Eight at a time where they stand for themselves. */
    @inline def spelled(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Boolean =
      if (escaped) Percent.same(bytes, from, until, octets, plusIsSpace = false)
      else
        until - from == length && (length == 0 || {
          val own = octets
          val end = length - tail - 1
          var i   = 0
          while (i < end && Octets.load(bytes, from + i) == Octets.load(own, i)) i += 8
          i == end && Octets.load(bytes, from + end, tail + 1) == last
        })
  }

  /** A node under construction. */
  private final class Draft {
    val literals            = scala.collection.mutable.LinkedHashMap.empty[String, Draft]
    var captured: Draft     = null
    var rest: List[Route]   = Nil
    var ending: List[Route] = Nil

    def add(route: Route, shape: List[Part[?]]): Unit = shape match {
      case Nil                  => ending = route :: ending
      case (l: Literal) :: more => literals.getOrElseUpdate(l.text, new Draft).add(route, more)
      case (_: Rest[?]) :: _    => rest = route :: rest
      case _ :: more            =>
        if (captured == null) captured = new Draft
        captured.add(route, more)
    }

    def result: Node = {
      val table =
        if (literals.isEmpty) null
        else new Array[Entry](Integer.highestOneBit(literals.size * 4 - 1))
      literals.foreach { case (text, draft) =>
        val octets = text.getBytes(UTF_8)
        var i      = Percent.hash(octets, 0, octets.length, escaped = false) & (table.length - 1)
        while (table(i) != null) i = (i + 1) & (table.length - 1)
        table(i) = new Entry(octets, draft.result)
      }
      new Node(
        table,
        if (captured == null) null else captured.result,
        Leaf.of(rest.reverse),
        Leaf.of(ending.reverse)
      )
    }
  }

  def of(routes: List[Route]): Node = {
    val draft = new Draft
    routes.foreach(route => draft.add(route, route.shape))
    draft.result
  }
}

/** The routes of one path shape, by method. */
private[routing] final class Leaf private (val all: List[Route]) {
  private val byCode: Array[Array[Route]]       = Method.known.map(candidates)
  private val others: Map[Method, Array[Route]] =
    methods.filter(_.code < 0).map(method => method -> candidates(method)).toMap
  private val ofAnyMethod: Array[Route] = Leaf.orNull(all.filter(_.method.isEmpty))

  /** The candidates for a request of that method, in order; null where there are none. */
  @inline def routes(method: Method): Array[Route] =
    if (method.code >= 0) byCode(method.code) else others.getOrElse(method, ofAnyMethod)

  def methods: List[Method] = all.flatMap(_.method)

  private def candidates(method: Method): Array[Route] = {
    def of(method: Method) = all.filter(_.method.forall(_ == method))
    // HEAD is answered by what GET would answer, its content left off (RFC 9110 §9.3.2)
    Leaf.orNull(
      if (method eq Method.HEAD) all.filter(_.method.contains(Method.HEAD)) ++ of(Method.GET) else of(method)
    )
  }
}

private[routing] object Leaf {
  def of(routes: List[Route]): Leaf = if (routes.isEmpty) null else new Leaf(routes)

  private def orNull(routes: List[Route]): Array[Route] = if (routes.isEmpty) null else routes.toArray
}
