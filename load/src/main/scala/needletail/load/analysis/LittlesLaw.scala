package needletail.load.analysis

import scala.concurrent.duration.FiniteDuration

import needletail.load.result.RunResult

/**
 * Little's law: users in the system are arrivals in a second times the time each spends there. It holds for any
 * system that is neither filling nor draining, so where the figures do not obey it, one of them is wrong or something
 * waits that nobody measures.
 *
 * @param users
 *   that were there, in the mean
 * @param expected
 *   ends in a second times mean latency, with the pauses
 * @param error
 *   standard error of `users`, which are counted at the end of each second only
 */
final case class LittlesLaw(users: Double, expected: Double, error: Double) {

  /** Within the error that a run of some seconds has. */
  def holds: Boolean =
    math.abs(expected - users) <= math.max(users * LittlesLaw.Tolerance, error * LittlesLaw.Errors)
}

object LittlesLaw {
  final val Tolerance = 0.15

  /** One second at whose end many were there by chance is not to be taken for more than that. */
  private final val Errors = 3

  /**
   * None where there is too little to check it by: a run of a few seconds, users who have all been and gone, or
   * arrivals that pile up.
   *
   * @param pause
   *   mean time between an answer and the next request, in the closed model; None where it is not known
   */
  def check(run: RunResult, pause: Option[FiniteDuration]): Option[LittlesLaw] = {
    val window = new Window(run)
    val steady = window.offered.filter(_.lengthMillis >= 900).drop(1)
    val closed = run.plan.model == "closed"
    if (steady.size < 3 || closed && (pause.isEmpty || run.plan.durationMillis == 0)) None
    else {
      val figures = needletail.load.result.Figures.sum(steady.map(_.total))
      val seconds = steady.iterator.map(_.lengthMillis).sum / 1000.0
      val counts  = steady.map(_.self.users.toDouble)
      val users   = counts.sum / counts.size
      val error = math.sqrt(counts.map(c => (c - users) * (c - users)).sum / (counts.size - 1) / counts.size)
      // of arrivals only those count that are under way, so the wait for a connection does not
      val nanos = if (closed) Latencies.sum(figures.response) + Latencies.sum(figures.failed)
      else Latencies.sum(figures.service)
      val waited  = pause.fold(0.0)(_.toNanos.toDouble) * figures.requests
      val piling  = !closed && counts.last > counts.head * 1.5 + 5
      val failing = !closed && figures.errorRate > 0.01 // how long bad ones were under way is not known
      // few users at the end of each second are a poor sample of what went on in it
      if (figures.requests < 100 || users < 2 && !closed || piling || failing) None
      else Some(LittlesLaw(users, (nanos + waited) / 1e9 / seconds, error))
    }
  }
}
