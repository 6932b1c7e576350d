package needletail.load.command

import scala.concurrent.duration._

import needletail.load.analysis._
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.report._

/** `ladder`: the documents' rows. */
private[command] final class LadderCommand(session: Session, options: Options) {
  import session._

  private val rows     = if (options.rows.isEmpty) Ladder.rows else options.rows.map(Ladder.row)
  private val requests = options.requests.getOrElse(Ladder.Requests)

  def run(): Either[String, Int] =
    for {
      url <- Readers.url(options.target)
      _   <- RunCommand.known(options.assertions ++ options.objective, Vector("requests"))
      title = plan(url, rows.head).name
      _       <- session.preflight(plan(url, rows.maxBy(_.users)))
      climbed <- climb(url)
    } yield report(title, climbed)

  private def plan(url: String, row: Ladder.Row): LoadPlan =
    Planning.plan(url, options.asking, Load.Closed(row.users, Some(requests), None, row.ramp))

  private def climb(url: String): Either[String, Vector[Ladder.Climbed]] = {
    var climbed = Vector.empty[Ladder.Climbed]
    var wrong   = Option.empty[String]
    rows.iterator.takeWhile(_ => wrong.isEmpty && !interrupted).foreach { row =>
      val measured = session.measure(plan(url, row), s"${row.users} users", Some(Duration.Zero))
      climbed :+= Ladder.Climbed(row, measured)
      // a server that fails under many users is what the ladder is to show; one that never answers is no server
      if (climbed.size == 1) wrong = Hopeless.reason(measured.run)
    }
    if (climbed.isEmpty) Left("interrupted before anything was measured") else wrong.toLeft(climbed)
  }

  private def report(title: String, climbed: Vector[Ladder.Climbed]): Int = {
    val checks  = climbed.map(row => row.measured -> row.measured.check(options.assertions))
    val reading =
      LadderText.reading(climbed, options.objective, requests, rows.lift(climbed.size).map(_.users))
    val asserted = checks.flatMap { case (m, its) => its.map(Document.assertion(m.label, _)) }
    val lines    =
      Vector(s"$title: $requests requests a user", "") ++ LadderText.table(climbed).lines ++ Vector("") ++
        reading ++ asserted.filterNot(_.passed).map(a =>
          s"FAILED  ${a.part}: ${a.condition}  (${a.reason})"
        ) ++
        asserted.groupBy(_.condition).collect {
          case (condition, its) if its.forall(_.passed) => s"passed  $condition  (in every row)"
        }
    val reports = new Reports(terminal)
    session.sayInterrupted("ladder")
    terminal.print(lines)
    reports.bytes(options.outputs.json)(
      Document.toJson(Document.of(Session.Tool, "ladder", title, climbed.map(_.measured), checks.map(_._2)))
    )
    reports.text(options.outputs.csv)(Csv.ladder(climbed))
    reports.text(options.outputs.html)(HtmlReport.ladder(title, climbed, reading, checks))
    reports.text(options.outputs.junit)(JUnit.xml(title, asserted, session.seconds, lines))
    if (!reports.written) Status.Wrong else if (asserted.forall(_.passed)) Status.Good else Status.Failed
  }
}
