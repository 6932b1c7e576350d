package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Interval, Outcome, RunResult}

/**
 * The part of a run that metrics are computed from: the time after the ramp or, if every user makes a number of
 * requests, the whole run, since then the ramp is part of the load.
 *
 * Rates are counted while load was offered: answers after its end are in the percentiles, and would increase the
 * rate.
 */
final class Window(val run: RunResult) {

  private val ramp: Long = {
    val planned = run.plan.durationMillis - run.plan.rampMillis
    val least   = math.min(planned, 1000) // of a run that was ended early
    if (planned > 0 && run.loadMillis - run.plan.rampMillis >= least) run.plan.rampMillis else 0
  }

  /** Intervals in which the full load was offered; all of a run that ended before that. */
  val offered: Vector[Interval] = {
    val all  = run.intervals.filter(_.startMillis < run.loadMillis)
    val full = all.filter(_.startMillis >= ramp)
    if (full.isEmpty) all else full
  }

  /** Milliseconds since the start of the run. */
  val fromMillis: Long = offered.headOption.fold(ramp)(_.startMillis)

  /** The duration of `offered`; if the load ended within the last interval, until then. */
  val seconds: Double =
    offered.iterator.map(i =>
      math.min(i.lengthMillis, math.max(0, run.loadMillis - i.startMillis))
    ).sum / 1000.0

  /** Whether it is too short for the generator to see what it and its machine were doing, which it does once a second. */
  val isShort: Boolean = seconds < Window.LeastSeconds

  lazy val total: Figures = Figures.sum(kinds)

  lazy val kinds: Vector[Figures] = run.kinds.indices.map(run.figures(_, fromMillis)).toVector

  /** Requests for which the generator had no port or descriptor. */
  def wants: Long = total.count(Outcome.NoFreePort) + total.count(Outcome.TooManyFiles)

  /** Good answers per second, of one kind or of all. */
  def goodRate(kind: Option[Int] = None): Double = perSecond(i => figures(i, kind).iterator.map(_.good).sum)

  /** Requests that became due per second. */
  def dueRate: Double = perSecond(_.self.due)

  /** The value of a metric in its unit; None if nothing was measured. */
  def figure(metric: Metric, kind: Option[Int] = None): Option[Double] = metric match {
    case Metric.Rate => if (seconds <= 0) None else Some(goodRate(kind))
    case other       => Metric.of(kind.fold(total)(kinds), other)
  }

  /** The lowest and the highest rate of good answers in the quarters of the time. */
  def quarters: (Double, Double) = {
    val whole = offered.filter(_.lengthMillis >= 500)
    val size  = math.max(1, whole.size / 4)
    val rates = whole.grouped(size).filter(_.size == size).map { part =>
      part.iterator.map(_.total.good).sum * 1000.0 / part.iterator.map(_.lengthMillis).sum
    }.toVector
    if (rates.isEmpty) (goodRate(), goodRate()) else (rates.min, rates.max)
  }

  private def figures(interval: Interval, kind: Option[Int]): Vector[Figures] =
    kind.fold(interval.kinds)(k => Vector(interval.kinds(k)))

  private def perSecond(count: Interval => Long): Double =
    if (seconds <= 0) 0 else offered.iterator.map(count).sum / seconds
}

object Window {

  /** A second, in seconds, which may end somewhat early. */
  final val LeastSeconds = 0.9
}
