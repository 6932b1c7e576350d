package needletail.routing

import java.nio.charset.StandardCharsets.{ISO_8859_1, UTF_8}

import needletail.http.{Grammar, Utf8}

/** Percent-encoded octets (RFC 3986 §2.1), compared and decoded where they lie. */
private[routing] object Percent {

  /**
   * The octet that stands at `at`. A percent sign without two hexadecimal digits stands for itself here;
   * `decode` refuses it.
   */
  private def octet(bytes: Array[Byte], at: Int, until: Int, plusIsSpace: Boolean): Int = {
    val c = bytes(at) & 0xff
    if (c == '%' && at + 2 < until) {
      val high = hex(bytes(at + 1))
      val low  = hex(bytes(at + 2))
      if (high >= 0 && low >= 0) high * 16 + low else c
    } else if (c == '+' && plusIsSpace) ' '
    else c
  }

  /** How many octets the one at `at` takes. */
  private def width(bytes: Array[Byte], at: Int, until: Int): Int =
    if (bytes(at) == '%' && at + 2 < until && hex(bytes(at + 1)) >= 0 && hex(bytes(at + 2)) >= 0) 3 else 1

  private def hex(c: Byte): Int =
    if (Grammar.is(c, Grammar.Hex)) Grammar.hex(c) else -1

  /** A hash of the decoded octets; `escaped` says that there may be percent signs. */
  def hash(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Int = {
    var h = 0
    var i = from
    if (!escaped)
      while (i < until) {
        h = h * 31 + bytes(i)
        i += 1
      }
    else
      while (i < until) {
        h = h * 31 + octet(bytes, i, until, plusIsSpace = false).toByte
        i += width(bytes, i, until)
      }
    h ^ (h >>> 15)
  }

  /** Do the octets, decoded, spell `text`? */
  def same(
      bytes: Array[Byte],
      from: Int,
      until: Int,
      text: Array[Byte],
      escaped: Boolean,
      plusIsSpace: Boolean
  ): Boolean =
    if (!escaped && !plusIsSpace) {
      if (until - from != text.length) false
      else {
        var i = 0
        while (i < text.length && bytes(from + i) == text(i)) i += 1
        i == text.length
      }
    } else {
      var i = from
      var j = 0
      while (i < until && j < text.length && octet(bytes, i, until, plusIsSpace).toByte == text(j)) {
        i += width(bytes, i, until)
        j += 1
      }
      i == until && j == text.length
    }

  /** The text that the octets stand for, or null where a percent sign or the UTF-8 is malformed. */
  def decode(bytes: Array[Byte], from: Int, until: Int, plusIsSpace: Boolean): String = {
    var i = from
    while (i < until && bytes(i) > 0 && bytes(i) != '%' && !(plusIsSpace && bytes(i) == '+')) i += 1
    if (i == until) new String(bytes, from, until - from, ISO_8859_1)
    else {
      val octets = new Array[Byte](until - from)
      var length = 0
      i = from
      while (i < until) {
        val size = width(bytes, i, until)
        if (size == 1 && bytes(i) == '%') return null
        octets(length) = octet(bytes, i, until, plusIsSpace).toByte
        length += 1
        i += size
      }
      if (Utf8.isValid(octets, 0, length)) new String(octets, 0, length, UTF_8) else null
    }
  }
}
