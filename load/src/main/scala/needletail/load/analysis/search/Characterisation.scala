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
 * A load that was held, and the range in which it was found.
 *
 * @param rate good responses per second
 * @param users closed model: users; open model: mean requests in flight, by Little's law
 */
final case class Capacity(rate: Range, users: Double, held: Measurement, verdict: Verdict)

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
 * @param throughput the highest rate, regardless of latency, and the fewest users who reach it; with tolerable errors
 * @param latency the highest rate that satisfies the objective and was held; None if there is none
 * @param tail at shares of that rate
 * @param overload error handling
 * @param steps all measurements, in order
 * @param pause of a user between an answer and the next request, to convert a rate to users
 * @param interrupted whether the search was ended early: then missing parts were not searched for
 * @param notHeld the lowest rate that was held and failed the objective, if higher ones satisfied it for a shorter time
 *   and `latency` is None for that reason
 */
final case class Characterisation(
    objective: Vector[Condition],
    light: Measurement,
    throughput: Option[Capacity],
    latency: Option[Capacity],
    tail: Vector[TailAt],
    overload: Option[Overload],
    steps: Vector[Measurement],
    pause: Option[FiniteDuration],
    interrupted: Boolean = false,
    notHeld: Option[Double] = None
) {

  /** How many users with that pause send requests at the rate of the capacity for latency. */
  def pausingUsers: Option[Double] = for { p <- pause; knee <- latency } yield {
    val seconds = knee.held.figure(Metric.Mean).getOrElse(0.0) / 1e9
    knee.rate.low * (seconds + p.toNanos / 1e9)
  }
}
