package needletail.load.command.options

/** Suggests a name for a mistyped one. */
private[command] object DidYouMean {

  /** The known name with the smallest distance; None if none is near. */
  def of(name: String, known: Seq[String]): Option[String] =
    known.map(other => (other, distance(name, other)))
      .filter { case (other, d) => d <= math.max(1, math.min(name.length, other.length) / 3) }
      .minByOption(_._2).map(_._1)

  /** The edit distance: insertions, deletions, replacements, and transpositions of adjacent letters. */
  private def distance(a: String, b: String): Int = {
    val d = Array.tabulate(a.length + 1, b.length + 1)((i, j) => if (i == 0) j else if (j == 0) i else 0)
    for (i <- 1 to a.length; j <- 1 to b.length) {
      val same = if (a(i - 1) == b(j - 1)) 0 else 1
      val next = math.min(math.min(d(i - 1)(j) + 1, d(i)(j - 1) + 1), d(i - 1)(j - 1) + same)
      val swap = i > 1 && j > 1 && a(i - 1) == b(j - 2) && a(i - 2) == b(j - 1)
      d(i)(j) = if (swap) math.min(next, d(i - 2)(j - 2) + 1) else next
    }
    d(a.length)(b.length)
  }
}
