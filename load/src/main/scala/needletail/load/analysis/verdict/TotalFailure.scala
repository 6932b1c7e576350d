package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Outcome, PlanSummary, RunResult}

/** Detects runs without a single good response: most likely the request is wrong, not the server. */
object TotalFailure {

  /** Why all requests failed, for people; None if at least one was good. */
  def reason(run: RunResult): Option[String] = {
    val total = run.total()
    if (total.good > 0) None
    else if (total.requests == 0) Some("no request was completed")
    else {
      val (outcome, count) = Outcome.all.map(o => o -> total.count(o)).maxBy(_._2)
      val all              = count == total.requests
      Some(
        if (all)
          s"no request succeeded: ${words(outcome, total, run)}${Failures.first(outcome, run.reasons)}" +
            hint(outcome, run)
        else s"no request succeeded: ${Failures.describe(total, run.reasons)}"
      )
    }
  }

  /** Whether waiting longer is useless: the name has no address, or there was no connection for three seconds. */
  def already(figures: Figures, millis: Long): Boolean =
    figures.good == 0 && figures.requests > 0 && {
      figures.count(Outcome.Unresolved) == figures.requests ||
      millis >= 3000 && WithoutConnection.map(figures.count).sum == figures.requests
    }

  /** Whether a run has ended for that reason. What was left then may have failed for others. */
  def gaveUp(run: RunResult): Boolean = {
    val soFar = new Figures
    run.intervals.exists { interval =>
      soFar.add(interval.total)
      already(soFar, interval.startMillis + interval.lengthMillis)
    }
  }

  /** What to do about a server whose certificate is of an authority that Java does not know, or that wants one itself. */
  private def hint(outcome: Outcome, run: RunResult): String = {
    val why                  = run.reasons.collect { case (name, why) if name == outcome.name => why }
    def says(reason: String) = why.exists(_.contains(reason))
    def showsOne             = run.plan.detail.exists(_._1 == PlanSummary.OwnCertificate)
    if (says("its issuer is unknown")) "; name the issuer's certificate by --cacert FILE"
    else if (!showsOne && says("certificate that it was shown, or wants one"))
      "; name a certificate for it by --cert FILE and --key FILE"
    else ""
  }

  private val WithoutConnection = Vector(Outcome.Refused, Outcome.Unresolved, Outcome.ConnectFailed)

  private def words(outcome: Outcome, total: Figures, run: RunResult): String = {
    val target = run.plan.targets.mkString(", ")
    outcome match {
      case Outcome.Unresolved      => s"the host of $target has no address; check the name"
      case Outcome.Refused         => s"no server is listening at $target (connection refused)"
      case Outcome.ConnectTimedOut => s"cannot connect to $target within the connect timeout"
      case Outcome.ConnectFailed   => s"cannot connect to $target"
      case Outcome.BadStatus       =>
        s"the status was ${Failures.statuses(total, onlyBad = false)} (good statuses are 200 and 304, or those of --good-statuses)"
      case Outcome.FailedCheck => "every response failed a check"
      case Outcome.TimedOut    =>
        s"$target did not respond completely within ${Quantity.time(run.plan.timeoutMillis * 1e6)}"
      case Outcome.Reset   => s"$target closed or reset every connection"
      case Outcome.Garbage => s"the responses of $target are not valid HTTP"
      case other           => Failures.name(other)
    }
  }
}
