package needletail.http

/**
 * Field lines up to and with the empty line that ends them (RFC 9112 §5), read strictly: every line ends in
 * CRLF, nothing stands between name and colon, no line is folded, no control is let through.
 *
 * It stops where the octets end and goes on there, so that a section that comes octet by octet costs no more
 * than one that comes whole, and what is wrong is found at the octet that is wrong. Shared by heads and trailers.
 */
private[needletail] final class FieldParser(maxFields: Int) {

  /** What is wrong, after `parse` has answered Bad. */
  var error: HttpError = null

  // Where in a line the octets ended; `mark` is where its name or value began. Offsets from the fields' base.
  private var phase = FieldParser.Begin
  private var pos   = 0
  private var mark  = 0

  def reset(): Unit = {
    phase = FieldParser.Begin
    if (error != null) error = null
  }

  /**
   * Reads on in `into.bytes`. Answers the offset after the final empty line, More, or Bad.
   *
   * @param start where the first line begins
   * @param end where the octets end for now; both count from `into.base`
   */
  def parse(into: Fields, start: Int, end: Int): Int = {
    import FieldParser.*
    val bytes = into.bytes
    val base  = into.base
    val stop  = base + end
    var state = phase
    var p     = base + pos
    var from  = base + mark
    if (state == Begin) {
      p = base + start
      from = p
      state = Name
    }
    while (true) {
      if (state == Name) {
        p = nameEnd(bytes, p, stop)
        if (p == stop) return more(Name, p - base, from - base)
        if (bytes(p) != ':') {
          if (p > from || bytes(p) != '\r') return badName(bytes(p), p == from)
          if (p + 1 == stop) return more(Name, p - base, from - base)
          if (bytes(p + 1) != '\n') return bad("a line must end in CRLF")
          return p + 2 - base
        }
        if (p == from) return bad("a header name must not be empty")
        if (into.fieldCount == maxFields) return tooMany()
        into.openField(from - base, p - base)
        p += 1
        state = Space
      }
      if (state == Space) {
        while (p < stop && (bytes(p) == ' ' || bytes(p) == '\t')) p += 1
        if (p == stop) return more(Space, p - base, 0)
        from = p
        state = Value
      }
      p = valueEnd(bytes, p, stop)
      if (p == stop) return more(Value, p - base, from - base)
      if (bytes(p) != '\r') return bad("a header value must not hold a control character or a bare LF")
      if (p + 1 == stop) return more(Value, p - base, from - base)
      if (bytes(p + 1) != '\n') return bad("a header value must not hold a bare CR")
      var until = p
      while (until > from && (bytes(until - 1) == ' ' || bytes(until - 1) == '\t')) until -= 1
      into.closeField(from - base, until - base)
      p += 2
      from = p
      state = Name
    }
    Bad // not reached
  }

  private def more(state: Int, at: Int, from: Int): Int = {
    phase = state
    pos = at
    mark = from
    FieldParser.More
  }

  private def bad(message: String): Int = {
    error = HttpError(Status.BadRequest, message)
    FieldParser.Bad
  }

  private def badName(octet: Byte, first: Boolean): Int = bad(
    if (octet == ' ' || octet == '\t')
      if (first) "a header line must not begin with white space"
      else "no white space may stand before a header's colon"
    else if (octet == '\n' || octet == '\r') "a header line must have a colon and end in CRLF"
    else "a header name must be a token"
  )

  private def tooMany(): Int = {
    error = HttpError(Status.HeadersTooLarge, s"more than $maxFields header lines")
    FieldParser.Bad
  }

  /** The first octet from `start` on that no field name may hold, or `stop`. */
  private def nameEnd(bytes: Array[Byte], start: Int, stop: Int): Int = {
    var p = start
    while (p + 8 <= stop) { // most names are letters and hyphens
      val word  = Words.load(bytes, p)
      val other = Octets.others(Octets.letters(word) | Octets.hyphens(word))
      if (other == 0) p += 8
      else {
        p += Octets.before(other)
        if ((Grammar.table(bytes(p) & 0xff) & Grammar.Token) == 0) return p
        p += 1
      }
    }
    while (p < stop && (Grammar.table(bytes(p) & 0xff) & Grammar.Token) != 0) p += 1
    p
  }

  /** The first octet from `start` on that no field value may hold, or `stop`; eight octets at a time. */
  private def valueEnd(bytes: Array[Byte], start: Int, stop: Int): Int = {
    var p = start
    while (p + 8 <= stop) {
      val word = Words.load(bytes, p)
      // The high bit of each octet below 0x20, and of each 0x7f. A borrow can set it for a later octet wrongly,
      // never for the lowest one that is set, and only that one is used.
      val del  = word ^ 0x7f7f7f7f7f7f7f7fL
      val hits =
        (((word - 0x2020202020202020L) & ~word) | ((del - 0x0101010101010101L) & ~del)) & 0x8080808080808080L
      if (hits == 0) p += 8
      else {
        p += java.lang.Long.numberOfTrailingZeros(hits) >>> 3
        if (bytes(p) != '\t') return p
        p += 1
      }
    }
    while (p < stop && (Grammar.table(bytes(p) & 0xff) & Grammar.Value) != 0) p += 1
    p
  }
}

private[needletail] object FieldParser {
  final val More = 0
  final val Bad  = -1

  // Phases of a line
  private final val Begin = 0
  private final val Name  = 1
  private final val Space = 2
  private final val Value = 3
}
