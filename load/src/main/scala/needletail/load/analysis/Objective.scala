package needletail.load.analysis

import needletail.load.result.Interval

/** What a server is to satisfy at a load: conditions, all of which hold. */
object Objective {

  /** The share of requests that may fail, where the objective says nothing of it. */
  private final val Tolerable = 0.01

  def tolerable(objective: Vector[Condition]): Double =
    objective.collectFirst { case Condition(_, Metric.Errors, _, bound, _) => bound }.getOrElse(Tolerable)

  /** Does one second of a run satisfy it? A second without an answer does not. */
  def holds(objective: Vector[Condition], interval: Interval): Boolean = {
    val figures = interval.total
    figures.requests > 0 && objective.forall(c =>
      c.metric == Metric.Rate || c.holds(Metric.of(figures, c.metric))
    )
  }

  /** So far from it that the rest of the run need not be waited for: not one good answer, or five times the bound. */
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
