package needletail.load.command

import scala.concurrent.duration._

import needletail.load.analysis.search.Ladder
import needletail.load.analysis.verdict.{Quantity, TotalFailure}
import needletail.load.command.options.{OptionValues, Options, PlanFromOptions}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.report.data.{Csv, JUnit, ResultDocument}
import needletail.load.report.html.HtmlReport
import needletail.load.report.text.LadderText

/** `ladder`: one run for each number of users. */
private[command] final class LadderCommand(session: CommandContext, options: Options) {
  import session._

  private val rows     = if (options.rows.isEmpty) Ladder.rows else options.rows.map(Ladder.row)
  private val requests = options.requests.getOrElse(Ladder.Requests)

  def run(): Either[String, Int] =
    for {
      url <- OptionValues.url(options.target)
      _   <- RunCommand.known(options.assertions ++ options.objective, Vector("requests"))
      title = plan(url, rows.head).name
      _       <- session.preflight(plan(url, rows.maxBy(_.users)))
      climbed <- climb(url)
    } yield report(title, climbed)

  private def plan(url: String, row: Ladder.Row): LoadPlan =
    PlanFromOptions.plan(url, options.asking, Load.Closed(row.users, Some(requests), None, row.ramp))

  private def climb(url: String): Either[String, Vector[Ladder.Climbed]] = {
    var climbed = Vector.empty[Ladder.Climbed]
    var wrong   = Option.empty[String]
    rows.iterator.takeWhile(_ => wrong.isEmpty && !interrupted).foreach { row =>
      val measured = session.measure(plan(url, row), s"${row.users} users", Some(Duration.Zero))
      climbed :+= Ladder.Climbed(row, measured)
      // the ladder shows servers that fail under many users; if even the first row fails completely, the request is
      // wrong
      if (climbed.size == 1) wrong = TotalFailure.reason(measured.run)
    }
    if (climbed.isEmpty) Left("interrupted before anything was measured") else wrong.toLeft(climbed)
  }

  private def report(title: String, climbed: Vector[Ladder.Climbed]): Int = {
    val cut    = Ladder.cut(climbed, requests, interrupted)
    val checks = climbed.map(row =>
      row.measured -> (if (cut.contains(row)) Vector.empty else row.measured.check(options.assertions))
    )
    val reading =
      LadderText.reading(
        climbed,
        options.objective,
        requests,
        interrupted,
        rows.lift(climbed.size).map(_.users)
      )
    val asserted    = checks.flatMap { case (m, its) => its.map(ResultDocument.assertion(m.label, _)) }
    val isUnchecked = options.assertions.nonEmpty && asserted.isEmpty
    val lines       =
      Vector(
        s"$title: ${Quantity.counted(requests.toLong, "request")} per user",
        ""
      ) ++ LadderText.table(climbed).lines ++ Vector("") ++
        reading ++ asserted.filterNot(_.passed).map(a =>
          s"FAILED  ${a.part}: ${a.condition}  (${a.reason})"
        ) ++
        asserted.groupBy(_.condition).collect {
          case (condition, its) if its.forall(_.passed) =>
            s"passed  $condition  (in every ${if (interrupted) "complete row" else "row"})"
        } ++ (if (isUnchecked) Vector("not checked: no row was complete") else Vector.empty)
    val reports = new ReportFiles(terminal)
    session.sayInterrupted("ladder")
    terminal.print(lines)
    reports.bytes(options.outputs.json)(
      ResultDocument.toJson(ResultDocument.of(
        CommandContext.Tool,
        "ladder",
        title,
        climbed.map(_.measured),
        checks.map(_._2)
      ))
    )
    reports.text(options.outputs.csv)(Csv.ladder(climbed))
    reports.text(options.outputs.html)(HtmlReport.ladder(title, climbed, reading, checks))
    reports.text(options.outputs.junit)(JUnit.xml(title, asserted, session.seconds, lines))
    if (!reports.written || isUnchecked) ExitStatus.Wrong
    else if (asserted.forall(_.passed)) ExitStatus.Good else ExitStatus.Failed
  }
}
