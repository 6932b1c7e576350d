package needletail.load.analysis.verdict

import scala.concurrent.duration.FiniteDuration

import needletail.load.result.RunResult

/**
 * Little's law: the number of users in a system equals the arrival rate times the time each spends there. It holds for
 * any system that is neither filling nor draining, so if the measurements contradict it, one of them is wrong or
 * something waits that is not measured.
 *
 * @param users the measured mean
 * @param expected ends per second times mean latency, including pauses
 * @param error standard error of `users`, which are counted at the end of each second only
 */
final case class LittlesLaw(users: Double, expected: Double, error: Double) {

  /** Whether they agree within the error of a run of some seconds, which may be large: no reason to doubt the run. */
  def holds: Boolean = isClose || math.abs(expected - users) <= error * LittlesLaw.Errors

  /** Whether they agree whatever the error: worth a remark. */
  def isClose: Boolean = math.abs(expected - users) <= users * LittlesLaw.Tolerance
}

object LittlesLaw {
  final val Tolerance = 0.15

  /** Standard errors that are tolerated, as the number of users at the end of a second varies by chance. */
  private final val Errors = 3

  /** How many times the duration of a request, with its pause, a run must last. */
  private final val Cycles = 8

  /**
   * None if it cannot be checked: a run of a few seconds, or of a few times what a request takes with its pause, as some
   * are cut off at both ends; users who have all finished, or arrivals that pile up.
   *
   * @param pause mean time between an answer and the next request, in the closed model; None if not known
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
      // of arrivals only those in flight count, so the wait for a connection does not
      val nanos = if (closed) Latencies.sum(figures.response) + Latencies.sum(figures.failed)
      else Latencies.sum(figures.service)
      val waited  = pause.fold(0.0)(_.toNanos.toDouble) * figures.requests
      val piling  = !closed && counts.last > counts.head * 1.5 + 5
      val failing = !closed && figures.errorRate > 0.01 // how long failed ones were in flight is not known
      val brief   = nanos + waited > seconds * 1e9 / LittlesLaw.Cycles * figures.requests
      // few users at the end of each second are a poor sample of what happened in it
      if (figures.requests < 100 || users < 2 && !closed || piling || failing || brief) None
      else Some(LittlesLaw(users, (nanos + waited) / 1e9 / seconds, error))
    }
  }
}
