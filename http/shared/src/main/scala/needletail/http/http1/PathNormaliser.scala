package needletail.http.http1

import needletail.http.message.{HttpError, Status}
import needletail.http.text.Grammar

/**
 * Normalises a path (RFC 3986 §6.2.2): decodes escaped unreserved bytes, changes the digits of other escapes to upper
 * case, then removes dot segments, never above the root. An encoded slash stays encoded, so it never divides segments.
 *
 * Web servers differ here: most make one slash of several and decode encoded slashes, before they remove dot segments.
 * A path that would lead them elsewhere is refused, as their rules about paths would be checked for another one than
 * is served (decision 5). Of these, browsers send only segments such as "..%2Fa".
 */
private[needletail] object PathNormaliser {

  private val ambiguous = HttpError(
    Status.BadRequest,
    "the path of the request has .. behind an empty segment or next to an encoded slash, which not all servers resolve alike"
  )

  /**
   * Normalises the path of `head`, which begins with "/" and whose escapes are well formed. Returns the error, or null.
   */
  def normalise(head: Head): HttpError = {
    val in      = head.bytes
    val until   = head.base + head.pathUntil
    val out     = new Array[Byte](head.pathUntil - head.pathFrom)
    var escaped = false
    out(0) = '/'
    var o       = 1     // where the next byte is written
    var segment = 1     // where the current segment begins; the byte before it is a slash
    var slash   = false // whether it has an encoded slash
    var p       = head.base + head.pathFrom + 1
    while (p <= until) {
      if (p == until || in(p) == '/') {
        if (isDots(out, segment, o, 1)) o = segment
        else if (isDots(out, segment, o, 2)) {
          o = segment
          if (segment > 1) {
            o -= 1
            while (out(o - 1) != '/') o -= 1
            if (o == segment - 1 || encodedSlash(out, o, segment) < segment) return ambiguous
          }
        } else {
          if (slash && climbs(out, segment, o)) return ambiguous
          if (p < until) {
            out(o) = '/'
            o += 1
          }
        }
        segment = o
        slash = false
        p += 1
      } else if (in(p) == '%') {
        val byte = (Grammar.hex(in(p + 1)) << 4) | Grammar.hex(in(p + 2))
        if (Grammar.isUnreserved(byte)) {
          out(o) = byte.toByte
          o += 1
        } else {
          out(o) = '%'
          out(o + 1) = upper(in(p + 1))
          out(o + 2) = upper(in(p + 2))
          o += 3
          if (byte == '/') slash = true
        }
        p += 3
      } else {
        out(o) = in(p)
        o += 1
        p += 1
      }
    }
    var i = 0
    while (i < o && !escaped) {
      escaped = out(i) == '%'
      i += 1
    }
    head.rewrittenPath = out
    head.pathFrom = 0
    head.pathUntil = o
    head.pathEscaped = escaped
    null
  }

  /** Where the first encoded slash from `from` on begins; `until` if there is none. */
  private def encodedSlash(out: Array[Byte], from: Int, until: Int): Int = {
    var i = from
    while (i < until && !(out(i) == '%' && out(i + 1) == '2' && out(i + 2) == 'F')) i += 1
    i
  }

  /** Whether encoded slashes divide this segment into parts of which one is "..". */
  private def climbs(out: Array[Byte], from: Int, until: Int): Boolean = {
    var at    = from
    var found = false
    while (at <= until && !found) {
      val end = encodedSlash(out, at, until)
      found = isDots(out, at, end, 2)
      at = end + 3
    }
    found
  }

  private def isDots(out: Array[Byte], from: Int, until: Int, count: Int): Boolean =
    until - from == count && out(from) == '.' && out(until - 1) == '.'

  private def upper(digit: Byte): Byte = if (digit >= 'a') (digit - 0x20).toByte else digit
}
