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
    val members  = accepted.split(',')
    var best     = None: Option[String]
    var bestQ    = 0
    val identity = weight(members, "identity", whole = false)
    offered.foreach { coding =>
      val q = weight(members, coding, whole = true)
      if (q > bestQ) {
        best = Some(coding)
        bestQ = q
      }
    }
    if (identity > bestQ) None else best
  }

  /** In thousandths; -1 if the coding is not there, with `whole` not by `*` either. */
  private def weight(members: Array[String], coding: String, whole: Boolean): Int = {
    var any = -1
    var i   = 0
    while (i < members.length) {
      val member    = members(i)
      val semicolon = member.indexOf(';')
      val name      = (if (semicolon < 0) member else member.substring(0, semicolon)).trim
      if (name.equalsIgnoreCase(coding) || (coding == "gzip" && name.equalsIgnoreCase("x-gzip")))
        return quality(member, semicolon)
      if (whole && name == "*") any = quality(member, semicolon)
      i += 1
    }
    any
  }

  /** The parameter q in thousandths; 1000 if there is none, 0 if it is malformed. */
  private def quality(member: String, semicolon: Int): Int =
    if (semicolon < 0) 1000
    else {
      val text   = member.substring(semicolon + 1).trim
      val digits = if (text.length > 2 && (text.charAt(0) | 32) == 'q' && text.charAt(1) == '=')
        text.substring(2)
      else ""
      if (digits.isEmpty || digits.length > 5 || (digits.charAt(0) != '0' && digits.charAt(0) != '1')) 0
      else if (digits.length > 1 && digits.charAt(1) != '.') 0
      else {
        val fraction = digits.drop(2)
        if (!fraction.forall(c => c >= '0' && c <= '9')) 0
        else Math.min(1000, (digits.charAt(0) - '0') * 1000 + (fraction + "000").take(3).toInt)
      }
    }
}
