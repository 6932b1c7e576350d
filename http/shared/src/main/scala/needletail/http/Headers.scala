package needletail.http

/**
 * Header fields in their order, names compared without case and whole (RFC 9110 §5.1). Immutable.
 *
 * Setting a name that is no token, or a value with CR, LF, NUL, another control or a character beyond
 * Latin-1, throws IllegalArgumentException: such a value would split or garble the message.
 */
final class Headers private (private[needletail] val flat: Array[String]) {

  /** The encoder's copy of the lines, made when they are sent for the second time. As in [[Response]]. */
  @volatile private[needletail] var rendered: ResponseEncoder.Rendered = _
  private[needletail] var sentBefore: Boolean                          = false

  /** Number of field lines. */
  def size: Int         = flat.length / 2
  def isEmpty: Boolean  = flat.length == 0
  def nonEmpty: Boolean = flat.length != 0

  /** The first value of that name. */
  def get(name: String): Option[String] = {
    var i = 0
    while (i < flat.length) {
      if (Ascii.same(flat(i), name)) return Some(flat(i + 1))
      i += 2
    }
    None
  }

  /** Every value of that name, in order, a list for each line not taken apart. */
  def getAll(name: String): List[String] = toList.collect { case (n, v) if Ascii.same(n, name) => v }

  /** All members of all lines of that name, split at commas (RFC 9110 §5.6.1), empty members dropped. */
  def list(name: String): List[String] = getAll(name).flatMap(HeaderList.split)

  def contains(name: String): Boolean = {
    var i = 0
    while (i < flat.length) {
      if (Ascii.same(flat(i), name)) return true
      i += 2
    }
    false
  }

  /** Adds a line, keeping others of that name. */
  def add(name: String, value: String): Headers = {
    Headers.checkName(name)
    Headers.checkValue(name, value)
    appended(name, value)
  }

  private def appended(name: String, value: String): Headers = {
    val next = java.util.Arrays.copyOf(flat, flat.length + 2)
    next(flat.length) = name
    next(flat.length + 1) = value
    new Headers(next)
  }

  /** Puts this line in the place of all others of that name. */
  def set(name: String, value: String): Headers =
    if (contains(name)) remove(name).add(name, value) else add(name, value)

  /** Sets a line whose name is known to be a token. */
  private[needletail] def setKnown(name: String, value: String): Headers = {
    Headers.checkValue(name, value)
    (if (isEmpty) this else remove(name)).appended(name, value)
  }

  def remove(name: String): Headers =
    if (!contains(name)) this
    else
      new Headers(toList.filterNot(field => Ascii.same(field._1, name)).flatMap { case (n, v) =>
        List(n, v)
      }.toArray)

  def ++(other: Headers): Headers =
    if (isEmpty) other else if (other.isEmpty) this else new Headers(flat ++ other.flat)

  def toList: List[(String, String)] = flat.grouped(2).map(a => (a(0), a(1))).toList

  override def equals(other: Any): Boolean = other match {
    case h: Headers =>
      h.toList.map(p => (Ascii.lower(p._1), p._2)) == toList.map(p => (Ascii.lower(p._1), p._2))
    case _ => false
  }
  override def hashCode: Int    = toList.map(p => (Ascii.lower(p._1), p._2)).hashCode
  override def toString: String = toList.map { case (n, v) => s"$n: $v" }.mkString("Headers(", ", ", ")")
}

object Headers {
  val empty: Headers = new Headers(new Array[String](0))

  def apply(fields: (String, String)*): Headers = {
    val flat = new Array[String](fields.length * 2)
    var i    = 0
    fields.foreach { case (name, value) =>
      checkName(name)
      checkValue(name, value)
      flat(i) = name
      flat(i + 1) = value
      i += 2
    }
    if (i == 0) empty else new Headers(flat)
  }

  /** Names and values in turn, known to be well formed: from a parser, or constants. */
  private[needletail] def trusted(flat: Array[String]): Headers =
    if (flat.length == 0) empty else new Headers(flat)

  private def checkName(name: String): Unit =
    if (!Grammar.isToken(name)) throw new IllegalArgumentException("a header name must be a token")

  private def checkValue(name: String, value: String): Unit =
    if (!Grammar.isFieldValue(value))
      throw new IllegalArgumentException(
        s"the value of header '$name' has a character that no field value may have"
      )
}

private[needletail] object HeaderList {

  /** Members of a comma-separated list; commas inside quoted strings do not count. */
  def split(line: String): List[String] = {
    val members = List.newBuilder[String]
    var from    = 0
    var quoted  = false
    var i       = 0
    while (i <= line.length) {
      if (i == line.length || (line.charAt(i) == ',' && !quoted)) {
        val member = line.substring(from, i).trim
        if (member.nonEmpty) members += member
        from = i + 1
      } else if (line.charAt(i) == '"') quoted = !quoted
      else if (quoted && line.charAt(i) == '\\' && i + 1 < line.length) i += 1
      i += 1
    }
    members.result()
  }
}
