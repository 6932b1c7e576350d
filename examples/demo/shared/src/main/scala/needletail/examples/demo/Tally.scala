package needletail.examples.demo

/** Results of customers of one kind over some time: the latencies of good responses, and the number of others. */
private[demo] final class Tally {
  private var times = new Array[Long](64) // nanoseconds, the first `good` of them
  var good: Int     = 0
  var failed: Int   = 0

  /** The message of the last failure; empty if there was none. */
  var failure: String = ""

  def succeeded(nanos: Long): Unit = {
    if (good == times.length) times = java.util.Arrays.copyOf(times, 2 * good)
    times(good) = nanos
    good += 1
  }

  def failedWith(message: String): Unit = {
    failed += 1
    failure = message
  }

  def add(other: Tally): Unit = {
    if (good + other.good > times.length)
      times = java.util.Arrays.copyOf(times, Math.max(2 * times.length, good + other.good))
    System.arraycopy(other.times, 0, times, good, other.good)
    good += other.good
    failed += other.failed
    if (other.failure.nonEmpty) failure = other.failure
  }

  /** The latency in milliseconds that each share of good answers did not exceed; NaN if there were none. */
  def percentiles(shares: Double*): Seq[Double] = {
    val sorted = java.util.Arrays.copyOf(times, good)
    java.util.Arrays.sort(sorted)
    shares.map { share =>
      if (good == 0) Double.NaN else sorted(Math.max(0, Math.ceil(share * good).toInt - 1)) / 1e6
    }
  }
}
