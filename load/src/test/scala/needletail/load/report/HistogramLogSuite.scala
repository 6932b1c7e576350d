package needletail.load.report

import java.io.ByteArrayInputStream

import scala.concurrent.duration._

import org.HdrHistogram.{Histogram, HistogramLogReader}

import needletail.load.analysis.{Measurement, ModelDriver, ModelServer, Plans}
import needletail.load.result.Figures
import needletail.testing.Suite

class HistogramLogSuite extends Suite {
  private val run = new ModelDriver(ModelServer(errors = 0.1)).run(
    Plans.open(300, 5.seconds).copy(kinds = Vector(Plans.request.copy(name = "a, b!"))),
    _ => true
  )
  private val log = HistogramLog.write(Vector(new Measurement("run", run, None)), "test")

  test("HdrHistogram's own reader finds every answer, in time and tagged") {
    val reader = new HistogramLogReader(new ByteArrayInputStream(log))
    val good   = Figures.histogram()
    val failed = Figures.histogram()
    while (reader.hasNext) reader.nextIntervalHistogram() match {
      case h: Histogram if h.getTag == "a__b_"        => good.add(h)
      case h: Histogram if h.getTag == "a__b_!failed" => failed.add(h)
      case other                                      => fail(s"not expected: $other")
    }
    assertEquals(good, run.total().response)
    assertEquals(failed, run.total().failed)
    val first = new HistogramLogReader(new ByteArrayInputStream(log)).nextIntervalHistogram()
    assertEquals(first.getStartTimeStamp, run.startedMillis)
    assertEquals(first.getEndTimeStamp, run.startedMillis + 1000)
  }

  test("merged logs hold the sum of all") {
    val entries = HistogramLog.parse(log).fold(fail(_), identity)
    val merged  =
      HistogramLog.parse(HistogramLog.merge(Vector(entries, entries), "test")).fold(fail(_), identity)
    val twice = Figures.histogram()
    twice.add(run.total().response)
    twice.add(run.total().response)
    assertEquals(HistogramLog.sums(merged).find(_._1 == "a__b_").map(_._2), Some(twice))
    assertEquals(merged.map(_.startMillis), merged.map(_.startMillis).sorted)
  }

  test("what is no log is refused") {
    assert(HistogramLog.parse("hello".getBytes).isLeft)
    assert(HistogramLog.parse(Array.emptyByteArray).isLeft)
  }
}
