package needletail.load.command

import java.nio.file.{Path, Paths}

import needletail.load.analysis.compare.{Change, ComparedMetric, Comparison, RankTest}
import needletail.load.analysis.verdict.Quantity
import needletail.load.command.options.Options
import needletail.load.report.data.{AssertionText, Csv, JUnit, ResultDocument, ResultPart}
import needletail.load.report.text.ComparisonText
import needletail.load.result.RunResult

/** `compare`: reports what changed from A to B. */
private[command] final class CompareCommand(session: CommandContext, options: Options) {
  import session._

  /** Runs by label, in order. */
  private type Side = Vector[(String, Vector[RunResult])]

  def run(): Either[String, Int] =
    for {
      a      <- side(options.files.head)
      b      <- side(options.files.last)
      common <- common(a, b)
    } yield report(common)

  /** One file, or several separated by commas. */
  private def side(path: Path): Either[String, Side] = {
    val files = path.toString.split(',').toVector.filter(_.nonEmpty).map(Paths.get(_))
    MergeCommand.all(files)(ResultDocument.read).flatMap { documents =>
      val parts = documents.flatMap(d => d.parts.map(part => (label(d, part), part.run)))
      if (parts.isEmpty) Left(s"$path contains no run")
      else Right(parts.map(_._1).distinct.map(label => label -> parts.filter(_._1 == label).map(_._2)))
    }
  }

  /** Runs of one plan are repetitions of each other; rows of a ladder, and steps of a search, are distinct. */
  private def label(document: ResultDocument, part: ResultPart): String =
    if (document.command == "run" || document.command == "merge") "run" else part.label

  private def common(
      a: Side,
      b: Side
  ): Either[String, Vector[(String, Vector[RunResult], Vector[RunResult])]] = {
    val found = for { (label, left) <- a; (_, right) <- b.find(_._1 == label) } yield (label, left, right)
    if (found.isEmpty) Left("the results have no measurement in common: they come from different commands")
    else Right(found)
  }

  private def report(parts: Vector[(String, Vector[RunResult], Vector[RunResult])]): Int = {
    val comparison = new Comparison(options.tolerance, options.confidence)
    val rows       = parts.flatMap { case (label, a, b) => comparison(a, b).map(label -> _) }
    val asserted   = if (rows.isEmpty) Vector(CompareCommand.nothing) else ComparisonText.assertions(rows)
    val lines      = notes(parts) ++ ComparisonText.table(rows).lines ++
      ComparisonText.doubts(rows).map("  In doubt: " + _) ++ Vector("", conclusion(rows))
    val reports = new ReportFiles(terminal)
    terminal.print(lines)
    reports.bytes(options.outputs.json)(
      ResultDocument.toJson(
        ResultDocument(
          ResultDocument.Format,
          ResultDocument.Version,
          CommandContext.Tool,
          "compare",
          options.files.mkString(" against "),
          Vector.empty,
          asserted,
          Vector.empty
        )
      )
    )
    reports.text(options.outputs.csv)(Csv.comparison(rows))
    reports.text(options.outputs.junit)(JUnit.xml(
      options.files.mkString(" against "),
      asserted,
      session.seconds,
      lines
    ))
    if (!reports.written) ExitStatus.Wrong
    else if (asserted.forall(_.passed)) ExitStatus.Good else ExitStatus.Failed
  }

  private def notes(parts: Vector[(String, Vector[RunResult], Vector[RunResult])]): Vector[String] = {
    val ranked = parts.forall { case (_, a, b) => RankTest.enough(a.size, b.size, options.confidence) }
    val (a, b) = (parts.head._2, parts.head._3)
    val more   = RankTest.least(options.confidence)
    val how    =
      if (ranked)
        s"Comparison of the ranks of ${a.size} runs of A and ${b.size} of B; p: the probability of such a difference by noise alone."
      else
        s"By resampling the seconds of ${Quantity.counted(a.size.toLong, "run")} of A and ${b.size} of B, the change lies in the range with " +
          s"${Quantity.share(options.confidence)} confidence; differences between runs are not included. $more " +
          s"runs of each (--repeat $more) would include them."
    val plans = parts.flatMap { case (_, x, y) =>
      (x ++ y).map(r =>
        (r.plan.model, r.plan.users, r.plan.rate, r.plan.keepAlive, r.plan.pipelining)
      ).distinct.drop(1)
    }
    val differ = if (plans.isEmpty) Vector.empty else Vector("Warning: the two sides had different loads.")
    val hosts  = parts.flatMap { case (_, x, y) => (x ++ y).flatMap(_.machine.map(_.host)) }.distinct
    val moved  =
      if (hosts.size < 2) Vector.empty else Vector(s"Warning: measured from ${hosts.mkString(", ")}.")
    (how +: (differ ++ moved)) :+ ""
  }

  private def conclusion(rows: Vector[(String, ComparedMetric)]): String = {
    val changes = rows.map(_._2.change)
    val beyond  =
      s"beyond noise (${Quantity.share(options.confidence)} sure of each) and ${Quantity.share(options.tolerance)}"
    def of(change: Change) = s"in ${changes.count(_ == change)} of ${changes.size} figures, $beyond.$chance"
    // Bonferroni's bound, as the figures of one run depend on each other
    def chance = {
      val alarm = math.min(1, math.round(changes.size * (1 - options.confidence) * 1e6) / 1e6)
      s" If nothing had changed, noise alone would show a change in one of them with a probability of up to ${Quantity.share(alarm)}."
    }
    if (rows.isEmpty) s"No conclusion: ${CompareCommand.nothing.reason}."
    else if (changes.contains(Change.Worse)) s"B is worse ${of(Change.Worse)}"
    else if (changes.contains(Change.Unknown)) "No conclusion: the generator was the limit."
    else if (changes.contains(Change.Better)) s"B is better ${of(Change.Better)}"
    else s"Nothing changed $beyond."
  }
}

private[command] object CompareCommand {

  /** The result if there is no figure to compare. */
  private val nothing =
    AssertionText(
      "compare",
      "there is something to compare",
      passed = false,
      "no figure was measured on both sides"
    )
}
