package needletail.server

/**
 * How long things took, in buckets that double: up to 64 µs, 128 µs, … 33.6 s, and longer. Recording is one
 * increment and one addition. One loop's own; copies go elsewhere.
 */
private[server] final class Latencies {
  val counts: Array[Long] = new Array[Long](Latencies.Buckets)
  var sumNanos: Long      = 0

  /** `n` that took `nanos` each. */
  def record(nanos: Long, n: Int): Unit = {
    counts(Latencies.bucket(nanos)) += n
    sumNanos += nanos * n
  }

  def total: Long = {
    var sum = 0L
    counts.foreach(sum += _)
    sum
  }

  def add(other: Latencies): Unit = {
    var i = 0
    while (i < counts.length) {
      counts(i) += other.counts(i)
      i += 1
    }
    sumNanos += other.sumNanos
  }

  def copy(): Latencies = {
    val c = new Latencies
    c.add(this)
    c
  }
}

private[server] object Latencies {

  /** The last one has no upper bound. */
  final val Buckets = 21

  private final val FirstBits = 16 // 2 to the 16th nanoseconds: near enough to 64 µs

  def bucket(nanos: Long): Int =
    if (nanos < (1L << FirstBits)) 0
    else Math.min(Buckets - 1, 64 - FirstBits - java.lang.Long.numberOfLeadingZeros(nanos))

  /** Upper bound of a bucket that has one, in seconds. */
  def bound(bucket: Int): Double = (1L << (FirstBits + bucket)) / 1e9
}
