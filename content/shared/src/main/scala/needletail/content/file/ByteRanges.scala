package needletail.content.file

/** The ranges requested by a Range field, for a content of known size (RFC 9110 §14.1.2). */
private[file] sealed abstract class ByteRanges

private[file] object ByteRanges {

  /** The field is not understood, or requests too many parts: the whole content is sent. */
  case object Whole extends ByteRanges

  /** No part of it exists: 416. */
  case object Unsatisfiable extends ByteRanges

  /** These parts, from the first offset to before the second one; none overlap. */
  final case class Parts(parts: List[(Long, Long)]) extends ByteRanges

  /** Further parts are not examined. */
  private final val MostSpecs = 256

  /** Parses the value of Range. Parts that overlap or touch are merged; more than `most` after that count as Whole. */
  def parse(value: String, size: Long, most: Int): ByteRanges = {
    val equals = value.indexOf('=')
    if (equals < 0 || !value.substring(0, equals).equalsIgnoreCase("bytes")) Whole
    else {
      val specs = value.substring(equals + 1).split(",", MostSpecs + 1).map(_.trim).filter(_.nonEmpty)
      val asked = specs.map(range(_, size))
      if (specs.isEmpty || specs.length > MostSpecs || asked.contains(null)) Whole
      else {
        val parts = merged(asked.filter(part => part._1 < part._2).toList)
        if (parts.isEmpty) Unsatisfiable else if (parts.length > most) Whole else Parts(parts)
      }
    }
  }

  /** From and until; an empty range if it cannot be satisfied, null if it is malformed. */
  private def range(spec: String, size: Long): (Long, Long) = {
    val dash = spec.indexOf('-')
    if (dash < 0) null
    else if (dash == 0) {
      val length = number(spec, 1, spec.length)
      if (length < 0) null else (Math.max(0L, size - length), size)
    } else {
      val first = number(spec, 0, dash)
      val last  = if (dash + 1 == spec.length) Long.MaxValue else number(spec, dash + 1, spec.length)
      if (first < 0 || last < first) null
      else (Math.min(first, size), if (last >= size) size else last + 1)
    }
  }

  /** Digits as a number, at most Long.MaxValue; -1 for anything else. */
  private def number(text: String, from: Int, until: Int): Long = {
    var n = 0L
    var i = from
    while (i < until) {
      val digit = text.charAt(i) - '0'
      if (digit < 0 || digit > 9) return -1
      n = if (n > (Long.MaxValue - digit) / 10) Long.MaxValue else n * 10 + digit
      i += 1
    }
    if (from == until) -1 else n
  }

  /** In the requested order if there is nothing to merge, otherwise sorted. */
  private def merged(parts: List[(Long, Long)]): List[(Long, Long)] = {
    val sorted = parts.sortBy(_._1).foldLeft(List.empty[(Long, Long)]) {
      case ((from, until) :: before, (nextFrom, nextUntil)) if nextFrom <= until =>
        (from, Math.max(until, nextUntil)) :: before
      case (before, next) => next :: before
    }
    if (sorted.length == parts.length) parts else sorted.reverse
  }
}
