package needletail.load.command

import needletail.load.analysis.verdict.{CheckedCondition, Measurement, TotalFailure}
import needletail.load.command.options.Options
import needletail.load.report.data.{Csv, HistogramLog, JUnit, ResultDocument}
import needletail.load.report.html.HtmlReport
import needletail.load.report.text.TextReport

/** Prints the results of runs and writes the files. */
private[command] object RunReport {

  /** Returns the exit status. */
  def apply(
      session: CommandContext,
      options: Options,
      command: String,
      title: String,
      measured: Vector[Measurement]
  ): Int = {
    val terminal = session.terminal
    val outputs  = options.outputs
    val checks   = measured.map(_.check(options.assertions))
    val texts    = measured.zip(checks).map { case (one, its) =>
      (if (measured.size > 1) Vector(s"${one.label}:", "") else Vector.empty) ++ TextReport.run(one, its)
    }
    val lines   = texts.reduceLeft((a, b) => (a :+ "") ++ b)
    val reports = new ReportFiles(terminal)
    session.sayInterrupted(command)
    terminal.print(lines)
    reports.bytes(outputs.json)(ResultDocument.toJson(ResultDocument.of(
      CommandContext.Tool,
      command,
      title,
      measured,
      checks
    )))
    reports.text(outputs.csv)(Csv.seconds(measured))
    reports.bytes(outputs.hlog)(HistogramLog.write(measured, CommandContext.Tool))
    reports.text(outputs.html)(HtmlReport.run(title, measured, checks))
    reports.text(outputs.junit) {
      val cases = measured.zip(checks).flatMap { case (m, its) =>
        its.map(ResultDocument.assertion(m.label, _))
      }
      JUnit.xml(title, cases, session.seconds, lines)
    }
    status(session, command, measured, checks, reports.written)
  }

  private def status(
      session: CommandContext,
      command: String,
      measured: Vector[Measurement],
      checks: Vector[Vector[CheckedCondition]],
      written: Boolean
  ): Int = measured.flatMap(one => TotalFailure.reason(one.run)).headOption match {
    case Some(reason) if !session.interrupted =>
      session.terminal.say(s"needletail-load $command: $reason")
      ExitStatus.Wrong
    case _ =>
      if (!written) ExitStatus.Wrong
      else if (checks.flatten.forall(_.passed)) ExitStatus.Good else ExitStatus.Failed
  }
}
