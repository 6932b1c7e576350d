package needletail.routing.internal.matching

import needletail.http.{Around, Request}
import needletail.http.admission.RouteClass
import needletail.http.message.Method

/**
 * The state of one request while routes are tried: the current path segment, the values found, and the faults so far.
 * Created only when a route has a value to read or there is a fault. Used by one thread.
 */
private[routing] final class Matching(val request: Request) {

  /** The index of the path segment for the next pattern of the path, from 0. */
  var index: Int = 0

  /** The fault to report, or null: one outside the path before one in it, otherwise the first. */
  var fault: Fault = null

  /** The arounds of the route of that fault, outermost first. */
  var aroundFault: List[Around] = Nil

  /** The route of that fault, as it is counted; null if there is none. */
  var routeOfFault: RouteClass = null

  /** Paths that matched but have no route for the method; the last one comes first. */
  var otherMethods: List[OtherMethods] = Nil

  /** Keeps `found`, a fault of `route`, if it ranks above the fault so far; `arounds` are those of the route. */
  def note(found: Fault, route: RouteClass, arounds: List[Around]): Unit =
    if (fault == null || (fault.inPath && !found.inPath)) {
      fault = found
      aroundFault = arounds
      routeOfFault = route
    }

  // ---- path segments, found by walking along the path: routes have few, and a walk needs only two numbers

  private var walked: Int = 0  // the index of the segment that begins at `from`
  private var from: Int   = -1 // offset in the path's bytes; -1 before the first walk

  private def walkTo(segment: Int): Unit = {
    val head  = request.head
    val bytes = head.pathBytes
    if (from < 0 || walked > segment) {
      walked = 0
      from = head.pathStart + 1
    }
    while (walked < segment) {
      while (bytes(from) != '/') from += 1
      from += 1
      walked += 1
    }
  }

  /** The current segment's text, or null if it is not UTF-8; advances to the next segment. */
  def takeSegment(): String = {
    walkTo(index)
    index += 1
    val head  = request.head
    val bytes = head.pathBytes
    val end   = head.pathEnd
    var until = from
    while (until < end && bytes(until) != '/') until += 1
    Percent.decode(bytes, from, until, plusIsSpace = false)
  }

  /** The texts of all segments from the current one on, or null if one is not UTF-8. */
  def takeRest(): List[String] = {
    walkTo(index)
    index += 1
    val head  = request.head
    val bytes = head.pathBytes
    val end   = head.pathEnd
    val texts = List.newBuilder[String]
    var start = from
    while (start <= end) {
      var until = start
      while (until < end && bytes(until) != '/') until += 1
      val text = Percent.decode(bytes, start, until, plusIsSpace = false)
      if (text == null) return null
      if (until > start || start > from || until < end) texts += text // an empty rest is an empty list
      start = until + 1
    }
    texts.result()
  }

  // ---- values kept, for patterns that are evaluated more than once

  private var parts: Array[Pattern] = null
  private var at: Array[Int]        = null
  private var found: Array[Any]     = null
  private var count: Int            = 0

  /** The slot that holds the value of `part` at that segment (a part may occur twice in a path), or -1. */
  private def slot(part: Pattern, segment: Int): Int = {
    var i = 0
    while (i < count) {
      if ((parts(i) eq part) && at(i) == segment) return i
      i += 1
    }
    -1
  }

  private def remember(part: Pattern, segment: Int, value: Any): Unit = {
    if (count == 0) {
      parts = new Array(4)
      at = new Array(4)
      found = new Array(4)
    } else if (count == parts.length) {
      parts = java.util.Arrays.copyOf[Pattern](parts, 2 * count)
      at = java.util.Arrays.copyOf(at, 2 * count)
      found = java.util.Arrays.copyOf(found.asInstanceOf[Array[AnyRef]], 2 * count).asInstanceOf[Array[Any]]
    }
    parts(count) = part
    at(count) = segment
    found(count) = value
    count += 1
  }

  /** The value or fault of `part`, evaluated once per request; evaluated again as long as it is [[Pending]]. */
  def once(part: Pattern): Any = {
    val segment = index
    val known   = slot(part, segment)
    if (known >= 0) {
      index = segment + part.segments
      found(known)
    } else {
      val value = part.value(this)
      if (value.asInstanceOf[AnyRef] ne Pending) remember(part, segment, value)
      value
    }
  }

  /** Whether the filter or body has its value. It has one per request, wherever it occurs. */
  def isSettled(part: Pattern): Boolean = slot(part, Matching.Anywhere) >= 0

  /** The value of a filter or body, or [[Pending]]. */
  def settled(part: Pattern): Any = {
    val known = slot(part, Matching.Anywhere)
    if (known >= 0) found(known) else Pending
  }

  /** Keeps the value of a filter or body. */
  def settle(part: Pattern, value: Any): Unit = remember(part, Matching.Anywhere, value)
}

private[routing] object Matching {
  private final val Anywhere = -1
}

/** The methods that a path has routes for, if none is for the method of the request. */
private[routing] final class OtherMethods(val methods: List[Method], val arounds: List[List[Around]])
