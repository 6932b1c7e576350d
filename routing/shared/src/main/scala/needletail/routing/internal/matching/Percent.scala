package needletail.routing.internal.matching

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.message.Utf8
import needletail.http.text.{Grammar, Latin1, Swar}

/** Compares and decodes percent-encoded bytes (RFC 3986 §2.1) in place. */
private[routing] object Percent {

  /** The decoded byte at `at`; -1 for a percent sign without two hexadecimal digits, which stands for no byte. */
  private def byte(bytes: Array[Byte], at: Int, until: Int, plusIsSpace: Boolean): Int = {
    val c = bytes(at) & 0xff
    if (c == '%') {
      val isWhole = at + 2 < until && hex(bytes(at + 1)) >= 0 && hex(bytes(at + 2)) >= 0
      if (isWhole) hex(bytes(at + 1)) * 16 + hex(bytes(at + 2)) else -1
    } else if (c == '+' && plusIsSpace) ' '
    else c
  }

  /** How many bytes the encoded byte at `at` has. */
  private def width(bytes: Array[Byte], at: Int, until: Int): Int =
    if (bytes(at) == '%' && at + 2 < until && hex(bytes(at + 1)) >= 0 && hex(bytes(at + 2)) >= 0) 3 else 1

  private def hex(c: Byte): Int =
    if (Grammar.is(c, Grammar.Hex)) Grammar.hex(c) else -1

  /** A hash of the decoded bytes, eight at a time, the last ones padded with zeros. */
  @inline def hash(bytes: Array[Byte], from: Int, until: Int, escaped: Boolean): Int = {
    if (escaped) hashDecoded(bytes, from, until)
    else {
      var h = 0L
      var p = from
      while (p + 8 <= until) {
        h = mix(h, Swar.load(bytes, p))
        p += 8
      }
      if (p < until) h = mix(h, Swar.load(bytes, p, until - p))
      h.toInt
    }
  }

  @noinline private def hashDecoded(bytes: Array[Byte], from: Int, until: Int): Int = {
    var h     = 0L
    var p     = from
    var word  = 0L
    var shift = 0
    while (p < until) {
      word |= (byte(bytes, p, until, plusIsSpace = false) & 0xffL) << shift
      shift += 8
      p += width(bytes, p, until)
      if (shift == 64 || p >= until) {
        h = mix(h, word)
        word = 0
        shift = 0
      }
    }
    h.toInt
  }

  /** The factor is 2^64 divided by the golden ratio; the high half of the product is mixed better. */
  @inline private def mix(h: Long, word: Long): Long = {
    val product = (h ^ word) * 0x9e3779b97f4a7c15L
    product ^ (product >>> 32)
  }

  /** Whether the bytes, decoded, equal `text`; not if they cannot be. In a form (`plusIsSpace`) a plus is a space. */
  @noinline def same(
      bytes: Array[Byte],
      from: Int,
      until: Int,
      text: Array[Byte],
      plusIsSpace: Boolean
  ): Boolean = {
    var i = from
    var j = 0
    while (i < until && j < text.length && byte(bytes, i, until, plusIsSpace) == (text(j) & 0xff)) {
      i += width(bytes, i, until)
      j += 1
    }
    i == until && j == text.length
  }

  /** The decoded text, or null if an escape or the UTF-8 is malformed. */
  def decode(bytes: Array[Byte], from: Int, until: Int, plusIsSpace: Boolean): String = {
    var i = from
    while (i < until && bytes(i) > 0 && bytes(i) != '%' && !(plusIsSpace && bytes(i) == '+')) i += 1
    if (i == until) Latin1.decode(bytes, from, until)
    else {
      val rawBytes = new Array[Byte](until - from)
      var length   = 0
      i = from
      while (i < until) {
        val size = width(bytes, i, until)
        if (size == 1 && bytes(i) == '%') return null
        rawBytes(length) = byte(bytes, i, until, plusIsSpace).toByte
        length += 1
        i += size
      }
      if (Utf8.isValid(rawBytes, 0, length)) new String(rawBytes, 0, length, UTF_8) else null
    }
  }
}
