package needletail.load.command

import scala.concurrent.duration._

import needletail.load.analysis.search.{CapacitySearch, Characterisation, SearchLimits}
import needletail.load.command.options.{OptionValues, Options, PlanFromOptions}
import needletail.load.plan.{Load, LoadPlan, Pause}
import needletail.load.report.data.{Csv, JUnit, ResultDocument}
import needletail.load.report.html.HtmlReport
import needletail.load.report.text.CharacterisationText

/** `characterise`: measures the five criteria. */
private[command] final class CharacteriseCommand(session: CommandContext, options: Options) {
  import session._

  def run(): Either[String, Int] =
    for {
      url <- OptionValues.url(options.target)
      _   <- RunCommand.known(options.assertions ++ options.objective, Vector("requests"))
      limits = SearchLimits(
        options.step,
        options.hold,
        options.mostUsers,
        options.mostRate,
        options.connections.getOrElse(1000),
        options.poisson
      )
      first = plan(url, Load.Closed(1, None, Some(options.step)))
      _ <- session.preflight(first)
      pause = if (options.pause == Pause.None) None else Some(PlanFromOptions.mean(options.pause))
      found <- new CapacitySearch(
        (load, label, enough) => session.measure(plan(url, load), label, Some(Duration.Zero), enough),
        options.objective,
        limits,
        pause,
        () => interrupted
      ).run()
    } yield report(first.name, found)

  private def plan(url: String, load: Load): LoadPlan = PlanFromOptions.plan(url, options.asking, load)

  /** Assertions are checked at the capacity for latency, where it was held. */
  private def report(title: String, found: Characterisation): Int = {
    val criteria = CharacterisationText.criteria(found)
    val about    = found.latency.map(_.held).getOrElse(found.light)
    val checks   = about.check(options.assertions)
    val lines    = CharacterisationText.lines(criteria, checks)
    val reports  = new ReportFiles(terminal)
    session.sayInterrupted("characterise")
    terminal.print(Vector(title, "") ++ lines)
    val all = found.steps.map(m => if (m eq about) checks else Vector.empty)
    reports.bytes(options.outputs.json)(
      ResultDocument.toJson(ResultDocument.of(
        CommandContext.Tool,
        "characterise",
        title,
        found.steps,
        all,
        criteria
      ))
    )
    reports.text(options.outputs.csv)(Csv.criteria(criteria))
    reports.text(options.outputs.html)(
      HtmlReport.characterisation(title, found, criteria, Vector(about -> checks))
    )
    reports.text(options.outputs.junit)(
      JUnit.xml(title, checks.map(ResultDocument.assertion(about.label, _)), session.seconds, lines)
    )
    if (!reports.written) ExitStatus.Wrong
    else if (checks.forall(_.passed)) ExitStatus.Good else ExitStatus.Failed
  }
}
