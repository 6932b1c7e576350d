package needletail.load.report.text

import scala.concurrent.duration._

import needletail.load.analysis.verdict.LittlesLaw
import needletail.load.analysis.{ModelDriver, ModelServer, Plans, Ramped}
import needletail.load.analysis.verdict.{Measurement, Metric}
import needletail.load.result.{Figures, Outcome}
import needletail.testing.Suite

class RunRowsSuite extends Suite {
  private def measured(overflows: Long, shared: Boolean): Measurement = {
    val driver = new ModelDriver(ModelServer(), _.copy(listenOverflows = overflows))
    val run    = driver.run(Plans.open(100, 2.seconds), _ => true)
    val where  = Vector(ModelDriver.machine.copy(sharedWithTarget = shared))
    new Measurement("run", run.copy(machine = where), Some(Duration.Zero))
  }

  test("connections that the server's machine dropped are told of, where that is this one") {
    val told = RunRows.remarks(measured(overflows = 3, shared = true)).filter(_.contains("listen overflows"))
    assertEquals(told.size, 1)
    assert(told.head.matches("The kernel dropped a connection \\d+ times, since the server .*"), told)
    val once = measured(overflows = 0, shared = true)
    val one  = once.run.intervals.zipWithIndex.map { case (i, n) =>
      if (n == 0) i.copy(self = i.self.copy(listenOverflows = 1)) else i
    }
    val remark = RunRows.overflows(new Measurement("run", once.run.copy(intervals = one), None))
    assert(remark.exists(_.startsWith("The kernel dropped a connection once, since")), remark)
    assertEquals(RunRows.overflows(measured(overflows = 3, shared = false)), None)
    assertEquals(RunRows.overflows(measured(overflows = 0, shared = true)), None)
    assertEquals(RunRows.overflows(measured(overflows = -1, shared = true)), None) // not known
  }

  test("connections that were to be kept, and were not, are told of") {
    def run(opened: Long, keepAlive: Boolean) = {
      val driver = new ModelDriver(ModelServer(), _.copy(opened = opened, open = 3))
      val result = driver.run(Plans.open(100, 2.seconds), _ => true)
      new Measurement("run", result.copy(plan = result.plan.copy(keepAlive = keepAlive)), Some(Duration.Zero))
    }
    def told(m: Measurement) =
      RunRows.remarks(m).exists(_.startsWith("The server did not keep connections alive"))
    assert(told(run(opened = 100, keepAlive = true)))
    assert(!told(run(opened = 100, keepAlive = false)))
    assert(!told(run(opened = 10, keepAlive = true)))
    val brief = run(opened = 100, keepAlive = true) // users who are gone before they are counted
    val users = brief.run.plan.copy(model = "closed", users = 100)
    assert(!told(new Measurement("run", brief.run.copy(plan = users), Some(Duration.Zero))))
    val http = run(opened = 100, keepAlive = true)
    val ws   = http.run.copy(plan = http.run.plan.copy(targets = Vector("ws://127.0.0.1:1/chat")))
    val said = RunRows.remarks(new Measurement("run", ws, Some(Duration.Zero)))
    assert(said.exists(_.startsWith("WebSockets did not last: 300 were opened for 199 messages.")), said)
    assert(!said.exists(_.contains("The server did not keep")), said)
  }

  test("content is said to be that of complete responses, as no other is counted") {
    val stuck = new ModelDriver(ModelServer(workers = 1, serviceNanos = 60000000000L))
    val run   = new Measurement("run", stuck.run(Plans.open(10, 2.seconds), _ => true), None)
    val text  = TextReport.run(run, Vector.empty)
    assert(text.exists(_.endsWith("; 0 B of content received in complete responses.")), text)
  }

  test(
    "Little's law is said to hold where the two figures are close, not where they are only within the error"
  ) {
    def law(expected: Double, error: Double) = LittlesLaw(users = 14.3, expected, error)
    assert(law(13, 0.1).isClose && law(13, 0.1).holds)
    assert(!law(4.1, 5).isClose && law(4.1, 5).holds)
    assert(!law(4.1, 1).holds)
  }

  test("failures of the ramp are told as those of the whole run, since the figures are not") {
    val text = TextReport.run(Ramped.measured, Vector.empty)
    assert(text.exists(_.endsWith("Figures are of the time after the ramp of 2 s.")), text)
    assert(text.exists(_.startsWith("Failed in the whole run: ")), text)
    val driver = new ModelDriver(ModelServer(errors = 0.5))
    val plain  = new Measurement("run", driver.run(Plans.closed(10, 2.seconds), _ => true), None)
    assert(TextReport.run(plain, Vector.empty).exists(_.startsWith("Failed: ")))
  }

  test("one failure is told in the singular, and failures without a time are not told to have had one") {
    def told(outcomes: Outcome*) = {
      val figures = new Figures
      outcomes.foreach(figures.failed(_, 0, 5000000))
      RunRows.failedTimes(figures)
    }
    assertEquals(told(Outcome.Reset), Some("It took 5.00 ms."))
    assertEquals(
      told(Outcome.Reset, Outcome.Reset),
      Some("They took 5.00 ms in the median, 5.00 ms at most.")
    )
    assertEquals(told(Outcome.Reset, Outcome.NoFreePort), Some("One of them took 5.00 ms."))
    assertEquals(
      told(Outcome.Reset, Outcome.Reset, Outcome.Unsent),
      Some("2 of them took 5.00 ms in the median, 5.00 ms at most.")
    )
    assertEquals(told(Outcome.Unsent), None)
  }

  test("only times are told from sent to end") {
    val run = measured(overflows = 0, shared = false)
    assert(
      RunRows.sentToEnd(run, Metric.Percentile(50)).endsWith("ms"),
      RunRows.sentToEnd(run, Metric.Percentile(50))
    )
    assertEquals((RunRows.sentToEnd(run, Metric.Rate), RunRows.sentToEnd(run, Metric.Errors)), ("", ""))
  }
}
