package needletail.load.command

import needletail.load.analysis.{Checked, Hopeless, Measurement}
import needletail.load.report._

/** Tells what runs came to, and leaves the files. */
private[command] object RunReport {

  /** The status to end with. */
  def apply(
      session: Session,
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
    val reports = new Reports(terminal)
    session.sayInterrupted(command)
    terminal.print(lines)
    reports.bytes(outputs.json)(Document.toJson(Document.of(Session.Tool, command, title, measured, checks)))
    reports.text(outputs.csv)(Csv.seconds(measured))
    reports.bytes(outputs.hlog)(HistogramLog.write(measured, Session.Tool))
    reports.text(outputs.html)(HtmlReport.run(title, measured, checks))
    reports.text(outputs.junit) {
      val cases = measured.zip(checks).flatMap { case (m, its) => its.map(Document.assertion(m.label, _)) }
      JUnit.xml(title, cases, session.seconds, lines)
    }
    status(session, command, measured, checks, reports.written)
  }

  private def status(
      session: Session,
      command: String,
      measured: Vector[Measurement],
      checks: Vector[Vector[Checked]],
      written: Boolean
  ): Int = measured.flatMap(one => Hopeless.reason(one.run)).headOption match {
    case Some(reason) if !session.interrupted =>
      session.terminal.say(s"needletail-load $command: $reason")
      Status.Wrong
    case _ =>
      if (!written) Status.Wrong else if (checks.flatten.forall(_.passed)) Status.Good else Status.Failed
  }
}
