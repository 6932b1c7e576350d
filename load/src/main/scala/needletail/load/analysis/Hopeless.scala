package needletail.load.analysis

import needletail.load.result.{Figures, Outcome, RunResult}

/** A run of which nothing was good: most likely it is what was asked that is wrong, and not the server. */
object Hopeless {

  /** In plain words what every request met with; None where one at least was good. */
  def reason(run: RunResult): Option[String] = {
    val total = run.total()
    if (total.good > 0) None
    else if (total.requests == 0) Some("no request came to an end")
    else {
      val (outcome, _) = Outcome.all.map(o => o -> total.count(o)).maxBy(_._2)
      Some(
        s"no request was answered as it should be: ${words(outcome, total, run)}${Failures.first(outcome, run.reasons)}"
      )
    }
  }

  /** Not to be waited for any longer: the name has no address, or there was no connection for some seconds. */
  def already(figures: Figures, seconds: Int): Boolean =
    figures.good == 0 && figures.requests > 0 && {
      figures.count(Outcome.Unresolved) == figures.requests ||
      seconds >= 3 && Hopelessly.map(figures.count).sum == figures.requests
    }

  private val Hopelessly = Vector(Outcome.Refused, Outcome.Unresolved, Outcome.ConnectFailed)

  private def words(outcome: Outcome, total: Figures, run: RunResult): String = {
    val target = run.plan.targets.mkString(", ")
    outcome match {
      case Outcome.Unresolved      => s"the host of $target has no address; is its name right?"
      case Outcome.Refused         => s"nobody listens at $target (connection refused)"
      case Outcome.ConnectTimedOut => s"$target lets no connection come about within the time-out"
      case Outcome.ConnectFailed   => s"no connection to $target came about"
      case Outcome.BadStatus       =>
        s"the status was ${Failures.statuses(total, onlyBad = false)} (200 and 304 are good; --good-statuses says otherwise)"
      case Outcome.FailedCheck => "every answer failed a check"
      case Outcome.TimedOut    => s"$target gave no complete answer within ${run.plan.timeoutMillis} ms"
      case Outcome.Reset       => s"$target closed or reset every connection"
      case Outcome.Garbage     => s"what $target answers is no HTTP"
      case other               => Failures.name(other)
    }
  }
}
