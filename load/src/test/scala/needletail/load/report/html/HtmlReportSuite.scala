package needletail.load.report.html

import java.io.File
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.{Files, Path}
import java.util.Comparator
import java.util.concurrent.TimeUnit

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans, Ramped}
import needletail.load.analysis.search.{CapacitySearch, Ladder, SearchLimits}
import needletail.load.analysis.verdict.{Condition, Measurement, Metric, Quantity}
import needletail.load.plan.{Kind, Load, LoadPlan, RequestTemplate}
import needletail.load.report.text.CharacterisationText
import needletail.testing.Suite

class HtmlReportSuite extends Suite {
  override def munitTimeout: Duration = 90.seconds // a browser starts

  private val evil = "</script><img src=x onerror=\"document.title='broken'\">&'"

  private val run = new ModelDriver(ModelServer(errors = 0.1)).run(
    LoadPlan(
      evil,
      Vector("index", evil).map(name =>
        Kind(name, Vector(RequestTemplate("GET", s"http://localhost/$evil")))
      ),
      Load.Open(Vector(Load.Step(300, 300, 6.seconds)))
    ),
    _ => true
  )
  private val measured = Vector(new Measurement("run", run, None))
  private val checks   =
    measured.map(_.check(Condition.parseAll("p99 < 5 ms, errors < 50 %").getOrElse(fail("none"))))
  private val page = HtmlReport.run(evil, measured, checks)

  test("a page needs nothing beside it, and names the chart library's licence") {
    assert(
      !page.contains("src=\"http") && !page.contains("href=") && !page.contains("@import"),
      "it loads something"
    )
    assert(page.contains("Chart.js v4.4.4") && page.contains("MIT License"))
    assert(page.contains("default-src 'none'"))
  }

  test("what comes from outside is text") {
    assert(!page.contains("<img"))
    assert(page.contains("&lt;/script&gt;&lt;img"))
    assertEquals("</script>".r.findAllIn(page).size, 3)
  }

  test("the summary comes first, and everything a report has to say is there") {
    val order =
      Vector(">Summary<", ">Assertions<", ">Charts<", ">All figures<", ">Conditions<").map(page.indexOf(_))
    assert(order.forall(_ > 0), order)
    assertEquals(order, order.sorted)
    for (part <- Seq("SERVER-LIMITED", "FAILED", "passed", "with a bad status (500", "TIME_WAIT"))
      assert(page.contains(part), part)
  }

  test("after a ramp all figures are of the same time, and the page says of which") {
    val m     = Ramped.measured
    val other = HtmlReport.run("ramp", Vector(m), Vector(Vector.empty))
    assert(m.run.total().bad > 0 && m.window.total.bad == 0, m.run.total().bad)
    for (
      part <- Seq(
        "<b>0 %</b><span>errors (0)</span>",
        "<p>Figures are of the time after the ramp of 2 s.</p>",
        "<p>Failed in the whole run: ",
        "After the ramp; good responses, from when each was due to its end."
      )
    )
      assert(other.contains(part), part)
    assert(!page.contains("after the ramp") && page.contains("The whole measurement; good responses"))
  }

  test("in a browser all charts stand, in light and in dark") {
    assume(
      HtmlReportSuite.browser.isDefined,
      "NOT TESTED in a browser: there is no Chromium; name one with CHROME"
    )
    for (program <- HtmlReportSuite.browser; scheme <- Vector("1", "0")) {
      val dom = HtmlReportSuite.dom(program, page, scheme)
      assert(dom.contains("data-charts=\"5\""), dom.take(500))
      assert(!dom.contains("data-error"), dom.take(500))
      assert(!dom.contains("<title>broken"), "a text became a script")
    }
  }

