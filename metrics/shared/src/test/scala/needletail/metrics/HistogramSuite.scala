package needletail.metrics

import scala.concurrent.duration._

import needletail.testing.Suite

class HistogramSuite extends Suite {
  private def samples(h: Histogram): List[(String, String)] = {
    val out = new MetricText
    out.histogram("t", "Time.")
    h.writeTo(out, "k" -> "v")
    out.toString.linesIterator.drop(2).map(line =>
      line.takeWhile(_ != ' ') -> line.dropWhile(_ != ' ').trim
    ).toList
  }

  test("percentiles are at most an eighth too long, whatever the scale of the durations") {
    for (unit <- List(10.micros, 1.milli, 1.second)) {
      val h = new Histogram(Histogram.fine)
      for (i <- 1 to 1000) h.record(unit.toNanos * i)
      val total = h.copy()
      assertEquals(
        (total.count, total.sumNanos, total.maxNanos),
        (1000L, unit.toNanos * 500500, unit.toNanos * 1000)
      )
      for (
        (share, exact) <-
          List(0.5 -> unit * 500L, 0.9 -> unit * 900L, 0.99 -> unit * 990L, 1.0 -> unit * 1000L)
      ) {
        val p = total.percentile(share)
        assert(p >= exact.toNanos && p <= exact.toNanos * 9 / 8 + 1, s"$p for $exact")
      }
    }
  }

  test("a percentile is not too short where durations are longer than the scale") {
    for (scale <- List(Histogram.fine, Histogram.coarse)) {
      val h = new Histogram(scale)
      h.record(5.hours.toNanos, 9)
      h.record(6.hours.toNanos)
      for (share <- List(0.5, 1.0)) assertEquals(h.percentile(share), 6.hours.toNanos)
    }
  }

  test("a histogram without durations") {
    val h = new Histogram(Histogram.fine)
    assertEquals((h.count, h.sumNanos, h.maxNanos, h.percentile(0.99)), (0L, 0L, 0L, 0L))
    assert(samples(h).forall(_._2 == "0"))
  }

  test("each duration lies in a bucket that ends above it, and the buckets are in order") {
    for ((scale, from, until) <- List((Histogram.fine, 10, 43), (Histogram.coarse, 15, 36))) {
      var last = -1
      for (shift <- 0 to 62; low <- 0 to 7) {
        val n = (1L << shift) + (low.toLong << math.max(0, shift - 3))
        val b = scale.bucket(n)
        assert(b >= 0 && b < scale.buckets)
        if (shift >= from && shift < until) {
          assert(b >= last && scale.upperBound(b) > n, s"$n in bucket $b")
          last = b
        }
      }
      assertEquals((scale.bucket(0), scale.bucket(Long.MaxValue)), (0, scale.buckets - 1))
    }
  }

  test("the coarse scale has a bucket that doubles for each bound that is shown") {
    val h = new Histogram(Histogram.coarse)
    List(0L, 65535L, 65536L, 131071L, 131072L, Long.MaxValue).foreach(h.record(_))
    assertEquals(List(0, 1, 2, 20).map(h.countOf), List(2L, 2L, 1L, 1L))
    assertEquals(Histogram.coarse.buckets, Histogram.bounds.length + 1)
    Histogram.bounds.indices.foreach(b =>
      assertEquals(Histogram.coarse.upperBound(b) / 1e9, Histogram.bounds(b))
    )
  }

  test("both scales are shown alike") {
    val durations =
      List(
        -1L,
        0L,
        1L,
        65535L,
        65536L,
        100000L,
        131071L,
        131072L,
        1L << 35,
        (1L << 35) - 1,
        1L << 36,
        1L << 44
      )
    val shown = List(Histogram.fine, Histogram.coarse).map { scale =>
      val h = new Histogram(scale)
      durations.foreach(h.record(_))
      h.record(3000000, 3)
      samples(h)
    }
    assertEquals(shown(0), shown(1))
    assertEquals(
      shown(0).filter(_._1.matches(".*(le=\"(6.5536E-5|1.31072E-4|34.359738368|\\+Inf)\"|count).*")),
      List("6.5536E-5" -> "4", "1.31072E-4" -> "7", "34.359738368" -> "12", "+Inf" -> "15").map {
        case (le, n) =>
          s"""t_bucket{k="v",le="$le"}""" -> n
      } :+ ("""t_count{k="v"}""" -> "15")
    )
  }

  test("histograms of one scale can be added") {
    val a = new Histogram(Histogram.fine)
    val b = new Histogram(Histogram.fine)
    a.record(1000000, 2)
    b.record(5000)
    a.add(b)
    assertEquals((a.count, a.sumNanos, a.maxNanos), (3L, 2005000L, 1000000L))
    assertEquals((b.count, b.sumNanos, b.maxNanos), (1L, 5000L, 5000L))
    intercept[IllegalArgumentException](a.add(new Histogram(Histogram.coarse)))
  }

  test("a duration that is counted no times changes nothing") {
    val h = new Histogram(Histogram.fine)
    h.record(1000, 0)
    assertEquals((h.count, h.sumNanos, h.maxNanos), (0L, 0L, 0L))
  }

  test("a percentile is that of the rank rounded up, and no longer than the longest duration") {
    val h = new Histogram(Histogram.fine)
    h.record(1000000)
    assertEquals((h.percentile(0.01), h.percentile(1)), (1000000L, 1000000L))
    h.record(1000000000L)
    assert(h.percentile(0.5) <= 1125000, h.percentile(0.5))
    assertEquals(h.percentile(0.51), 1000000000L)
    h.record(2000000000L)
    assert(h.percentile(0.33) <= 1125000, h.percentile(0.33))
    assert(h.percentile(0.5) >= 1000000000L && h.percentile(0.5) <= 1125000000L, h.percentile(0.5))
    assertEquals(h.percentile(0.67), 2000000000L)
  }
}
