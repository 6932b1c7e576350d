package needletail.load.report.data

import java.io.ByteArrayInputStream

import scala.concurrent.duration._

import org.HdrHistogram.{Histogram, HistogramLogReader}

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.analysis.verdict.Measurement
import needletail.load.result.Figures
import needletail.testing.Suite

class HistogramLogSuite extends Suite {
  private def kinds(names: String*) = names.map(name => Plans.request.copy(name = name)).toVector

  private val run = new ModelDriver(ModelServer(errors = 0.1)).run(
    Plans.open(300, 5.seconds).copy(kinds = kinds("a, b!", "c")),
    _ => true
  )
  private val log = HistogramLog.write(Vector(new Measurement("run", run, None)), "test")

  test("HdrHistogram's own reader finds every answer, in time and tagged") {
    val reader = new HistogramLogReader(new ByteArrayInputStream(log))
    val all    = Figures.histogram()
    val good   = Figures.histogram()
    val failed = Figures.histogram()
    while (reader.hasNext) reader.nextIntervalHistogram() match {
      case h: Histogram if h.getTag == null           => all.add(h)
      case h: Histogram if h.getTag == "a__b_"        => good.add(h)
      case h: Histogram if h.getTag == "a__b_!failed" => failed.add(h)
      case h: Histogram if h.getTag.startsWith("c")   => ()
      case other                                      => fail(s"not expected: $other")
    }
    assertEquals(all, run.total().response)
    assertEquals(good, run.figures(0).response)
    assertEquals(failed, run.figures(0).failed)
    val first = new HistogramLogReader(new ByteArrayInputStream(log)).nextIntervalHistogram()
    assertEquals(first.getStartTimeStamp, run.startedMillis)
    assertEquals(first.getEndTimeStamp, run.startedMillis + 1000)
  }

  test("one kind alone needs no tag") {
    val one  = new ModelDriver(ModelServer()).run(Plans.open(300, 2.seconds), _ => true)
    val text = new String(HistogramLog.write(Vector(new Measurement("run", one, None)), "test"), "UTF-8")
    assert(!text.contains("Tag="), text)
  }

  test("merged logs hold the sum of all") {
    val entries = HistogramLog.parse(log).fold(fail(_), identity)
    val merged  =
      HistogramLog.parse(HistogramLog.merge(Vector(entries, entries), "test")).fold(fail(_), identity)
    val twice = Figures.histogram()
    twice.add(run.figures(0).response)
    twice.add(run.figures(0).response)
    assertEquals(HistogramLog.sums(merged).find(_._1.contains("a__b_")).map(_._2), Some(twice))
    assertEquals(HistogramLog.sums(merged).head._1, None)
    assertEquals(merged.map(_.startMillis), merged.map(_.startMillis).sorted)
  }

  test("what is no log is refused") {
    assert(HistogramLog.parse("hello".getBytes).isLeft)
    assert(HistogramLog.parse(Array.emptyByteArray).isLeft)
  }
}
