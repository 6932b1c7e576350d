package needletail.metrics

import needletail.testing.Suite

/** What one thread records and others read. */
class AtomicHistogramSuite extends Suite {
  private val durations = List(-5L, 0L, 1L, 999L, 1000L, 65536L, 123456789L, 40L * 1000 * 1000 * 1000)

  test("it has the counts, the sum and the longest duration of a histogram of one thread") {
    for (scale <- List(Histogram.fine, Histogram.coarse)) {
      val plain  = new Histogram(scale)
      val atomic = new AtomicHistogram(scale)
      durations.foreach { nanos =>
        plain.record(nanos)
        atomic.record(nanos)
      }
      val read = new Histogram(scale)
      atomic.addTo(read)
      for (b <- 0 until scale.buckets) assertEquals(read.countOf(b), plain.countOf(b))
      assertEquals(read.sumNanos, plain.sumNanos)
      assertEquals(read.maxNanos, plain.maxNanos)
    }
  }

  test("several are added into one; histograms of different scales are not") {
    val a = new AtomicHistogram(Histogram.fine)
    val b = new AtomicHistogram(Histogram.fine)
    a.record(3000)
    b.record(7000)
    b.record(5000)
    val total = new Histogram(Histogram.fine)
    a.addTo(total)
    b.addTo(total)
    assertEquals((total.count, total.sumNanos, total.maxNanos), (3L, 15000L, 7000L))
    intercept[IllegalArgumentException](a.addTo(new Histogram(Histogram.coarse)))
  }
}
