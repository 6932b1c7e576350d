package needletail.load.analysis

import scala.concurrent.duration.FiniteDuration

import needletail.load.result.RunResult

/**
 * A run with what is thought of it.
 *
 * @param label
 *   what tells it from the others of a report: `100 users`
 * @param pause
 *   mean pause of a user, where it is known
 */
final class Measurement(val label: String, val run: RunResult, val pause: Option[FiniteDuration]) {
  val window: Window       = new Window(run)
  val diagnosis: Diagnosis = Diagnosis.of(run, pause)

  def figure(metric: Metric, kind: Option[Int] = None): Option[Double] = window.figure(metric, kind)
  def verdict(metric: Metric, kind: Option[Int] = None): Verdict       = diagnosis.of(metric, kind)

  /** Nanoseconds; 0 where there was no good answer. */
  def percentile(percent: Double): Long = figure(Metric.Percentile(percent)).fold(0L)(_.toLong)

  /** Checks the conditions that a run is to satisfy; each kind that they name is known. */
  def check(conditions: Vector[Condition]): Vector[Checked] = conditions.map { condition =>
    val kind = condition.kind.map(run.kinds.indexOf(_)).filter(_ >= 0)
    Checked.of(condition, figure(condition.metric, kind), verdict(condition.metric, kind))
  }
}

/**
 * A condition, and what came of it. What the generator was the limit of says nothing of the server, so it is no proof
 * of anything and does not pass.
 *
 * @param figure
 *   in the metric's unit; None where nothing was measured
 */
final case class Checked(condition: Condition, figure: Option[Double], verdict: Verdict) {
  def held: Boolean = condition.holds(figure)

  def passed: Boolean = held && !verdict.isClient

  def reason: String = {
    val value = s"${condition.metric.name} is ${Quantity.of(condition.metric, figure)}"
    if (figure.isEmpty) s"${condition.metric.name} was not measured: there was no good answer"
    else if (held && verdict.isClient) s"$value, but it says nothing of the server: $verdict"
    else if (verdict.causes.nonEmpty) s"$value; ${verdict.limit.name}"
    else value
  }
}

object Checked {
  def of(condition: Condition, figure: Option[Double], verdict: Verdict): Checked =
    Checked(condition, figure, verdict)
}
