package needletail.http.message

import needletail.http.text.{Ascii, Excerpt, Grammar}

/**
 * Header fields in order; names are case-insensitive (RFC 9110 §5.1). Immutable.
 *
 * Adding a name that is not a token, or a value with a control character (such as CR, LF or NUL) or a character
 * beyond Latin-1, throws IllegalArgumentException: it could split the message.
 */
final class Headers private (private[needletail] val flat: Array[String]) {

  /** The encoder's rendered copy of the lines, made when they are sent for the second time. As in [[Response]]. */
  @volatile private[needletail] var rendered: Rendered = _
  private[needletail] var sentBefore: Boolean          = false

  /** Number of field lines. */
  def size: Int = flat.length / 2

  /** Whether there are no lines. */
  def isEmpty: Boolean = flat.length == 0

  /** Whether there is at least one line. */
  def nonEmpty: Boolean = flat.length != 0

  /** The first value with that name. */
  def get(name: String): Option[String] = {
    var i = 0
    while (i < flat.length) {
      if (Ascii.same(flat(i), name)) return Some(flat(i + 1))
      i += 2
    }
    None
  }

  /** The values of all lines with that name, in order; lists are not split. */
  def getAll(name: String): List[String] = {
    var all: List[String] = Nil
    var i                 = flat.length - 2
    while (i >= 0) {
      if (Ascii.same(flat(i), name)) all ::= flat(i + 1)
      i -= 2
    }
    all
  }

  /** All members of all lines with that name, split at commas (RFC 9110 §5.6.1), without empty members. */
  def list(name: String): List[String] = getAll(name).flatMap(HeaderList.split)

  /** Whether there is a line with that name. */
  def contains(name: String): Boolean = {
    var i = 0
    while (i < flat.length) {
      if (Ascii.same(flat(i), name)) return true
      i += 2
    }
    false
  }

  /**
   * The same of Content-Type. Natively a literal is one object only within a package, so this finds the lines of
   * [[MediaType]] by identity.
   */
  private[http] def hasContentType: Boolean = contains("Content-Type")

  /** Adds a line and keeps others with that name. Throws IllegalArgumentException if it is malformed. */
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

  /** Replaces all lines with that name by this one. Throws IllegalArgumentException if it is malformed. */
  def set(name: String, value: String): Headers =
    if (contains(name)) remove(name).add(name, value) else add(name, value)

  /** Replaces all lines with a name known to be a token. */
  private[needletail] def setKnown(name: String, value: String): Headers = {
    Headers.checkValue(name, value)
    (if (isEmpty) this else remove(name)).appended(name, value)
  }

  /** Removes all lines with that name. */
  def remove(name: String): Headers =
    if (!contains(name)) this
    else {
      val rest = new Array[String](flat.length)
      var kept = 0
      var i    = 0
      while (i < flat.length) {
        if (!Ascii.same(flat(i), name)) {
          rest(kept) = flat(i)
          rest(kept + 1) = flat(i + 1)
          kept += 2
        }
        i += 2
      }
      new Headers(java.util.Arrays.copyOf(rest, kept))
    }

  /** Appends all lines of `other`. */
  def ++(other: Headers): Headers =
    if (isEmpty) other
    else if (other.isEmpty) this
    else {
      val both = java.util.Arrays.copyOf(flat, flat.length + other.flat.length)
      System.arraycopy(other.flat, 0, both, flat.length, other.flat.length)
      new Headers(both)
    }

  /** For each line, in order. */
  private[http] def foreach(f: (String, String) => Unit): Unit = {
    var i = 0
    while (i < flat.length) {
      f(flat(i), flat(i + 1))
      i += 2
    }
  }

  /** Names and values of all lines, in order. */
  def toList: List[(String, String)] = {
    var all: List[(String, String)] = Nil
    var i                           = flat.length - 2
    while (i >= 0) {
      all ::= ((flat(i), flat(i + 1)))
      i -= 2
    }
    all
  }

  override def equals(other: Any): Boolean = other match {
    case h: Headers =>
      h.toList.map(p => (Ascii.lower(p._1), p._2)) == toList.map(p => (Ascii.lower(p._1), p._2))
    case _ => false
  }
  override def hashCode: Int    = toList.map(p => (Ascii.lower(p._1), p._2)).hashCode
  override def toString: String = toList.map { case (n, v) => s"$n: $v" }.mkString("Headers(", ", ", ")")
}

object Headers {

  /** No headers. */
  val empty: Headers = new Headers(new Array[String](0))

  /** Headers from names and values. Throws IllegalArgumentException if one is malformed. */
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

  /** From alternating names and values, known to be well formed: from a parser, or constants. */
  private[needletail] def trusted(flat: Array[String]): Headers =
    if (flat.length == 0) empty else new Headers(flat)

  private def checkName(name: String): Unit =
    if (!Grammar.isToken(name)) badName(name)

  @noinline private def badName(name: String): Nothing =
    throw new IllegalArgumentException(
      s"the header name '${Excerpt(name)}' is no token (RFC 9110 §5.6.2): ${Excerpt.notToken(name)}"
    )

  private def checkValue(name: String, value: String): Unit =
    if (!Grammar.isFieldValue(value)) badValue(name, value)

  // without the value, which may be a secret
  @noinline private def badValue(name: String, value: String): Nothing =
    throw new IllegalArgumentException(
      s"the value of header '$name' has a character that is not allowed in a field value (RFC 9110 §5.5): " +
        Excerpt.first(value, c => Grammar.isFieldValue(c.toString))
    )
}

private[needletail] object HeaderList {

  /** Members of a comma-separated list; commas inside quoted strings do not separate. */
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
