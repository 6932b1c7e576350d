package needletail.http

/**
 * Names and values of a query or of an application/x-www-form-urlencoded body, decoded, in their order; a name
 * may come several times. A part without "=" is a name with an empty value.
 */
final class QueryString private (private val flat: Array[String]) {

  /** Number of pairs. */
  def size: Int        = flat.length / 2
  def isEmpty: Boolean = flat.length == 0

  /** The first value of that name; names are compared with case. */
  def get(name: String): Option[String] = {
    val i = indexOf(name)
    if (i < 0) None else Some(flat(i + 1))
  }
  def getAll(name: String): List[String] = toList.collect { case (n, v) if n == name => v }
  def contains(name: String): Boolean    = indexOf(name) >= 0
  def toList: List[(String, String)]     = flat.grouped(2).map(pair => (pair(0), pair(1))).toList
  def toMap: Map[String, List[String]]   = toList.groupBy(_._1).map { case (name, pairs) =>
    name -> pairs.map(_._2)
  }

  /** As it would be sent, every reserved character escaped. */
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
    case q: QueryString => q.toList == toList
    case _              => false
  }
  override def hashCode: Int    = toList.hashCode
  override def toString: String = s"QueryString($render)"
}

object QueryString {
  val empty: QueryString = new QueryString(new Array[String](0))

  /** Pairs read from one text, unless told otherwise. */
  final val DefaultMax = 1000

  def apply(pairs: (String, String)*): QueryString =
    if (pairs.isEmpty) empty else new QueryString(pairs.flatMap(pair => List(pair._1, pair._2)).toArray)

  /** Takes a query or a form apart. Malformed escapes and more than `max` pairs: HttpError 400. Never throws. */
  def parse(text: String, max: Int = DefaultMax): Either[HttpError, QueryString] = {
    var flat  = new Array[String](8)
    var count = 0
    var from  = 0
    while (from < text.length) {
      val ampersand = text.indexOf('&', from)
      val until     = if (ampersand < 0) text.length else ampersand
      if (until > from) {
        if (count == 2 * max) return Left(HttpError(Status.BadRequest, s"more than $max parameters"))
        if (count == flat.length) flat = java.util.Arrays.copyOf(flat, 2 * count)
        // up to the ampersand and no further: many names without "=" must not cost the square of the text's length
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
    Right(if (count == 0) empty else new QueryString(java.util.Arrays.copyOf(flat, count)))
  }
}