  test("a window that becomes as narrow as a telephone's is not left by anything but what is scrolled") {
    assume(
      HtmlReportSuite.browser.isDefined,
      "NOT TESTED in a browser: there is no Chromium; name one with CHROME"
    )
    val wrapper =
      s"""<!DOCTYPE html><html><body><iframe style="width:900px;height:600px" srcdoc="${Html.text(
          page
        )}"></iframe>
         |<script>
         |var frame = document.querySelector('iframe');
         |frame.onload = function () {
         |  var wide = frame.contentDocument.documentElement.clientWidth;
         |  frame.style.width = '400px';
         |  var inner = frame.contentDocument.documentElement;
         |  document.body.dataset.width = wide + ' ' + inner.clientWidth + ' ' + inner.scrollWidth;
         |  frame.remove();
         |};
         |</script></body></html>""".stripMargin
    for (program <- HtmlReportSuite.browser) {
      val dom   = HtmlReportSuite.dom(program, wrapper, "1")
      val found = """data-width="(\d+) (\d+) (\d+)"""".r.findFirstMatchIn(dom).getOrElse(fail(dom.take(500)))
      val width = found.subgroups.map(_.toInt)
      assert(width(0) > 800 && width(1) < 410, width)
      assertEquals(width(2), width(1))
    }
  }

  test("a page of nothing good says so, and the other charts stand") {
    assume(
      HtmlReportSuite.browser.isDefined,
      "NOT TESTED in a browser: there is no Chromium; name one with CHROME"
    )
    val nothing = new ModelDriver(ModelServer(errors = 1)).run(Plans.closed(2, 3.seconds), _ => true)
    val bad     = HtmlReport.run("bad", Vector(new Measurement("run", nothing, None)), Vector(Vector.empty))
    for (program <- HtmlReportSuite.browser) {
      val dom = HtmlReportSuite.dom(program, bad, "0")
      assert(!dom.contains("data-error"), dom.take(500))
      assert(
        dom.contains("data-charts=\"3\""),
        dom.take(500)
      ) // throughput, failed ones by percentile, generator
      assert(dom.contains("Nothing to show"), dom.take(500))
    }
  }

