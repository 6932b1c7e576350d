package needletail.metrics

/**
 * Counts durations in buckets that grow with them. It belongs to one thread; copies go elsewhere. What one thread
 * records and others read is an [[AtomicHistogram]]. Recording allocates nothing.
 */
private[needletail] final class Histogram(val scale: Histogram.Scale) {
  private val counts  = new Array[Long](scale.buckets)
  private var sum     = 0L
  private var longest = 0L

  /** Counts a duration in nanoseconds; a negative one counts as 0. */
  def record(nanos: Long): Unit = record(nanos, 1)

  /** Counts the same duration several times. */
  @inline def record(nanos: Long, times: Int): Unit = {
    val n = Math.max(0L, nanos)
    counts(scale.bucket(n)) += times
    sum += n * times
    if (n > longest && times > 0) longest = n
  }

  /** Adds the counts of another histogram, which must have the same scale. */
  def add(other: Histogram): Unit = {
    require(other.scale eq scale, "histograms of two scales cannot be added")
    var i = 0
    while (i < counts.length) {
      counts(i) += other.counts(i)
      i += 1
    }
    sum += other.sum
    longest = Math.max(longest, other.longest)
  }

  /** Adds values that were recorded elsewhere: counts by bucket, the sum of all durations, and the longest. */
  private[metrics] def add(count: Int => Long, sumNanos: Long, maxNanos: Long): Unit = {
    var i = 0
    while (i < counts.length) {
      counts(i) += count(i)
      i += 1
    }
    sum += sumNanos
    longest = Math.max(longest, maxNanos)
  }

  /** A copy with the same counts. */
  def copy(): Histogram = {
    val c = new Histogram(scale)
    c.add(this)
    c
  }

  /** How many durations fell into a bucket of the scale. */
  def countOf(bucket: Int): Long = counts(bucket)

  /** The number of durations. */
  def count: Long = {
    var n = 0L
    var i = 0
    while (i < counts.length) {
      n += counts(i)
      i += 1
    }
    n
  }

  /** The sum of all durations. */
  def sumNanos: Long = sum

  /** The longest duration; 0 if there is none. */
  def maxNanos: Long = longest

  /**
   * A duration in nanoseconds that the given share of all durations, from 0 to 1, do not exceed: the end of their last
   * bucket, and so at most one bucket too long; in the last bucket, the longest duration. 0 if there is none.
   */
  def percentile(share: Double): Long = {
    val rank = Math.ceil(share * count.toDouble).toLong
    val last = counts.length - 1
    var seen = counts(0)
    var b    = 0
    while (b < last && seen < rank) {
      b += 1
      seen += counts(b)
    }
    if (b == last) longest else Math.min(longest, scale.upperBound(b)) // the last bucket has no end
  }

  /** Writes the counts as one histogram in seconds, with `Histogram.bounds`, under the name that was declared last. */
  def writeTo(out: MetricText, labels: (String, String)*): Unit = {
    val shown = new Array[Long](Histogram.bounds.length + 1)
    var i     = 0
    var b     = 0
    while (b < counts.length) {
      while (i < Histogram.bounds.length && scale.upperBound(b) > Histogram.boundNanos(i)) i += 1
      shown(i) += counts(b)
      b += 1
    }
    out.buckets(Histogram.bounds, shown.toSeq, sum / 1e9, labels*)
  }
}

private[needletail] object Histogram {
  private final val FirstBit = 16
  private final val LastBit  = 35

  /** The upper bounds of the buckets that are shown, in seconds: powers of two nanoseconds, from 65 µs to 34 s. */
  val bounds: Seq[Double] = (FirstBit to LastBit).map(bits => (1L << bits) / 1e9)

  private def boundNanos(i: Int): Long = 1L << (FirstBit + i)

  /**
   * The buckets of a histogram: each power of two nanoseconds from `from` to `until` is divided into `2^subBits` equal
   * buckets. The first bucket includes shorter durations, the last one longer ones.
   */
  final class Scale private[Histogram] (subBits: Int, from: Int, until: Int) {
    private val subMask   = (1 << subBits) - 1
    private val firstUpTo = 1L << from

    val buckets: Int = (until - from) << subBits

    /** The bucket of a duration. */
    @inline def bucket(nanos: Long): Int = if (nanos < firstUpTo) 0 else later(nanos)

    private def later(nanos: Long): Int = {
      val exponent = 63 - java.lang.Long.numberOfLeadingZeros(nanos | 1) // `| 1`: known not to be 0
      if (exponent >= until) buckets - 1
      else ((exponent - from) << subBits) + ((nanos >>> (exponent - subBits)).toInt & subMask)
    }

    /** The first duration that is too long for a bucket, in nanoseconds; that of the last bucket is only nominal. */
    def upperBound(bucket: Int): Long = {
      val exponent = from + (bucket >> subBits)
      (1L << exponent) + (((bucket & subMask) + 1).toLong << (exponent - subBits))
    }
  }

  /** A bucket for each of `bounds` and one for longer durations: the smallest scale that can be exported. */
  val coarse: Scale = new Scale(0, FirstBit - 1, LastBit + 1)

  /** Eight buckets for each power of two, from 1 µs to more than two hours: a percentile is at most 12.5 % too long. */
  val fine: Scale = new Scale(3, 10, 43)
}
