package needletail.http.text

/** Case conversion as protocols define it: for the letters A to Z only, independent of the locale. */
private[needletail] object Ascii {
  def lower(byte: Int): Int = if (byte >= 'A' && byte <= 'Z') byte | 0x20 else byte

  /** Whether two characters are equal when case is ignored. Most that are compared are identical. */
  @inline private def same(a: Int, b: Int): Boolean = a == b || lower(a) == lower(b)

  def lower(text: String): String = {
    var i = 0
    while (i < text.length && !(text.charAt(i) >= 'A' && text.charAt(i) <= 'Z')) i += 1
    if (i == text.length) text
    else {
      val chars = text.toCharArray
      while (i < chars.length) {
        chars(i) = lower(chars(i).toInt).toChar
        i += 1
      }
      new String(chars)
    }
  }

  /** Whether these bytes equal `text` when case is ignored. */
  def same(bytes: Array[Byte], from: Int, until: Int, text: String): Boolean =
    until - from == text.length && {
      val n = text.length
      // most candidates of the same length differ in the first letter
      n == 0 || same(bytes(from) & 0xff, text.charAt(0).toInt) && {
        val chars = Chars.of(text)
        var i     = 1
        while (i < n && same(bytes(from + i) & 0xff, Chars.at(chars, i).toInt)) i += 1
        i == n
      }
    }

  def same(a: String, b: String): Boolean =
    (a eq b) || a.length == b.length && {
      val n = a.length
      n == 0 || same(a.charAt(0).toInt, b.charAt(0).toInt) && {
        val as = Chars.of(a)
        val bs = Chars.of(b)
        var i  = 1
        while (i < n && same(Chars.at(as, i).toInt, Chars.at(bs, i).toInt)) i += 1
        i == n
      }
    }
}
