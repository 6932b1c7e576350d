package needletail.load.command

import java.nio.file.{Files, Path}

import scala.util.Try

import needletail.load.analysis.compare.Merge
import needletail.load.analysis.verdict.{Latencies, Measurement, Quantity}
import needletail.load.command.options.Options
import needletail.load.report.data.{Csv, HistogramLog, JUnit, ResultDocument}
import needletail.load.report.text.TextTable
import needletail.load.result.RunResult

/** `merge`: merges the results of several generators. */
private[command] final class MergeCommand(session: CommandContext, options: Options) {
  import session._

  def run(): Either[String, Int] = {
    val twice = options.files.diff(options.files.distinct).headOption
    val logs  = options.files.map(isLog)
    if (twice.nonEmpty) Left(s"${twice.mkString} is given twice")
    else if (logs.forall(identity)) mergeLogs()
    else if (logs.exists(identity)) Left("results and logs cannot be merged with each other")
    else mergeResults()
  }

  private def mergeResults(): Either[String, Int] =
    for {
      documents <- MergeCommand.all(options.files)(ResultDocument.read)
      merged    <- byPart(documents)
      _         <- RunCommand.known(options.assertions, merged.head._2.kinds)
    } yield {
      documents.head.parts.indices.flatMap(i => Merge.apart(documents.map(_.parts(i).run))).headOption
        .foreach(apart => terminal.say(s"Warning: $apart"))
      val titles = documents.map(_.title).distinct
      if (titles.size > 1)
        terminal.say(s"Warning: these are results of different requests: ${titles.mkString(", ")}")
      val measured = merged.map { case (label, run) => new Measurement(label, run, None) }
      RunReport(session, options, "merge", documents.head.title, measured)
    }

  /** Combines the first runs of all, the second runs of all, and so on. */
  private def byPart(documents: Vector[ResultDocument]): Either[String, Vector[(String, RunResult)]] = {
    val counts = documents.map(_.parts.size).distinct
    if (counts != Vector(counts.head) || counts.head == 0)
      Left("they contain different numbers of runs")
    else
      MergeCommand.all(documents.head.parts.indices.toVector)(i =>
        Merge(documents.map(_.parts(i).run)).map(documents.head.parts(i).label -> _)
      )
  }

  private def mergeLogs(): Either[String, Int] = {
    val others = Vector("json" -> options.outputs.json, "html" -> options.outputs.html)
    others.find(_._2.nonEmpty) match {
      case Some((name, _)) => Left(s"a log contains latencies only: --$name needs results of run --json")
      case None if options.assertions.nonEmpty =>
        Left("a log contains latencies only: --assert needs results of run --json")
      case None => MergeCommand.all(options.files)(HistogramLog.read).map(reportLogs)
    }
  }

  private def reportLogs(logs: Vector[Vector[HistogramLog.Entry]]): Int = {
    val sums = HistogramLog.sums(logs.flatten).map { case (tag, all) => tag.getOrElse("all good") -> all }
    val head = Vector("kind", "count", "p50", "p90", "p99", "p99.9", "max", "mean")
    val rows = sums.map { case (tag, histogram) =>
      val l = Latencies.of(histogram)
      tag +: Quantity.count(l.count) +:
        (Vector(
          l.p50,
          l.p90,
          l.p99,
          l.p999,
          l.max
        ).map(n => if (l.isEmpty) "-" else Quantity.time(n.toDouble)) :+ (if (l.isEmpty) "-"
                                                                          else Quantity.time(l.mean)))
    }
    val lines   = TextTable(head, rows).lines
    val reports = new ReportFiles(terminal)
    terminal.print(lines)
    reports.bytes(options.outputs.hlog)(HistogramLog.merge(logs, CommandContext.Tool))
    reports.text(options.outputs.csv)(Csv.table(
      Vector("kind", "count", "p50_ms", "p90_ms", "p99_ms", "p99.9_ms", "max_ms"),
      sums.map { case (tag, histogram) =>
        val l = Latencies.of(histogram)
        Vector(tag, l.count.toString) ++ Vector(l.p50, l.p90, l.p99, l.p999, l.max).map(n =>
          (n / 1e6).toString
        )
      }
    ))
    reports.text(options.outputs.junit)(JUnit.xml("merge", Vector.empty, session.seconds, lines))
    if (reports.written) ExitStatus.Good else ExitStatus.Wrong
  }

  /** Whether it is a histogram log; results begin with a brace. */
  private def isLog(path: Path): Boolean = Try {
    val stream = Files.newInputStream(path)
    try stream.readNBytes(1).headOption.exists(_ != '{')
    finally stream.close()
  }.getOrElse(false)
}

private[command] object MergeCommand {

  /** All results, or the first error. */
  def all[A, B](from: Vector[A])(make: A => Either[String, B]): Either[String, Vector[B]] =
    from.foldLeft[Either[String, Vector[B]]](Right(Vector.empty)) { (all, one) =>
      for { good <- all; next <- make(one) } yield good :+ next
    }
}
