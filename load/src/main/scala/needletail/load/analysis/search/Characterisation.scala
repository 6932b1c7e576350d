package needletail.load.analysis.search

import scala.concurrent.duration.FiniteDuration

import needletail.load.analysis.verdict.{Condition, Measurement, Metric, Verdict}

/**
 * A range that contains the true value.
 *
 * @param open whether it may be more than `high`: the search had to end there
 */
final case class Range(low: Double, high: Double, open: Boolean)

/**
 * The capacity for latency: a load that was held, and the range in which it was found.
 *
 * @param rate requests per second
 * @param users mean requests in flight, by Little's law
 * @param held the measurement at the rate `low`
 * @param isHeld whether that was for as long as a rate is to be held; false if the search was interrupted before
 * @param verdict its causes name the step that they are of, unless that is `held`
 */
final case class Capacity(rate: Range, users: Double, held: Measurement, isHeld: Boolean, verdict: Verdict)

/**
 * The highest rate of good responses with tolerable errors, and the fewest users who reach about that.
 *
 * @param rate from the lowest rate of a quarter of the time for which those users were held to the highest rate that was
 *   measured in any step; a step of a rate counts as what it offered at most
 * @param users the fewest
 * @param held the measurement of those
 * @param fastest the step of the highest rate, if that is not within what `held` shows
 * @param above why more users were not, or are not, better
 * @param verdict its causes name the step that they are of, unless all are of `held`
 * @param isHeld false if the search was interrupted before `held` could be more than a step
 */
final case class Throughput(
    rate: Range,
    users: Int,
    held: Measurement,
    fastest: Option[Measurement],
    above: Above,
    verdict: Verdict,
    isHeld: Boolean = true
)

/** What ended the search for more throughput with more users. */
sealed abstract class Above extends Product with Serializable

object Above {

  /** More users had no higher rate. */
  case object NoMore extends Above

  /** With more users, those of that step, too many requests failed. */
  final case class Failures(at: Measurement) extends Above

  /** The load tester was the limit in that step. */
  final case class Generator(at: Measurement) extends Above

  /** The most users who were to be tried. */
  final case class Bound(users: Int) extends Above

  /** The user interrupted it. */
  case object Interruption extends Above
}

/** A share of the capacity for latency, and the tail latency there. */
final case class TailAt(share: Double, measured: Measurement)

/**
 * What came after an overload: first the load tester's own backlog, then the server's recovery.
 *
 * @param backlogMillis for how long after the end of the load requests that had become due before still waited for the
 *   load tester's connections; until then the server was as loaded as before
 * @param millis until service was normal again: at most, from the end of the backlog; None if not within
 *   `watchedMillis` of it
 */
final case class Recovery(backlogMillis: Long, millis: Option[Long], watchedMillis: Long)

/** A load beyond the server's capacity, and how requests fared. */
final case class Overload(asked: Double, measured: Measurement, recovery: Recovery)

/**
 * A server by the five criteria.
 *
 * @param objective the objective of the capacity for latency
 * @param light responsiveness: one user
 * @param throughput the highest rate, regardless of latency; None if too many requests of one user failed
 * @param latency the highest rate that satisfies the objective and was held; None if there is none
 * @param tail at shares of that rate
 * @param overload error handling
 * @param steps all measurements, in order
 * @param pause of a user between an answer and the next request, to convert a rate to users
 * @param interrupted whether the search was ended early: then missing parts were not searched for
 * @param latencyInterrupted whether it was ended before `latency` was found
 * @param notHeld the lowest rate that was held and failed the objective, if higher ones satisfied it for a shorter time
 *   and `latency` is None for that reason
 * @param lowest the step of the lowest rate that was tried in vain, if `latency` is None
 */
final case class Characterisation(
    objective: Vector[Condition],
    light: Measurement,
    throughput: Option[Throughput],
    latency: Option[Capacity],
    tail: Vector[TailAt],
    overload: Option[Overload],
    steps: Vector[Measurement],
    pause: Option[FiniteDuration],
    interrupted: Boolean = false,
    notHeld: Option[Double] = None,
    lowest: Option[Measurement] = None,
    latencyInterrupted: Boolean = false
) {

  /** How many users with that pause send requests at the rate of the capacity for latency. */
  def pausingUsers: Option[Double] = for { p <- pause; knee <- latency } yield {
    val seconds = knee.held.figure(Metric.Mean).getOrElse(0.0) / 1e9
    knee.rate.low * (seconds + p.toNanos / 1e9)
  }
}
