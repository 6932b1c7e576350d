package needletail.http.message

/**
 * The parameters of a query or a form, which have the same syntax (application/x-www-form-urlencoded): decoded names
 * and values, in order. A name may occur several times. A part without "=" is a name with an empty value.
 */
final class Parameters private (private val flat: Array[String]) {

  /** The number of parameters; a name that occurs twice counts twice. */
  def size: Int = flat.length / 2

  /** Whether there are no parameters. */
  def isEmpty: Boolean = flat.length == 0

  /** The first value with that name. Names are case-sensitive. */
  def get(name: String): Option[String] = {
    val i = indexOf(name)
    if (i < 0) None else Some(flat(i + 1))
  }

  /** All values with that name, in order. */
  def getAll(name: String): List[String] = toList.collect { case (n, v) if n == name => v }

  /** Whether there is a parameter with that name. */
  def contains(name: String): Boolean = indexOf(name) >= 0

  /** All names and values, in order. */
  def toList: List[(String, String)] = flat.grouped(2).map(pair => (pair(0), pair(1))).toList

  /** All values by name; the values of a name are in order. */
  def toMap: Map[String, List[String]] = toList.groupBy(_._1).map { case (name, pairs) =>
    name -> pairs.map(_._2)
  }

  /** The text of a query or form, with all reserved characters escaped. */
  def render: String = toList.map { case (n, v) =>
    PercentCoding.encode(n) + "=" + PercentCoding.encode(v)
  }.mkString("&")

  private def indexOf(name: String): Int = {
    var i = 0
    while (i < flat.length) {
      if (flat(i) == name) return i
      i += 2
    }
    -1
  }

  override def equals(other: Any): Boolean = other match {
    case q: Parameters => q.toList == toList
    case _             => false
  }
  override def hashCode: Int    = toList.hashCode
  override def toString: String = s"Parameters($render)"
}

object Parameters {

  /** No parameters. */
  val empty: Parameters = new Parameters(new Array[String](0))

  /** How many parameters `parse` accepts by default. */
  final val DefaultMax = 1000

  /** Parameters from decoded names and values. */
  def apply(pairs: (String, String)*): Parameters =
    if (pairs.isEmpty) empty else new Parameters(pairs.flatMap(pair => List(pair._1, pair._2)).toArray)

  /**
   * Parses a query, without its question mark, or a form. Left is an HttpError 400, for malformed escapes and for more
   * than `max` parameters.
   */
  def parse(text: String, max: Int = DefaultMax): Either[HttpError, Parameters] = {
    var flat  = new Array[String](8)
    var count = 0
    var from  = 0
    while (from < text.length) {
      val ampersand = text.indexOf('&', from)
      val until     = if (ampersand < 0) text.length else ampersand
      if (until > from) {
        if (count == 2 * max) return Left(HttpError(Status.BadRequest, s"more than $max parameters"))
        if (count == flat.length) flat = java.util.Arrays.copyOf(flat, 2 * count)
        // searched up to the ampersand only: otherwise many names without "=" would take quadratic time
        var split = from
        while (split < until && text.charAt(split) != '=') split += 1
        val name  = PercentCoding.decodeOrNull(text, from, split, plusIsSpace = true)
        val value =
          if (split == until) "" else PercentCoding.decodeOrNull(text, split + 1, until, plusIsSpace = true)
        if (name == null || value == null) return Left(PercentCoding.malformed(text.substring(from, until)))
        flat(count) = name
        flat(count + 1) = value
        count += 2
      }
      from = until + 1
    }
    Right(if (count == 0) empty else new Parameters(java.util.Arrays.copyOf(flat, count)))
  }
}
