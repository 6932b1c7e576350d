package needletail.load.analysis.verdict

import org.HdrHistogram.Histogram

/**
 * A summary of a histogram, in nanoseconds. Without values, everything is 0 (`isEmpty`).
 *
 * A percentile is the smallest recorded value that the given share of all values does not exceed. The mean is given
 * because people ask for it.
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
    max: Long,
    min: Long,
    deviation: Double
) {
  def isEmpty: Boolean = count == 0
}

object Latencies {

  /** The sum of all values, in nanoseconds. */
  def sum(histogram: Histogram): Double =
    if (histogram.getTotalCount == 0) 0 else histogram.getMean * histogram.getTotalCount

  def of(histogram: Histogram): Latencies = {
    val count = histogram.getTotalCount
    if (count == 0) Latencies(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
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
        histogram.getMaxValue,
        histogram.getMinValue,
        histogram.getStdDeviation
      )
  }
}
