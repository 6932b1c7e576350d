package needletail.http

/** Field lines and their meaning, parsed as simply as possible: shared by the independent parsers of heads. */
private[needletail] object StrictFields {
  private val Line      = """(?s)([-!#$%&'*+.^_`|~0-9A-Za-z]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)""".r
  private val Named     = """((?:[-._~!$&'()*+,;=0-9A-Za-z]|%[0-9A-Fa-f]{2})+)(?::([0-9]*))?""".r
  private val Bracketed = """\[([^\]]*)\](?::([0-9]*))?""".r
  private val Future    = """[vV][0-9A-Fa-f]+\.[-._~!$&'()*+,;=:0-9A-Za-z]+""".r
  private val Group     = """[0-9A-Fa-f]{1,4}""".r
  private val Ipv4      =
    """(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})""".r

  /** Names and values; null if a line is malformed. */
  def of(lines: List[String]): List[(String, String)] = {
    val read = lines.map {
      case Line(name, value) => (name, trimmed(value))
      case _                 => null
    }
    if (read.contains(null)) null else read
  }

  def all(fields: List[(String, String)], name: String): List[String] =
    fields.collect { case (n, v) if n.equalsIgnoreCase(name) => v }

  /** The members of a list that are not empty. */
  def members(fields: List[(String, String)], name: String): List[String] =
    all(fields, name).flatMap(_.split(",", -1)).map(trimmed).filter(_.nonEmpty)

  /** None: it is malformed. Some(None): neither field. -1: chunked. */
  def framing(fields: List[(String, String)], minor: Int): Option[Option[Long]] = {
    val lengths = all(fields, "content-length")
    val codings = all(fields, "transfer-encoding")
    if (lengths.isEmpty && codings.isEmpty) Some(None)
    else if (codings.nonEmpty)
      if (lengths.nonEmpty || minor == 0) None
      else
        members(fields, "transfer-encoding") match {
          case List(one) if one.equalsIgnoreCase("chunked") => Some(Some(-1L))
          case _                                            => None
        }
    else if (lengths.size > 1 || lengths.head.isEmpty || !lengths.head.forall(c => c >= '0' && c <= '9')) None
    else {
      val n = BigInt(lengths.head)
      if (n.isValidLong) Some(Some(n.toLong)) else None
    }
  }

  def keepAlive(fields: List[(String, String)], minor: Int): Boolean = {
    val options = members(fields, "connection").map(_.toLowerCase)
    !options.contains("close") && (minor == 1 || options.contains("keep-alive"))
  }

  def isAuthority(text: String): Boolean = text match {
    case Bracketed(inner, port) => isPort(port) && (isIpv6(inner) || Future.pattern.matcher(inner).matches)
    case Named(host, port)      => isPort(port) && !host.contains("%00")
    case _                      => false
  }

  private def isPort(text: String) = text == null || text.isEmpty || BigInt(text) <= 65535

  private def isIpv6(text: String): Boolean = {
    def groups(part: String, last: Boolean): Int = // how many of 16 bits; -1 if malformed
      if (part.isEmpty) 0
      else {
        val each = part.split(":", -1).toVector
        each.zipWithIndex.map { case (group, i) =>
          if (Group.pattern.matcher(group).matches) 1
          else if (last && i == each.size - 1 && isIpv4(group)) 2
          else -100
        }.sum
      }
    val gap = text.indexOf("::")
    if (gap < 0) groups(text, last = true) == 8
    else {
      val before = groups(text.substring(0, gap), last = false)
      val after  = groups(text.substring(gap + 2), last = true)
      before >= 0 && after >= 0 && before + after <= 7
    }
  }

  private def isIpv4(text: String): Boolean = text match {
    case Ipv4(a, b, c, d) => List(a, b, c, d).forall(_.toInt <= 255)
    case _                => false
  }

  private def trimmed(text: String): String = {
    var from  = 0
    var until = text.length
    while (from < until && (text.charAt(from) == ' ' || text.charAt(from) == '\t')) from += 1
    while (until > from && (text.charAt(until - 1) == ' ' || text.charAt(until - 1) == '\t')) until -= 1
    text.substring(from, until)
  }
}
