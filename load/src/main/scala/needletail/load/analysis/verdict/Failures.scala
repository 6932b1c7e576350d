package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Outcome}

/** Describes the causes of failed requests. */
object Failures {

  /** The outcomes that occurred, the most frequent first, with their counts. */
  def of(figures: Figures): Vector[(Outcome, Long)] =
    Outcome.all.filter(_ != Outcome.Good).map(o => o -> figures.count(o)).filter(_._2 > 0).sortBy(-_._2)

  /**
   * The outcomes with counts, as a text.
   *
   * @param reasons of a run: the first message of each outcome
   */
  def describe(figures: Figures, reasons: Vector[(String, String)]): String = of(figures)
    .map {
      case (Outcome.BadStatus, count) =>
        s"${Quantity.count(count)} with a bad status (${statuses(figures, onlyBad = true)})"
      case (outcome, count) => s"${Quantity.count(count)} ${name(outcome)}${first(outcome, reasons)}"
    }
    .mkString(", ")

  /** The first message in brackets, if there is one. */
  def first(outcome: Outcome, reasons: Vector[(String, String)]): String =
    reasons.find(_._1 == outcome.name).fold("") { case (_, reason) => s" (first: $reason)" }

  /** `503: 12, 500: 3`. */
  def statuses(figures: Figures, onlyBad: Boolean): String = {
    val all = (100 until 600).filter(figures.status(_) > 0).map(code => code -> figures.status(code)).toVector
    val odd = if (figures.statuses.last > 0) Vector(0 -> figures.statuses.last) else Vector.empty
    val whole = all ++ odd
    val bad   = whole.filter { case (code, _) => code < 200 || code >= 300 && code != 304 }
    // a status of success may be unexpected here; then all are listed, as it is not known which
    val clear  = !onlyBad || bad.map(_._2).sum >= figures.count(Outcome.BadStatus)
    val listed = (if (onlyBad && clear) bad else whole)
      .sortBy(-_._2)
      .map { case (code, count) =>
        s"${if (code == 0) "no valid status" else code.toString}: ${Quantity.count(count)}"
      }
      .mkString(", ")
    if (clear) listed else s"of all responses $listed"
  }

  def name(outcome: Outcome): String = outcome match {
    case Outcome.Good            => "good"
    case Outcome.BadStatus       => "with a bad status"
    case Outcome.FailedCheck     => "failed a check"
    case Outcome.Unresolved      => "had no address"
    case Outcome.Refused         => "refused"
    case Outcome.ConnectTimedOut => "could not connect in time"
    case Outcome.NoFreePort      => "had no free local port"
    case Outcome.TooManyFiles    => "failed with too many open files"
    case Outcome.ConnectFailed   => "could not connect"
    case Outcome.Reset           => "reset or truncated"
    case Outcome.TimedOut        => "timed out"
    case Outcome.Garbage         => "had an invalid response"
    case Outcome.Unsent          => "not sent, because no connection was free"
  }
}
