package needletail.routing

import needletail.http.{HttpError, Status}

/**
 * Why a part of a request is not what its route asks for. Parts answer their value or a `Fault` in its place,
 * so that the way of a good request allocates no wrapper for success.
 *
 * @param inPath a fault of the path: the request may well be meant for a sibling, so any other fault ranks above it
 */
private[routing] final class Fault(val error: HttpError, val inPath: Boolean)

private[routing] object Fault {
  def badRequest(message: String, inPath: Boolean): Fault = new Fault(HttpError(Status.BadRequest, message), inPath)
}

/** The value of a part that has to wait: a filter that runs, or a body to be read, once the route has matched. */
private[routing] object Pending

/** Where a text comes from, for messages: `query parameter 'page'`. `name` is null where a place has none. */
private[routing] final class Label(val place: String, val name: String, val inPath: Boolean) {
  override def toString: String = if (name == null) place else s"$place '$name'"

  /** What `{NAME}` stands for. */
  def short: String = if (name == null) place else name

  def missing: Fault = Fault.badRequest(s"missing $this", inPath)

  def expected(typeName: String, got: String): Fault =
    Fault.badRequest(s"expected $typeName in $this, got '${Quote(got)}'", inPath)

  def notUtf8: Fault = Fault.badRequest(s"$this is not valid percent-encoded UTF-8", inPath)
}

private[needletail] object Quote {

  /** Characters of a client's text that an error message repeats at most. */
  final val MaxLength = 64

  /**
   * A client's text made fit for an error message: cut to length, and everything that could garble a
   * terminal or a log (controls, line separators, bidirectional overrides, broken surrogates) replaced.
   */
  def apply(text: String): String = apply(text, MaxLength)

  def apply(text: String, maxLength: Int): String = {
    val cut = Math.min(text.length, maxLength)
    val out = new java.lang.StringBuilder(cut + 1)
    var i   = 0
    while (i < cut) {
      val c = text.charAt(i)
      if (Character.isHighSurrogate(c) && i + 1 < text.length && Character.isLowSurrogate(text.charAt(i + 1))) {
        out.append(c).append(text.charAt(i + 1))
        i += 1
      } else if (isSafe(c)) out.append(c)
      else out.append('\ufffd')
      i += 1
    }
    if (i < text.length) out.append('…')
    out.toString
  }

  private def isSafe(c: Char): Boolean = !Character.isISOControl(c) && !Character.isSurrogate(c) && !isFormat(c)

  /** What Unicode calls Cf, Zl and Zp below U+10000: joiners, directional marks and overrides, separators, tags. */
  private def isFormat(c: Char): Boolean =
    c >= '\u00ad' && (c == '\u00ad' || (c >= '\u0600' && c <= '\u0605') || c == '\u061c' || c == '\u06dd' ||
      c == '\u070f' || c == '\u180e' || (c >= '\u200b' && c <= '\u200f') || (c >= '\u2028' && c <= '\u202e') ||
      (c >= '\u2060' && c <= '\u206f') || c == '\ufeff' || (c >= '\ufff9' && c <= '\ufffb'))

  /** Puts name and value into a message of the user's. */
  def fill(template: String, name: String, value: String): String =
    if (template.indexOf('{') < 0) template
    else {
      // {NAME} first, then {VALUE}: the client's text must not be searched for placeholders
      val named = template.replace("{NAME}", name)
      named.replace("{VALUE}", Quote(value))
    }

  /** What a filter without a message says. */
  final val DefaultMessage = "{NAME} must not be '{VALUE}'"
}
