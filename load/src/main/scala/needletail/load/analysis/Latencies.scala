package needletail.load.analysis

import org.HdrHistogram.Histogram

/**
 * What a histogram says, in nanoseconds. Of nothing, everything is 0 (`isEmpty`).
 *
 * A percentile is the least recorded value that so many of all are not above; the mean is no percentile, and is here
 * only because people ask for it.
 */
final case class Latencies(
    count: Long,
    mean: Double,
    p50: Long,
    p75: Long,
    p90: Long,
    p95: Long,
    p99: Long,
    p999: Long,
    p9999: Long,
    max: Long
) {
  def isEmpty: Boolean = count == 0
}

object Latencies {

  /** Of all together, in nanoseconds. */
  def sum(histogram: Histogram): Double =
    if (histogram.getTotalCount == 0) 0 else histogram.getMean * histogram.getTotalCount

  def of(histogram: Histogram): Latencies = {
    val count = histogram.getTotalCount
    if (count == 0) Latencies(0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    else
      Latencies(
        count,
        histogram.getMean,
        histogram.getValueAtPercentile(50),
        histogram.getValueAtPercentile(75),
        histogram.getValueAtPercentile(90),
        histogram.getValueAtPercentile(95),
        histogram.getValueAtPercentile(99),
        histogram.getValueAtPercentile(99.9),
        histogram.getValueAtPercentile(99.99),
        histogram.getMaxValue
      )
  }
}
