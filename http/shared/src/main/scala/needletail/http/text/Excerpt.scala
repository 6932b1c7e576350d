package needletail.http.text

/** Values of programs in the messages of exceptions: of limited length, and in visible characters. */
private[needletail] object Excerpt {

  /** Characters of a value in a message. */
  private final val MaxLength = 64

  /** The beginning of `text`, in which characters that are not visible in ASCII are written as in a program. */
  def apply(text: String): String = {
    val all = text.take(MaxLength).map(of).mkString
    if (text.length > MaxLength) all + "…" else all
  }

  /** Which character at which place is not allowed. */
  def first(text: String, isAllowed: Char => Boolean): String = {
    val at = text.indexWhere(!isAllowed(_))
    s"'${of(text.charAt(at))}' at position ${at + 1}"
  }

  /** Why a text is no token (RFC 9110 §5.6.2). */
  def notToken(text: String): String =
    if (text.isEmpty) "it is empty"
    else s"${first(text, c => Grammar.isToken(c.toString))} is not allowed in one"

  private def of(c: Char): String =
    if (c >= ' ' && c < 0x7f) c.toString
    else "\\u" + ("000" + Integer.toHexString(c.toInt)).takeRight(4)
}
