package needletail.http

/** Case as protocols have it: of the letters A to Z only, whatever the locale. */
private[needletail] object Ascii {
  def lower(octet: Int): Int = if (octet >= 'A' && octet <= 'Z') octet | 0x20 else octet

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

  /** Are these octets that text, but for case? */
  def same(bytes: Array[Byte], from: Int, until: Int, text: String): Boolean =
    until - from == text.length && {
      var i = 0
      while (i < text.length && lower(bytes(from + i) & 0xff) == lower(text.charAt(i).toInt)) i += 1
      i == text.length
    }

  def same(a: String, b: String): Boolean =
    (a eq b) || a.length == b.length && {
      var i = 0
      while (i < a.length && lower(a.charAt(i).toInt) == lower(b.charAt(i).toInt)) i += 1
      i == a.length
    }
}
