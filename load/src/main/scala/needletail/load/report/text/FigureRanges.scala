package needletail.load.report.text

/** Tells texts together that differ in their figures only. */
private[text] object FigureRanges {

  /** A number that does not belong to a word, as that of p99 does. */
  private val Figure = "(?<![A-Za-z0-9.,])\\d+(?:,\\d{3})*(?:\\.\\d+)?".r

  /**
   * Texts that are equal apart from their figures become one, in which a figure that differs is the range of its values;
   * in the order of the first of them.
   *
   * @return each text, with the keys of those that it stands for
   */
  def of[K](texts: Vector[(K, String)]): Vector[(Vector[K], String)] = {
    val shapes = texts.map { case (_, text) => Figure.replaceAllIn(text, "\u0000") }
    shapes.distinct.map { shape =>
      val same    = texts.zip(shapes).collect { case (keyed, `shape`) => keyed }
      val figures = same.map { case (_, text) => Figure.findAllIn(text).toVector }.transpose.map(range)
      val parts   = Figure.split(same.head._2)
      (same.map(_._1), parts.zipAll(figures, "", "").map { case (part, figure) => part + figure }.mkString)
    }
  }

  private def range(figures: Vector[String]): String = {
    val sorted = figures.sortBy(_.replace(",", "").toDouble)
    if (sorted.head == sorted.last) sorted.head else s"${sorted.head} to ${sorted.last}"
  }
}
