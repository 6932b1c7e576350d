package needletail.load.analysis.search

import needletail.load.analysis.verdict.{Condition, Metric}
import needletail.load.result.Interval

/** Conditions for a tolerable load, all of which must hold. */
object Objective {

  /** The share of requests that may fail, if the objective has no condition on errors. */
  private final val Tolerable = 0.01

  def tolerable(objective: Vector[Condition]): Double =
    objective.collectFirst { case Condition(_, Metric.Errors, _, bound, _) => bound }.getOrElse(Tolerable)

  /** Whether one second of a run satisfies it. A second without answers does not. */
  def holds(objective: Vector[Condition], interval: Interval): Boolean = {
    val figures = interval.total
    figures.requests > 0 && objective.forall(c =>
      c.metric == Metric.Rate || c.holds(Metric.of(figures, c.metric))
    )
  }

  /**
   * Whether the run can be stopped early, as the objective cannot be satisfied: no good responses, or five times the
   * bound.
   */
  def lost(objective: Vector[Condition], interval: Interval): Boolean = {
    val figures = interval.total
    interval.startMillis >= 1000 && figures.requests > 0 && objective.exists { c =>
      c.metric.unit == Metric.Unit.Time && (c.comparison match {
        case Condition.Less | Condition.AtMost => Metric.of(figures, c.metric).forall(_ > c.bound * 5)
        case _                                 => false
      })
    }
  }
}
