package needletail.load.report.text

import needletail.load.analysis.verdict._
import needletail.load.result.{Machine, RunResult}

/** The results of a run as text, for a terminal or a log. */
private[load] object TextReport {

  def run(measured: Measurement, checks: Vector[CheckedCondition]): Vector[String] = {
    val total = measured.run.total()
    val kinds = measured.run.kinds
    Vector(heading(measured.run), "") ++
      counts(measured) ++
      Vector("") ++
      (if (total.good > 0) figures(measured).lines :+ "" else Vector.empty) ++
      bands(measured) ++
      (if (kinds.size > 1) byKind(measured).lines :+ "" else Vector.empty) ++
      (if (total.bad > 0)
         Vector(
           s"Failed${RunRows.ofWholeRun(measured)}: ${Failures.describe(total, measured.run.reasons)}."
         ) ++ RunRows.failedTimes(total) :+ ""
       else Vector.empty) ++
      verdict(measured) ++
      assertions(checks)
  }

  def heading(run: RunResult): String = s"${run.plan.name}: ${conditions(run)}"

  /** The load in one line. */
  def conditions(run: RunResult): String = {
    val plan = run.plan
    val load =
      if (plan.model == "open")
        s"open model, ${Quantity.rate(plan.rate)}, at most ${Quantity.counted(plan.users.toLong, "connection")}"
      else s"closed model, ${Quantity.counted(plan.users.toLong, "user")}"
    val alive = if (plan.keepAlive) "" else ", a connection for each request"
    val depth = if (plan.pipelining > 1) s", pipelining ${plan.pipelining}" else ""
    val time  = if (run.loadMillis < 1) "less than 1 ms" else Quantity.time(run.loadMillis * 1e6)
    s"$load$alive$depth, $time"
  }

  private def counts(measured: Measurement): Vector[String] = {
    val all  = measured.run.total()
    val ramp = RunRows.afterRamp(measured).fold("")(" " + _)
    if (all.requests == 0) Vector("No request ended.")
    else Vector(
      s"${Quantity.counted(all.requests, "request")}: ${Quantity.count(all.good)} good, ${Quantity.count(all.bad)} bad " +
        s"(${Quantity.share(all.errorRate)}); ${Quantity.bytes(all.received)} of content received in complete responses.$ramp"
    )
  }

  private def figures(measured: Measurement): TextTable = {
    val open = measured.run.plan.model == "open"
    TextTable(
      Vector("good responses", "due to end") ++ (if (open) Vector("sent to end")
                                                 else Vector.empty) :+ "verdict",
      Metric.usual.map { metric =>
        Vector(metric.name, Quantity.of(metric, measured.figure(metric))) ++
          (if (open) Vector(RunRows.sentToEnd(measured, metric)) else Vector.empty) :+ measured.verdict(
            metric
          ).limit.name
      }
    )
  }

  private def bands(measured: Measurement): Vector[String] = {
    val rows = RunRows.bands(measured)
    if (rows.isEmpty) Vector.empty else TextTable(RunRows.bandsHead, rows).lines :+ ""
  }

  private def byKind(measured: Measurement): TextTable = TextTable(RunRows.kindsHead, RunRows.kinds(measured))

  private def verdict(measured: Measurement): Vector[String] = {
    val whole = measured.diagnosis.overall
    s"Verdict: ${whole.limit.name}" +: (whole.causes.map("  " + _) ++ RunRows.remarks(measured))
  }

  def assertions(checks: Vector[CheckedCondition]): Vector[String] =
    if (checks.isEmpty) Vector.empty
    else
      "" +: checks.map(check =>
        s"${if (check.passed) "passed" else "FAILED"}  ${check.condition.text}  (${check.reason})"
      )

  /** Warnings about the machine, printed before the run. */
  def machine(machine: Machine): Vector[String] = machine.warnings.map("Warning: " + _)
}
