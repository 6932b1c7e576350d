package needletail.load.analysis

import scala.concurrent.duration.FiniteDuration

/**
 * A figure that is known to lie in a range.
 *
 * @param open
 *   whether it may be more than `high`: the search had to end there
 */
final case class Range(low: Double, high: Double, open: Boolean)

/**
 * A load that was held, and what it was found by.
 *
 * @param rate
 *   good answers in a second
 * @param users
 *   closed model: users; open model: requests under way in the mean, by Little's law
 */
final case class Capacity(rate: Range, users: Double, held: Measurement, verdict: Verdict)

/** A share of the capacity for latency, and the tail there. */
final case class TailAt(share: Double, measured: Measurement)

/**
 * Until service was normal again after an overload.
 *
 * @param millis
 *   from the end of the overload at most; None where it was not within the time that was watched
 */
final case class Recovery(millis: Option[Long], watchedMillis: Long)

/** What more was asked of the server than it can do, and how the excess fared. */
final case class Overload(asked: Double, measured: Measurement, recovery: Recovery)

/**
 * A server by the five criteria.
 *
 * @param objective
 *   that the capacity for latency satisfies
 * @param light
 *   responsiveness: one user
 * @param throughput
 *   the highest rate, however long it takes, and the fewest users who bring it about; errors are tolerable there
 * @param latency
 *   the highest rate that satisfies the objective; None where not even light load does
 * @param tail
 *   at shares of that rate
 * @param overload
 *   error handling
 * @param steps
 *   everything that was measured on the way, in order
 * @param pause
 *   of a user between an answer and the next request, for the number of users a rate stands for
 * @param interrupted
 *   whether the search was ended before its time: then what is not there was not looked for
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
    interrupted: Boolean = false
) {

  /** Users with that pause who ask at the rate of the capacity for latency. */
  def pausingUsers: Option[Double] = for { p <- pause; knee <- latency } yield {
    val seconds = knee.held.figure(Metric.Mean).getOrElse(0.0) / 1e9
    knee.rate.low * (seconds + p.toNanos / 1e9)
  }
}
