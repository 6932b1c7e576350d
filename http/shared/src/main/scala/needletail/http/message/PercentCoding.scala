package needletail.http.message

import java.nio.charset.StandardCharsets.UTF_8

import needletail.http.text.Grammar

/**
 * Percent-encoding (RFC 3986 §2.1) of UTF-8 text. Decoding is strict: an escape without two hexadecimal digits, or
 * bytes that are not UTF-8, are an error. Nothing here throws.
 */
object PercentCoding {

  /** Decodes a path segment, or other text in which "+" is a plus sign. Left is an HttpError 400 for malformed text. */
  def decode(text: String): Either[HttpError, String] =
    result(decodeOrNull(text, 0, text.length, plusIsSpace = false), text)

  /**
   * Decodes a part of a form or a query, in which "+" is a space (WHATWG URL §5.1). Left is an HttpError 400 for
   * malformed text.
   */
  def decodeForm(text: String): Either[HttpError, String] =
    result(decodeOrNull(text, 0, text.length, plusIsSpace = true), text)

  /** Escapes all but unreserved characters, so that the result is valid as a segment or a part of a query. */
  def encode(text: String): String = {
    var i = 0
    while (i < text.length && Grammar.isUnreserved(text.charAt(i).toInt)) i += 1
    if (i == text.length) text
    else {
      val out = new java.lang.StringBuilder(text.length + 16)
      text.getBytes(UTF_8).foreach { byte =>
        val c = byte & 0xff
        if (Grammar.isUnreserved(c)) out.append(c.toChar)
        else out.append('%').append(digits.charAt(c >> 4)).append(digits.charAt(c & 15))
      }
      out.toString
    }
  }

  private val digits = "0123456789ABCDEF"

  private[needletail] def malformed(text: String): HttpError =
    HttpError(
      Status.BadRequest,
      s"malformed percent-encoding, or no UTF-8, in '${text.take(64).filter(c => c > ' ' && c < 127)}'"
    )

  private def result(decoded: String, text: String): Either[HttpError, String] =
    if (decoded == null) Left(malformed(text)) else Right(decoded)

  /** Decodes the text between two offsets; null if it is malformed. */
  private[needletail] def decodeOrNull(text: String, from: Int, until: Int, plusIsSpace: Boolean): String = {
    var i = from
    while (
      i < until && text.charAt(i) != '%' && text.charAt(i) < 128 && !(plusIsSpace && text.charAt(i) == '+')
    ) i += 1
    if (i == until) text.substring(from, until)
    else {
      // Non-ASCII characters occur in text that was not a URI; a char takes at most three bytes
      val out = new Array[Byte]((until - from) * 3)
      var o   = 0
      i = from
      while (i < until) {
        val c = text.charAt(i)
        if (c == '%') {
          val byte =
            if (i + 2 < until) (hexOrNone(text.charAt(i + 1)) << 4) | hexOrNone(text.charAt(i + 2)) else -1
          if (byte < 0) return null
          out(o) = byte.toByte
          o += 1
          i += 3
        } else if (c < 128) {
          out(o) = (if (plusIsSpace && c == '+') ' ' else c).toByte
          o += 1
          i += 1
        } else {
          var run = i + 1
          while (run < until && text.charAt(run) >= 128) run += 1
          val rawBytes = text.substring(i, run).getBytes(UTF_8)
          System.arraycopy(rawBytes, 0, out, o, rawBytes.length)
          o += rawBytes.length
          i = run
        }
      }
      if (Utf8.isValid(out, 0, o)) new String(out, 0, o, UTF_8) else null
    }
  }

  // A negative result stays negative when shifted and combined with another digit
  private def hexOrNone(c: Char): Int =
    if (c < 128 && Grammar.is(c.toByte, Grammar.Hex)) Grammar.hex(c.toByte) else -1
}

/** Whether bytes are UTF-8 (RFC 3629): no overlong forms, no surrogates, nothing beyond U+10FFFF. */
private[needletail] object Utf8 {
  def isValid(bytes: Array[Byte], from: Int, until: Int): Boolean = {
    var i = from
    while (i < until) {
      val b = bytes(i) & 0xff
      if (b < 0x80) i += 1
      else {
        val more = if (b < 0xc2) 0 else if (b < 0xe0) 1 else if (b < 0xf0) 2 else if (b < 0xf5) 3 else 0
        if (more == 0 || i + more >= until) return false
        val second = bytes(i + 1) & 0xff
        val least  = if (b == 0xe0) 0xa0 else if (b == 0xf0) 0x90 else 0x80
        val most   = if (b == 0xed) 0x9f else if (b == 0xf4) 0x8f else 0xbf
        if (second < least || second > most) return false
        var k = 2
        while (k <= more) {
          if ((bytes(i + k) & 0xc0) != 0x80) return false
          k += 1
        }
        i += more + 1
      }
    }
    true
  }
}
