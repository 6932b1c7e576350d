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
    var i = 0
    while (i < text.length) {
      val c = text.charAt(i)
      if (c == '"' || c == '\\') out.append('\\').append(c)
      else if (c >= ' ' && c < 0x7f && c != '<') out.append(c)
      else if (c == '\n') out.append("\\n")
      else if (c == '\t') out.append("\\t")
      else if (c == '\r') out.append("\\r")
      else if (
        Character.isHighSurrogate(c) && i + 1 < text.length && Character.isLowSurrogate(text.charAt(i + 1))
      ) {
        i += 1
        out.append(c).append(text.charAt(i))
      } else if (c < ' ' || c == '<' || c == 0x7f || c == 0x2028 || c == 0x2029 || Character.isSurrogate(c))
        escaped(c)
      else out.append(c)
      i += 1
    }
    out.append('"')
    ()
  }

  private def escaped(c: Char): Unit = {
    out.append("\\u")
    var shift = 12
    while (shift >= 0) {
      out.append(Character.forDigit((c >> shift) & 15, 16))
      shift -= 4
    }
  }
}
