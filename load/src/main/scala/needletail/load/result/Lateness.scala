package needletail.load.result

import org.HdrHistogram.Histogram

/**
 * How late after their due times a generator handled requests, in nanoseconds: passed each to a connection, or queued
 * it for one. Immutable; sums are without loss.
 */
final class Lateness private (bytes: Array[Byte]) {

  /** A copy. */
  def histogram: Histogram = Figures.decode(bytes)

  /** In nanoseconds, the longest at 100; 0 if no request had a time set in advance. */
  def at(percentile: Double): Long = histogram.getValueAtPercentile(percentile)

  override def equals(other: Any): Boolean = other match {
    case o: Lateness => histogram == o.histogram
    case _           => false
  }

  override def hashCode: Int = histogram.hashCode

  override def toString: String = s"Lateness(p50 ${at(50)} ns, p99 ${at(99)} ns, at most ${at(100)} ns)"
}

object Lateness {
  val none: Lateness = new Lateness(Array.empty)

  def of(histogram: Histogram): Lateness = new Lateness(Figures.encode(histogram))

  def sum(parts: Iterable[Lateness]): Lateness = {
    val total = Figures.histogram()
    parts.foreach(part => total.add(part.histogram))
    of(total)
  }
}
