package needletail.content.compression

import needletail.http.Request

/** Content negotiation by Accept-Encoding (RFC 9110 §12.5.3). */
object AcceptEncoding {

  /**
   * The coding among `offered` that the client likes best, the first of those it likes equally; None for the content as
   * it is: if there is no Accept-Encoding, if no coding is accepted, or if the client prefers that.
   */
  def choose(request: Request, offered: List[String]): Option[String] =
    request.header("accept-encoding") match {
      case None      => None
      case Some(one) =>
        val all = request.headers.getAll("accept-encoding")
        choose(if (all.tail.isEmpty) one else all.mkString(","), offered)
    }

  /** The same, of the value of Accept-Encoding. */
  def choose(accepted: String, offered: List[String]): Option[String] = {
    var best     = None: Option[String]
    var bestQ    = 0
    val identity = weight(accepted, "identity", whole = false)
    offered.foreach { coding =>
      val q = weight(accepted, coding, whole = true)
      if (q > bestQ) {
        best = Some(coding)
        bestQ = q
      }
    }
    if (identity > bestQ) None else best
  }

  /** In thousandths; -1 if the coding is not there, with `whole` not by `*` either. */
  private def weight(accepted: String, coding: String, whole: Boolean): Int = {
    var any  = -1
    var from = 0
    while (from < accepted.length) {
      var semicolon = -1
      var until     = from
      while (until < accepted.length && accepted.charAt(until) != ',') {
        if (semicolon < 0 && accepted.charAt(until) == ';') semicolon = until
        until += 1
      }
      val nameEnd          = if (semicolon < 0) until else semicolon
      def is(name: String) = isName(accepted, from, nameEnd, name)
      def q                = if (semicolon < 0) Most else quality(accepted.substring(semicolon + 1, until))
      if (is(coding) || (coding == "gzip" && is("x-gzip"))) return q
      if (whole && is("*")) any = q
      from = until + 1
    }
    any
  }

  /** Whether that is what stands there, but for white space around it and letter case. */
  private def isName(text: String, from: Int, until: Int, name: String): Boolean = {
    var start = from
    var end   = until
    while (start < end && text.charAt(start) <= ' ') start += 1
    while (end > start && text.charAt(end - 1) <= ' ') end -= 1
    end - start == name.length && text.regionMatches(true, start, name, 0, name.length)
  }

  private final val Most = 1000

  /** The parameter q in thousandths; 0 if it is malformed. */
  private def quality(parameter: String): Int = {
    val text   = parameter.trim
    val digits =
      if (text.length > 2 && (text.charAt(0) | 32) == 'q' && text.charAt(1) == '=') text.substring(2) else ""
    if (digits.isEmpty || digits.length > 5 || (digits.charAt(0) != '0' && digits.charAt(0) != '1')) 0
    else if (digits.length > 1 && digits.charAt(1) != '.') 0
    else {
      val fraction = digits.drop(2)
      if (!fraction.forall(c => c >= '0' && c <= '9')) 0
      else Math.min(Most, (digits.charAt(0) - '0') * Most + (fraction + "000").take(3).toInt)
    }
  }
}