  private lazy val (ladder, found) = {
    val driver = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000, queue = 100))
    val rows   = Vector(10, 25, 50).map { users =>
      val run = driver.run(Plans.closed(users, requests = Some(50)), _ => true)
      Ladder.Climbed(Ladder.row(users), new Measurement(s"$users users", run, None))
    }
    val measure = (load: Load, label: String, enough: needletail.load.result.Interval => Boolean) =>
      new Measurement(label, driver.run(LoadPlan("x", Vector(Plans.request), load), i => !enough(i)), None)
    val limits = SearchLimits(2.seconds, 4.seconds, 256, 10000, 1000, poisson = false)
    val goal   = Condition.parseAll("p99 < 100 ms").getOrElse(fail("none"))
    val found  = new CapacitySearch(measure, goal, limits, None, () => false).run().fold(fail(_), identity)
    (HtmlReport.ladder("ladder", rows, Vector("read so"), rows.map(_.measured -> Vector.empty)), found)
  }

  test("the chart by rate ends above the capacity, and what is far above it is told below") {
    val chart    = Charts.byRate(found)
    val capacity = found.latency.fold(0.0)(_.rate.low)
    val rates    = chart.series.flatMap(_.points.map(_._1))
    assert(rates.contains(capacity) && rates.exists(_ > capacity) && rates.max <= capacity * 1.3, rates)
    val overload = found.overload.getOrElse(fail("no overload"))
    val p99      = Quantity.of(Metric.Percentile(99), overload.measured.figure(Metric.Percentile(99)))
    assert(chart.note.endsWith(s"overload, ${Quantity.rate(overload.asked)}: p99 $p99."), chart.note)
    // every rate that was tried is in one of the two
    val tried =
      found.steps.filter(m => m.run.plan.model == "open" && (m ne overload.measured)).map(_.run.plan.rate)
    assert(
      tried.forall(r => rates.contains(r) || chart.note.contains(s"${Quantity.rate(r)}: p99")),
      chart.note
    )
    // without a capacity there is no edge
    val whole = Charts.byRate(found.copy(latency = None)).series.head.points.map(_._1)
    assertEquals(whole, tried.distinct.sorted)
    assert(whole.max > capacity * 1.3, whole)
  }

  test("rates of very different rows are on a logarithmic axis") {
    def axis(serviceNanos: Long*) = {
      val rows = serviceNanos.toVector.zipWithIndex.map { case (nanos, i) =>
        val run = new ModelDriver(ModelServer(workers = 10, serviceNanos = nanos)).run(
          Plans.closed(10, 2.seconds),
          _ => true
        )
        (10 * (i + 1), new Measurement("row", run, None))
      }
      Charts.byUsers(rows, "users")(1).y.log
    }
    assert(axis(1000000, 50000000) && !axis(1000000, 5000000))
  }

  test("the chart by percentile says of which step it is, and what is drawn") {
    val page  = HtmlReport.characterisation("five", found, Vector.empty, Vector.empty)
    val label = found.latency.fold("")(_.held.label)
    assert(page.contains(s"<h3>Latency by percentile, at $label</h3>"), label)
    val note = "from when each was due to its end, and without its wait in the load tester, from sent to end"
    assert(page.contains(note), note)
    val failing = Charts.distribution(found.overload.getOrElse(fail("no overload")).measured)
    assert(failing.note.endsWith(", from sent to end; failed requests separately."), failing.note)
  }

  test("pages of a ladder and of a characterisation stand too") {
    assume(
      HtmlReportSuite.browser.isDefined,
      "NOT TESTED in a browser: there is no Chromium; name one with CHROME"
    )
    val criteria = CharacterisationText.criteria(found)
    val five     = HtmlReport.characterisation("five", found, criteria, Vector.empty)
    for (program <- HtmlReportSuite.browser) {
      assert(HtmlReportSuite.dom(program, ladder, "1").contains("data-charts=\"2\""))
      assert(HtmlReportSuite.dom(program, five, "0").contains("data-charts=\"5\""))
    }
  }
}

object HtmlReportSuite {

  /** What CHROME names, or one of those on the PATH. */
  val browser: Option[String] = {
    val folders = sys.env.getOrElse("PATH", "").split(File.pathSeparatorChar).filter(_.nonEmpty)
    val names   = List("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    val onPath  = for { name <- names; folder <- folders } yield s"$folder${File.separator}$name"
    (sys.env.get("CHROME").filter(_.nonEmpty).toList ++ onPath).find(path => new File(path).canExecute)
  }

  /** The page's elements, after its scripts have run: opened from a file, without a network. */
  def dom(program: String, page: String, scheme: String): String = {
    val folder = Files.createTempDirectory("needletail-page")
    try {
      val file    = Files.write(folder.resolve("page.html"), page.getBytes(UTF_8))
      val process = new ProcessBuilder(
        program,
        "--headless=new",
        "--no-sandbox", // in containers and as root there can be none, and it sees no page but ours
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        s"--blink-settings=preferredColorScheme=$scheme",
        s"--user-data-dir=${folder.resolve("profile")}",
        "--dump-dom",
        file.toUri.toString
      ).redirectError(ProcessBuilder.Redirect.DISCARD).start()
      val killer =
        new Thread(() => if (!process.waitFor(40, TimeUnit.SECONDS)) { process.destroyForcibly(); () })
      killer.setDaemon(true)
      killer.start()
      val dom = new String(process.getInputStream.readAllBytes(), UTF_8)
      process.waitFor()
      dom.replaceAll("(?s)<script>.*?</script>", "")
    } finally {
      val deleted =
        scala.util.Try(Files.walk(folder).sorted(Comparator.reverseOrder[Path]()).forEach(path => {
          path.toFile.delete()
          ()
        }))
      deleted.getOrElse(()) // its helpers may write to the last
    }
  }
}
