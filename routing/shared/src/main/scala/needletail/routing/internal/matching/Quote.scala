package needletail.routing.internal.matching

/** Quotes clients' texts in error messages. */
private[needletail] object Quote {

  /** Maximum of characters of a client's text in an error message. */
  final val MaxLength = 64

  /**
   * Makes a client's text safe for an error message: truncates it, and replaces everything that could corrupt a
   * terminal or a log (control characters, line separators, bidirectional overrides, unpaired surrogates).
   */
  def apply(text: String): String = apply(text, MaxLength)

  def apply(text: String, maxLength: Int): String = {
    val cut = Math.min(text.length, maxLength)
    val out = new java.lang.StringBuilder(cut + 1)
    var i   = 0
    while (i < cut) {
      val c = text.charAt(i)
      if (
        Character.isHighSurrogate(c) && i + 1 < text.length && Character.isLowSurrogate(text.charAt(i + 1))
      ) {
        out.append(c).append(text.charAt(i + 1))
        i += 1
      } else if (isSafe(c)) out.append(c)
      else out.append('\ufffd')
      i += 1
    }
    if (i < text.length) out.append('…')
    out.toString
  }

  private def isSafe(c: Char): Boolean =
    !Character.isISOControl(c) && !Character.isSurrogate(c) && !isFormat(c)

  /** Unicode's categories Cf, Zl and Zp below U+10000: joiners, directional marks and overrides, separators, tags. */
  private def isFormat(c: Char): Boolean =
    c >= '\u00ad' && (c == '\u00ad' || (c >= '\u0600' && c <= '\u0605') || c == '\u061c' || c == '\u06dd' ||
      c == '\u070f' || c == '\u180e' || (c >= '\u200b' && c <= '\u200f') || (c >= '\u2028' && c <= '\u202e') ||
      (c >= '\u2060' && c <= '\u206f') || c == '\ufeff' || (c >= '\ufff9' && c <= '\ufffb'))

  /** Inserts name and value into a user's message. */
  def fill(template: String, name: String, value: String): String =
    if (template.indexOf('{') < 0) template
    else {
      // {NAME} first, then {VALUE}: the client's text must not be searched for placeholders
      val named = template.replace("{NAME}", name)
      named.replace("{VALUE}", Quote(value))
    }

  /** The message of a filter without one. */
  final val DefaultMessage = "{NAME} must not be '{VALUE}'"
}
