package needletail.load.report.text

import needletail.load.analysis.compare.{Change, ComparedMetric}
import needletail.load.analysis.verdict.{Metric, Quantity}
import needletail.load.report.data.AssertionText

private[load] object ComparisonText {

  def table(rows: Vector[(String, ComparedMetric)]): TextTable = TextTable(
    Vector("part", "figure", "A", "B", "change", "how sure", "outcome"),
    rows.map { case (label, c) =>
      Vector(
        label,
        c.metric.name,
        Quantity.of(c.metric, c.a),
        Quantity.of(c.metric, c.b),
        change(c),
        certainty(c),
        short(c)
      )
    }
  )

  /** The causes of doubt, once for each sort; the table has no causes. */
  def doubts(rows: Vector[(String, ComparedMetric)]): Vector[String] =
    rows.map(_._2).filter(c => doubted(c)).flatMap(_.verdict.causes).distinctBy(_.takeWhile(_ != ':'))

  private def doubted(c: ComparedMetric): Boolean =
    c.change == Change.Unknown || c.verdict.causes.nonEmpty && c.change != Change.None

  private def short(c: ComparedMetric): String =
    if (doubted(c)) s"${c.change.name}, ${c.verdict.limit.name}" else c.change.name

  private def outcome(c: ComparedMetric): String =
    if (c.change == Change.Unknown) s"${c.change.name}: ${c.verdict}"
    else if (c.verdict.causes.nonEmpty && c.change != Change.None) s"${c.change.name}, ${c.verdict}"
    else c.change.name

  private def change(c: ComparedMetric): String =
    if (c.metric == Metric.Errors) points(c.b - c.a)
    else if (c.a == 0) "-"
    else percent(c.b / c.a - 1)

  private def certainty(c: ComparedMetric): String =
    c.interval match {
      case Some((low, high)) if c.metric == Metric.Errors => s"${points(low)} to ${points(high)}"
      case Some((_, high)) if !isRatio(high)              => "-" // A had none
      case Some((low, high))                              => s"${percent(low - 1)} to ${percent(high - 1)}"
      case None                                           => c.probability.fold("")(chance)
    }

  /** The probability that noise alone differs as much. */
  private def chance(p: Double): String =
    if (p < 0.0001) "p < 0.0001" else String.format(java.util.Locale.ROOT, "p = %.4f", Double.box(p))

  private def isRatio(value: Double): Boolean = value < Double.MaxValue

  private def percent(share: Double): String =
    String.format(java.util.Locale.ROOT, "%+.1f %%", Double.box(share * 100))
  private def points(share: Double): String =
    String.format(java.util.Locale.ROOT, "%+.2f %%", Double.box(share * 100))

  /** The result of each metric, for JUnit and JSON. */
  def assertions(rows: Vector[(String, ComparedMetric)]): Vector[AssertionText] = rows.map {
    case (label, c) =>
      AssertionText(
        label,
        s"${c.metric.name} is no worse",
        passed = c.change != Change.Worse && c.change != Change.Unknown,
        s"${Quantity.of(c.metric, c.a)} and ${Quantity.of(c.metric, c.b)}: ${outcome(c)}"
      )
  }
}
