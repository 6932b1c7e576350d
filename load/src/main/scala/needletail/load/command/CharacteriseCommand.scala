package needletail.load.command

import scala.concurrent.duration._

import needletail.load.analysis._
import needletail.load.plan.{Load, LoadPlan, Pause}
import needletail.load.report._

/** `characterise`: the five criteria. */
private[command] final class CharacteriseCommand(session: Session, options: Options) {
  import session._

  def run(): Either[String, Int] =
    for {
      url <- Readers.url(options.target)
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
      pause = if (options.pause == Pause.None) None else Some(Planning.mean(options.pause))
      found <- new Characterise(
        (load, label, enough) => session.measure(plan(url, load), label, Some(Duration.Zero), enough),
        options.objective,
        limits,
        pause,
        () => interrupted
      ).run()
    } yield report(first.name, found)

  private def plan(url: String, load: Load): LoadPlan = Planning.plan(url, options.asking, load)

  /** Assertions are about the capacity for latency, held: what is asserted of a server is what it does there. */
  private def report(title: String, found: Characterisation): Int = {
    val criteria = CharacterisationText.criteria(found)
    val about    = found.latency.map(_.held).getOrElse(found.light)
    val checks   = about.check(options.assertions)
    val lines    = CharacterisationText.lines(criteria, checks)
    val reports  = new Reports(terminal)
    session.sayInterrupted("characterise")
    terminal.print(Vector(title, "") ++ lines)
    val all = found.steps.map(m => if (m eq about) checks else Vector.empty)
    reports.bytes(options.outputs.json)(
      Document.toJson(Document.of(Session.Tool, "characterise", title, found.steps, all, criteria))
    )
    reports.text(options.outputs.csv)(Csv.criteria(criteria))
    reports.text(options.outputs.html)(
      HtmlReport.characterisation(title, found, criteria, Vector(about -> checks))
    )
    reports.text(options.outputs.junit)(
      JUnit.xml(title, checks.map(Document.assertion(about.label, _)), session.seconds, lines)
    )
    if (!reports.written) Status.Wrong else if (checks.forall(_.passed)) Status.Good else Status.Failed
  }
}
