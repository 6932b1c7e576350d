package needletail.client

import java.util.concurrent.atomic.AtomicLongArray

import scala.concurrent.duration._

/**
 * Durations in buckets that grow with them: eight to each power of two of nanoseconds, so that a percentile is
 * at most an eighth too large. One thread records, any may read.
 */
private[client] final class Histogram {
  import Histogram.*

  // The last two cells are the sum and the maximum. `lazySet` by the only writer: no locked instruction.
  private val cells = new AtomicLongArray(Buckets + 2)

  def record(nanos: Long): Unit = {
    val n = if (nanos < 0) 0 else nanos
    val b = bucket(n)
    cells.lazySet(b, cells.get(b) + 1)
    cells.lazySet(Buckets, cells.get(Buckets) + n)
    if (n > cells.get(Buckets + 1)) cells.lazySet(Buckets + 1, n)
  }

  /** Adds what this one has to counts of the same shape. */
  def addTo(total: Array[Long]): Unit = {
    var i = 0
    while (i <= Buckets) {
      total(i) += cells.get(i)
      i += 1
    }
    total(Buckets + 1) = math.max(total(Buckets + 1), cells.get(Buckets + 1))
  }
}

private[client] object Histogram {
  private final val SubBits = 3
  private final val Lowest  = 10 // what is below 2 to this counts as that: a microsecond
  private final val Highest = 43 // what is above 2 to this too: more than two hours
  final val Buckets         = (Highest - Lowest) << SubBits

  def empty: Array[Long] = new Array[Long](Buckets + 2)

  def bucket(nanos: Long): Int =
    if (nanos < (1L << Lowest)) 0
    else {
      val exponent = 63 - java.lang.Long.numberOfLeadingZeros(nanos)
      if (exponent >= Highest) Buckets - 1
      else ((exponent - Lowest) << SubBits) + ((nanos >>> (exponent - SubBits)).toInt & ((1 << SubBits) - 1))
    }

  /** The first duration that is too long for the bucket. */
  def upperBound(bucket: Int): Long = {
    val exponent = Lowest + (bucket >> SubBits)
    (1L << exponent) + (((bucket & ((1 << SubBits) - 1)) + 1).toLong << (exponent - SubBits))
  }

  /** The counts of all buckets that end within each of these bounds, and of those behind the last one. */
  def coarse(total: Array[Long], bounds: Seq[Double]): Seq[Long] = {
    val counts = new Array[Long](bounds.length + 1)
    var i      = 0
    var b      = 0
    while (b < Buckets) {
      while (i < bounds.length && upperBound(b) > bounds(i) * 1e9 + 0.5) i += 1
      counts(i) += total(b)
      b += 1
    }
    counts.toSeq
  }

  /** All of it, in seconds. */
  def sumSeconds(total: Array[Long]): Double = total(Buckets) / 1e9

  def summary(total: Array[Long]): Latency = {
    var count = 0L
    var i     = 0
    while (i < Buckets) { count += total(i); i += 1 }
    val most                                      = total(Buckets + 1)
    def percentile(share: Double): FiniteDuration = {
      val rank = math.ceil(share * count.toDouble).toLong
      var seen = 0L
      var b    = 0
      while (b < Buckets && seen + total(b) < rank) { seen += total(b); b += 1 }
      if (count == 0) Duration.Zero else math.min(most, upperBound(math.min(b, Buckets - 1))).nanos
    }
    Latency(count, total(Buckets).nanos, percentile(0.5), percentile(0.9), percentile(0.99), most.nanos)
  }
}
