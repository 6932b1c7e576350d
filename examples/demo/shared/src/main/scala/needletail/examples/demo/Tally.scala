package needletail.examples.demo

/** What customers of one kind met with in a while. Good answers have their times kept; the others are counted apart. */
private[demo] final class Tally {
  private var times = new Array[Long](64) // nanoseconds, the first `good` of them
  var good: Int     = 0
  var failed: Int   = 0

  /** What the last one that failed was told; empty where none did. */
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

  /** For each share the time within which so many had their good answer, in milliseconds; NaN where none had. */
  def percentiles(shares: Double*): Seq[Double] = {
    val sorted = java.util.Arrays.copyOf(times, good)
    java.util.Arrays.sort(sorted)
    shares.map { share =>
      if (good == 0) Double.NaN else sorted(Math.max(0, Math.ceil(share * good).toInt - 1)) / 1e6
    }
  }
}
