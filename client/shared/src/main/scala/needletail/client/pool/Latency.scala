package needletail.client.pool

import scala.concurrent.duration._

import needletail.metrics.Histogram

/**
 * A summary of durations.
 *
 * @param count how many there were
 * @param total their sum
 * @param p50 half of them were not longer, to within an eighth; `p90`, `p99` likewise
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

  /** The mean; zero if there are no durations. */
  def mean: FiniteDuration = if (count == 0) Duration.Zero else (total.toNanos / count).nanos
}

private[client] object Latency {
  def of(histogram: Histogram): Latency = {
    def percentile(share: Double): FiniteDuration = histogram.percentile(share).nanos
    Latency(
      histogram.count,
      histogram.sumNanos.nanos,
      percentile(0.5),
      percentile(0.9),
      percentile(0.99),
      histogram.maxNanos.nanos
    )
  }
}
