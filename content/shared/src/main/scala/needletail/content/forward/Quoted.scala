package needletail.content.forward

/** Lists in fields to whose end proxies append, with quoted strings (RFC 9110 §5.6.4) in their elements. */
private[forward] object Quoted {

  /**
   * The parts between separators that are not in quotes, trimmed. Read from the end, so that a quote that is left open
   * ends nothing but what is before it: a client may have sent that, and what follows is a proxy's, in which in turn
   * quoted text may be the client's (`host="a,for=b"`).
   */
  def split(text: String, separator: Char): List[String] = {
    var parts    = List.empty[String]
    var end      = text.length
    var isQuoted = false
    var i        = text.length - 1
    while (i >= 0) {
      val c = text.charAt(i)
      if (c == '"') isQuoted = !isQuoted || isEscaped(text, i)
      else if (c == separator && !isQuoted) {
        parts = text.substring(i + 1, end).trim :: parts
        end = i
      }
      i -= 1
    }
    text.substring(0, end).trim :: parts
  }

  /** Whether the backslash before it is not escaped itself. */
  private def isEscaped(text: String, at: Int): Boolean = {
    var i = at
    while (i > 0 && text.charAt(i - 1) == '\\') i -= 1
    (at - i) % 2 == 1
  }

  /** A token as it is, a quoted string without its quotes and escapes. */
  def value(text: String): String =
    if (text.length < 2 || text.head != '"' || text.last != '"') text
    else {
      val plain = new java.lang.StringBuilder(text.length)
      var i     = 1
      while (i < text.length - 1) {
        if (text.charAt(i) == '\\' && i < text.length - 2) i += 1
        plain.append(text.charAt(i))
        i += 1
      }
      plain.toString
    }
}
