package needletail.metrics

import java.util.concurrent.atomic.AtomicLongArray

/**
 * A histogram that one thread records in and any thread reads, which may then see part of an update. Recording
 * allocates nothing and needs no locked instruction.
 */
private[needletail] final class AtomicHistogram(scale: Histogram.Scale) {
  private val buckets = scale.buckets

  // The last two cells are the sum and the longest duration. `lazySet` is enough for the only writer.
  private val cells = new AtomicLongArray(buckets + 2)

  /** Counts a duration in nanoseconds; a negative one counts as 0. */
  def record(nanos: Long): Unit = {
    val n = Math.max(0L, nanos)
    add(scale.bucket(n), 1)
    add(buckets, n)
    if (n > cells.get(buckets + 1)) cells.lazySet(buckets + 1, n)
  }

  private def add(cell: Int, n: Long): Unit = cells.lazySet(cell, cells.get(cell) + n)

  /** Adds the recorded values to `total`, which must have the same scale. */
  def addTo(total: Histogram): Unit = {
    require(total.scale eq scale, "histograms of two scales cannot be added")
    total.add(cells.get(_), cells.get(buckets), cells.get(buckets + 1))
  }
}
