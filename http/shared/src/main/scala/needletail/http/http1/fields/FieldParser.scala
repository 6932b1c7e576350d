package needletail.http.http1.fields

import needletail.http.message.{HttpError, Status}
import needletail.http.text.{Grammar, Swar, Words}

/**
 * Parses field lines up to and including the empty line after them (RFC 9112 §5), strictly: every line ends in CRLF,
 * there is nothing between name and colon, no line folding, no control characters.
 *
 * Parsing is incremental: it continues where the bytes ended, so that a section that arrives byte by byte costs no
 * more than one that arrives whole. An error is found at the byte that causes it. Used for heads and trailers.
 */
private[needletail] final class FieldParser(maxFields: Int) {

  /** The error, after `parse` has returned Bad. */
  var error: HttpError = null

  // Where in a line the bytes ended; `mark` is where its name or value began. Offsets count from the fields' base.
  private var phase = FieldParser.Begin
  private var pos   = 0
  private var mark  = 0

  def reset(): Unit = {
    phase = FieldParser.Begin
    if (error != null) error = null
  }

  /**
   * Continues parsing in `into.bytes`. Returns the offset after the final empty line, More, or Bad.
   *
   * @param start where the first line begins, from `into.base`
   * @param end where the available bytes end, from `into.base`
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
      if (bytes(p) != '\r') return bad("a header value must not contain a control character or a bare LF")
      if (p + 1 == stop) return more(Value, p - base, from - base)
      if (bytes(p + 1) != '\n') return bad("a header value must not contain a bare CR")
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

  private def badName(byte: Byte, first: Boolean): Int = bad(
    if (byte == ' ' || byte == '\t')
      if (first) "a header line must not begin with white space"
      else "white space is not allowed before a header's colon"
    else if (byte == '\n' || byte == '\r') "a header line must have a colon and end in CRLF"
    else "a header name must be a token"
  )

  private def tooMany(): Int = {
    error = HttpError(Status.HeadersTooLarge, s"more than $maxFields header lines")
    FieldParser.Bad
  }

  /** The first byte from `start` on that is not allowed in a field name, or `stop`. */
  private def nameEnd(bytes: Array[Byte], start: Int, stop: Int): Int = {
    var p = start
    while (p + 8 <= stop) { // most names consist of letters and hyphens
      val word  = Words.load(bytes, p)
      val other = Swar.others(Swar.letters(word) | Swar.hyphens(word))
      if (other == 0) p += 8
      else {
        p += Swar.before(other)
        if ((Grammar.table(bytes(p) & 0xff) & Grammar.Token) == 0) return p
        p += 1
      }
    }
    while (p < stop && (Grammar.table(bytes(p) & 0xff) & Grammar.Token) != 0) p += 1
    p
  }

  /** The first byte from `start` on that is not allowed in a field value, or `stop`; eight bytes at a time. */
  private def valueEnd(bytes: Array[Byte], start: Int, stop: Int): Int = {
    var p = start
    while (p + 8 <= stop) {
      val word = Words.load(bytes, p)
      // The high bit of each byte below 0x20, and of each 0x7f. A borrow may wrongly set it for a later byte, never
      // for the lowest one set, and only that one is used.
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
