package needletail.routing

import needletail.http.Request

/**
 * One request while routes are tried on it: where the path parts are, what has been found, and what was wrong
 * so far. Made only when a route has something to read or something was wrong; one request's, one thread's.
 */
private[routing] final class Matching(val request: Request) {

  /** The path segment that the next path part stands for, from 0. */
  var index: Int = 0

  /** The most telling fault so far, or null: any past the path before one in it, else the first. */
  var fault: Fault = null

  /** Paths that matched, with routes for other methods only. */
  var otherMethods: List[Leaf] = Nil

  /** The route whose fault that is. */
  var blamed: Route = null

  def note(found: Fault, of: Route): Unit =
    if (fault == null || (fault.inPath && !found.inPath)) {
      fault = found
      blamed = of
    }

  // ---- path segments, found again by walking: routes have few, and what a walk needs is two numbers

  private var walked: Int = 0  // the segment that begins at `from`
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

  /** The current segment's text, or null where it is not UTF-8; goes on to the next segment. */
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

  /** The texts of all segments from the current one on, or null where one is not UTF-8. */
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
      if (until > start || start > from || until < end) texts += text // nothing at all is an empty list
      start = until + 1
    }
    texts.result()
  }

  // ---- values remembered, for parts that are asked more than once

  private var parts: Array[Part[?]] = null
  private var at: Array[Int]        = null
  private var found: Array[Any]     = null
  private var count: Int            = 0

  /** Where `part` is remembered, for the segment it stands at (one part may stand twice in a path), or -1. */
  private def slot(part: Part[?], segment: Int): Int = {
    var i = 0
    while (i < count) {
      if ((parts(i) eq part) && at(i) == segment) return i
      i += 1
    }
    -1
  }

  private def remember(part: Part[?], segment: Int, value: Any): Unit = {
    if (count == 0) {
      parts = new Array(4)
      at = new Array(4)
      found = new Array(4)
    } else if (count == parts.length) {
      parts = java.util.Arrays.copyOf[Part[?]](parts, 2 * count)
      at = java.util.Arrays.copyOf(at, 2 * count)
      found = java.util.Arrays.copyOf(found.asInstanceOf[Array[AnyRef]], 2 * count).asInstanceOf[Array[Any]]
    }
    parts(count) = part
    at(count) = segment
    found(count) = value
    count += 1
  }

  /** The value or fault of `part`, evaluated once for the request; while it is pending it is asked again. */
  def once(part: Part[?]): Any = {
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

  /** Has the part that had to wait its value? There is one for the request, wherever it stands. */
  def hasCome(part: Part[?]): Boolean = slot(part, Matching.Anywhere) >= 0

  /** The value of a part that had to wait, or [[Pending]]. */
  def awaited(part: Part[?]): Any = {
    val known = slot(part, Matching.Anywhere)
    if (known >= 0) found(known) else Pending
  }

  def come(part: Part[?], value: Any): Unit = remember(part, Matching.Anywhere, value)
}

private[routing] object Matching {
  private final val Anywhere = -1
}
