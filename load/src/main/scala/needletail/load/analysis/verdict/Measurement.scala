package needletail.load.analysis.verdict

import scala.concurrent.duration.FiniteDuration

import needletail.load.result.RunResult

/**
 * A run and its diagnosis.
 *
 * @param label distinguishes it from others in a report: `100 users`
 * @param pause mean pause of a user, if known
 */
final class Measurement(val label: String, val run: RunResult, val pause: Option[FiniteDuration]) {
  val window: Window       = new Window(run)
  val diagnosis: Diagnosis = Diagnosis.of(run, pause)

  def figure(metric: Metric, kind: Option[Int] = None): Option[Double] = window.figure(metric, kind)
  def verdict(metric: Metric, kind: Option[Int] = None): Verdict       = diagnosis.of(metric, kind)

  /**
   * Good responses per second, in the open model at most as many as were asked for: more that became due by chance are no
   * rate that could be kept up.
   */
  def sustainedRate: Double = {
    val rate = figure(Metric.Rate).getOrElse(0.0)
    if (run.plan.model == "open") math.min(rate, run.plan.rate) else rate
  }

  /** Whether the load was offered to its end, but for the time of a step of the clock. */
  def isComplete: Boolean = run.loadMillis >= run.plan.durationMillis - 100

  /** In nanoseconds; 0 if there was no good response. */
  def percentile(percent: Double): Long = figure(Metric.Percentile(percent)).fold(0L)(_.toLong)

  /** Checks the conditions; each kind that they name must exist. */
  def check(conditions: Vector[Condition]): Vector[CheckedCondition] = conditions.map { condition =>
    val kind = condition.kind.map(run.kinds.indexOf(_)).filter(_ >= 0)
    CheckedCondition.of(condition, figure(condition.metric, kind), verdict(condition.metric, kind))
  }
}

/**
 * A condition and its result. It fails if the generator was the limit, as the value then says nothing about the
 * server.
 *
 * @param figure in the metric's unit; None if nothing was measured
 */
final case class CheckedCondition(condition: Condition, figure: Option[Double], verdict: Verdict) {
  def held: Boolean = condition.holds(figure)

  def passed: Boolean = held && !verdict.isClient

  def reason: String = {
    val value =
      s"${condition.metric.name} ${if (condition.metric == Metric.Errors) "are" else "is"} ${Quantity.of(condition.metric, figure)}"
    if (figure.isEmpty) {
      val (were, why) = condition.metric match {
        case Metric.Errors => ("were", "no request ended")
        case Metric.Rate   => ("was", "the load lasted no time")
        case _             => ("was", "there was no good response")
      }
      s"${condition.metric.name} $were not measured: $why"
    } else if (verdict.isClient)
      s"$value, but the generator was the limit, so it says nothing about the server: $verdict"
    else if (verdict.causes.nonEmpty) s"$value; $verdict"
    else value
  }
}

object CheckedCondition {
  def of(condition: Condition, figure: Option[Double], verdict: Verdict): CheckedCondition =
    CheckedCondition(condition, figure, verdict)
}
