package needletail.load.analysis.verdict

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.report.data.ResultDocument
import needletail.load.report.html.HtmlReport
import needletail.load.report.text.TextReport
import needletail.testing.Suite

/** Good responses by bands of latency, and minimum and standard deviation. */
class BandsSuite extends Suite {
  private def measured(bounds: FiniteDuration*): Measurement = {
    val run = new ModelDriver(ModelServer()).run(Plans.open(500, 4.seconds), _ => true)
    new Measurement(
      "run",
      run.copy(plan = run.plan.copy(bandNanos = bounds.map(_.toNanos).toVector)),
      Some(Duration.Zero)
    )
  }

  test("each good response is in one band, and the last band has no end") {
    val run   = measured(1.micro, 1.second, 1.milli)
    val bands = Bands.of(run)
    assertEquals(bands.map(_.name), Vector("up to 1 µs", "1 µs to 1 ms", "1 ms to 1 s", "over 1 s"))
    assertEquals(bands.map(_.count).sum, run.window.total.good)
    assert(math.abs(bands.map(_.share).sum - 1) < 1e-9, bands)
    assertEquals(bands.head.count, 0L)
    assertEquals(Bands.of(measured()), Vector.empty)
  }

  test("bounds count as the histogram has them") {
    val run   = measured(20.millis)
    val under = run.window.total.response.getCountBetweenValues(0, 20.millis.toNanos)
    assertEquals(Bands.of(run).map(_.count), Vector(under, run.window.total.good - under))
  }

  test("text, page and JSON have the bands, the minimum and the standard deviation") {
    val run  = measured(1.milli, 1.second)
    val text = TextReport.run(run, Vector.empty).mkString("\n")
    assert(text.contains("up to 1 ms") && text.contains("over 1 s"), text)
    assert(text.contains("min ") && text.contains("stddev"), text)
    val page = HtmlReport.run("x", Vector(run), Vector(Vector.empty))
    assert(page.contains("1 ms to 1 s") && page.contains("stddev"))
    val summary = ResultDocument.summary(run)
    assertEquals(
      summary.bands.map(b => (b.fromMillis, b.toMillis)),
      Vector((0.0, 1.0), (1.0, 1000.0), (1000.0, 0.0))
    )
    assertEquals(summary.bands.map(_.count).sum, run.window.total.good)
    assertEquals(summary.latencyMillis("min"), run.window.total.response.getMinValue / 1e6)
    assert(summary.latencyMillis.contains("stddev"), summary.latencyMillis)
    val plain = measured()
    assert(!TextReport.run(plain, Vector.empty).exists(_.contains("share")))
  }

  test("conditions can be about them") {
    val run = measured()
    val all = Condition.parseAll("min < 1 s, stddev < 10 s").getOrElse(fail("not read"))
    assert(run.check(all).forall(_.held), run.check(all))
  }
}
