package needletail.http.http1

import needletail.http.text.Grammar

/**
 * Normalises a path (RFC 3986 §6.2.2): decodes escaped unreserved bytes, changes the digits of other escapes to upper
 * case, then removes dot segments, never above the root. An encoded slash stays encoded, so it never divides segments.
 */
private[needletail] object PathNormaliser {

  /** Normalises the path of `head`, which begins with "/" and whose escapes are well formed. */
  def normalise(head: Head): Unit = {
    val in      = head.bytes
    val until   = head.base + head.pathUntil
    val out     = new Array[Byte](head.pathUntil - head.pathFrom)
    var escaped = false
    out(0) = '/'
    var o       = 1 // where the next byte is written
    var segment = 1 // where the current segment begins; the byte before it is a slash
    var p       = head.base + head.pathFrom + 1
    while (p <= until) {
      if (p == until || in(p) == '/') {
        if (isDots(out, segment, o, 1)) o = segment
        else if (isDots(out, segment, o, 2)) {
          o = segment - 1
          while (o > 0 && out(o - 1) != '/') o -= 1
          if (o == 0) o = 1
        } else if (p < until) {
          out(o) = '/'
          o += 1
        }
        segment = o
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
  }

  private def isDots(out: Array[Byte], from: Int, until: Int, count: Int): Boolean =
    until - from == count && out(from) == '.' && out(until - 1) == '.'

  private def upper(digit: Byte): Byte = if (digit >= 'a') (digit - 0x20).toByte else digit
}
