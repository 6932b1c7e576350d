package needletail.routing.internal.matching

/** Texts that are no literals of a path, though somebody wrote them as ones: what to write instead. */
private[routing] object LiteralMistake {

  /** What is wrong with a literal that consists of these segments; null if nothing is. */
  def of(text: String, segments: Vector[String]): String =
    if (text.exists(c => c == '{' || c == '}'))
      s"""the path literal "$text" has a brace. What is captured stands outside of the quotes: ${corrected(
          segments
        )}""" +
        exactly(segments.find(s => s.contains('{') || s.contains('}')))
    else if (text.contains('?')) {
      val (path, query) = (text.takeWhile(_ != '?'), text.dropWhile(_ != '?').drop(1))
      val name          = query.takeWhile(c => c != '=' && c != '&')
      s"""the path literal "$text" has a question mark. A query parameter is no part of the path: "$path" + ?("${
          if (name.isEmpty) "name" else name
        }", arg[String])""" + exactly(segments.find(_.contains('?')))
    } else segments.find(isDots).map(dots).orNull

  def isDots(segment: String): Boolean = segment == "." || segment == ".."

  def dots(segment: String): String =
    s"""no request matches the path segment "$segment": it is resolved before a route is looked for (RFC 3986 §5.2.4)"""

  private def exactly(segment: Option[String]): String =
    segment.fold("")(s => s""". For a segment with exactly this text write segment("$s")""")

  /** The same path with `{name}` as an argument, and a segment with braces otherwise as one without a name. */
  private def corrected(segments: Vector[String]): String = segments
    .map { segment =>
      val isWhole = segment.length > 2 && segment.startsWith("{") && segment.endsWith("}")
      if (isWhole) s"""arg[String]("${segment.substring(1, segment.length - 1)}")"""
      else if (segment.contains('{') || segment.contains('}')) "arg[String]"
      else s""""$segment""""
    }
    .mkString(" / ")
}
