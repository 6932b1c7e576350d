package needletail.load.analysis.search

import scala.concurrent.duration.FiniteDuration

/**
 * Durations and limits of a [[CapacitySearch]].
 *
 * @param step duration of each load that is tried
 * @param hold duration at the limits that were found
 */
final case class SearchLimits(
    step: FiniteDuration,
    hold: FiniteDuration,
    mostUsers: Int,
    mostRate: Double,
    connections: Int,
    poisson: Boolean
)
