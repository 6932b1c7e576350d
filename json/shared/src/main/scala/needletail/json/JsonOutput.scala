package needletail.json

/** Text of JSON that is being written. */
private[json] final class JsonOutput(indented: Boolean) {
  private val out   = new java.lang.StringBuilder
  private var level = 0

  override def toString: String = out.toString

  def raw(text: String): Unit = { out.append(text); () }

  def name(text: String): Unit = {
    quoted(text)
    out.append(if (indented) ": " else ":")
    ()
  }

  /** The elements, each of which is written by `each`, with commas between them. */
  def list[A](open: Char, values: Vector[A], close: Char)(each: A => Unit): Unit = {
    out.append(open)
    level += 1
    var i = 0
    while (i < values.length) {
      if (i > 0) out.append(',')
      newLine()
      each(values(i))
      i += 1
    }
    level -= 1
    if (i > 0) newLine()
    out.append(close)
    ()
  }

  private def newLine(): Unit = if (indented) {
    out.append('\n')
    var i = 0
    while (i < level) {
      out.append("  ")
      i += 1
    }
  }

  /**
   * A string (§7). Besides what the grammar requires, escapes U+2028 and U+2029, which end lines in older JavaScript,
   * `<`, so that JSON within a script element of a page cannot end it, and unpaired surrogates, which have no UTF-8.
   */
  def quoted(text: String): Unit = {
    out.append('"')
    var from = 0 // of what is written as it is
    var i    = 0
    while (i < text.length) {
      val c = text.charAt(i)
      if (isPlain(c)) i += 1
      else if (isPair(text, i)) i += 2
      else {
        plain(text, from, i)
        if (c == '"' || c == '\\') out.append('\\').append(c)
        else if (c == '\n') out.append("\\n")
        else if (c == '\t') out.append("\\t")
        else if (c == '\r') out.append("\\r")
        else escaped(c)
        i += 1
        from = i
      }
    }
    plain(text, from, text.length)
    out.append('"')
    ()
  }

  /** At once, which costs less than one by one. */
  private def plain(text: String, from: Int, until: Int): Unit =
    if (from < until) {
      out.append(if (until - from == text.length) text else text.substring(from, until)); ()
    }

  private def isPlain(c: Char): Boolean =
    if (c < 0x7f) c >= ' ' && c != '"' && c != '\\' && c != '<'
    else c != 0x7f && c != 0x2028 && c != 0x2029 && !Character.isSurrogate(c)

  private def isPair(text: String, i: Int): Boolean =
    Character.isHighSurrogate(text.charAt(i)) && i + 1 < text.length && Character.isLowSurrogate(
      text.charAt(i + 1)
    )

  private def escaped(c: Char): Unit = {
    out.append("\\u")
    var shift = 12
    while (shift >= 0) {
      out.append(Character.forDigit((c >> shift) & 15, 16))
      shift -= 4
    }
  }
}
