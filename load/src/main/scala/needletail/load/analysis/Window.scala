package needletail.load.analysis

import needletail.load.result.{Figures, Interval, RunResult}

/**
 * The part of a run that its figures are taken from: after the ramp, where the run lasts a time, and the whole of it
 * where every user has a number of requests to make, since then the ramp is part of what was asked.
 *
 * Rates are counted while load was offered: answers that came after its end are in the percentiles, and would make a
 * server look quicker than it is in the rate.
 */
final class Window(val run: RunResult) {

  private val ramp: Long =
    if (run.plan.durationMillis > 0 && run.plan.rampMillis * 2 <= run.loadMillis) run.plan.rampMillis else 0

  /** In which load was offered at its full measure; all of a run that ended before that. */
  val offered: Vector[Interval] = {
    val all  = run.intervals.filter(_.startMillis < run.loadMillis)
    val full = all.filter(_.startMillis >= ramp)
    if (full.isEmpty) all else full
  }

  /** Since the start of the run. */
  val fromMillis: Long = offered.headOption.fold(ramp)(_.startMillis)

  /** That `offered` took; where the load ended within the last of them, until then. */
  val seconds: Double =
    offered.iterator.map(i =>
      math.min(i.lengthMillis, math.max(0, run.loadMillis - i.startMillis))
    ).sum / 1000.0

  lazy val total: Figures = Figures.sum(kinds)

  lazy val kinds: Vector[Figures] = run.kinds.indices.map(run.figures(_, fromMillis)).toVector

  /** Good answers in a second, of one kind or of all. */
  def goodRate(kind: Option[Int] = None): Double = perSecond(i => figures(i, kind).iterator.map(_.good).sum)

  /** Ends of requests in a second, good or not. */
  def endRate: Double = perSecond(_.kinds.iterator.map(_.requests).sum)

  /** Requests that became due in a second. */
  def dueRate: Double = perSecond(_.self.due)

  /** In the metric's unit; None where nothing was measured. */
  def figure(metric: Metric, kind: Option[Int] = None): Option[Double] = metric match {
    case Metric.Rate => if (seconds <= 0) None else Some(goodRate(kind))
    case other       => Metric.of(kind.fold(total)(kinds), other)
  }

  private def figures(interval: Interval, kind: Option[Int]): Vector[Figures] =
    kind.fold(interval.kinds)(k => Vector(interval.kinds(k)))

  private def perSecond(count: Interval => Long): Double =
    if (seconds <= 0) 0 else offered.iterator.map(count).sum / seconds
}
