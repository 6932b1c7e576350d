package needletail.client

import scala.concurrent.duration._

/**
 * A summary of durations.
 *
 * @param count how many there were
 * @param total their sum
 * @param p50 half of them were not longer, give or take an eighth; `p90`, `p99` likewise
 * @param max the longest
 */
final case class Latency(
    count: Long,
    total: FiniteDuration,
    p50: FiniteDuration,
    p90: FiniteDuration,
    p99: FiniteDuration,
    max: FiniteDuration
) {
  def mean: FiniteDuration = if (count == 0) Duration.Zero else (total.toNanos / count).nanos
}
