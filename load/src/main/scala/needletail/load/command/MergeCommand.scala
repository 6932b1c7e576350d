package needletail.load.command

import java.nio.file.{Files, Path}

import scala.util.Try

import needletail.load.analysis._
import needletail.load.report._
import needletail.load.result.RunResult

/** `merge`: what several generators measured, as one. */
private[command] final class MergeCommand(session: Session, options: Options) {
  import session._

  def run(): Either[String, Int] = {
    val twice = options.files.diff(options.files.distinct).headOption
    val logs  = options.files.map(isLog)
    if (twice.nonEmpty) Left(s"${twice.mkString} is given twice, and would count twice")
    else if (logs.forall(identity)) mergeLogs()
    else if (logs.exists(identity)) Left("results and logs do not merge: give files of one sort")
    else mergeResults()
  }

  private def mergeResults(): Either[String, Int] =
    for {
      documents <- MergeCommand.all(options.files)(Document.read)
      merged    <- byPart(documents)
      _         <- RunCommand.known(options.assertions, merged.head._2.kinds)
    } yield {
      documents.head.parts.indices.flatMap(i => Merge.apart(documents.map(_.parts(i).run))).headOption
        .foreach(apart => terminal.say(s"Warning: $apart"))
      val measured = merged.map { case (label, run) => new Measurement(label, run, None) }
      RunReport(session, options, "merge", documents.head.title, measured)
    }

  /** The first run of each with the first of the others, the second with the second, and so on. */
  private def byPart(documents: Vector[Document]): Either[String, Vector[(String, RunResult)]] = {
    val counts = documents.map(_.parts.size).distinct
    if (counts != Vector(counts.head) || counts.head == 0)
      Left("they do not hold equally many runs")
    else
      MergeCommand.all(documents.head.parts.indices.toVector)(i =>
        Merge(documents.map(_.parts(i).run)).map(documents.head.parts(i).label -> _)
      )
  }

  private def mergeLogs(): Either[String, Int] = {
    val others = Vector("json" -> options.outputs.json, "html" -> options.outputs.html)
    others.find(_._2.nonEmpty) match {
      case Some((name, _)) => Left(s"a log has no more than latencies: --$name needs results of run --json")
      case None if options.assertions.nonEmpty =>
        Left("a log has no more than latencies: --assert needs results of run --json")
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
    val reports = new Reports(terminal)
    terminal.print(lines)
    reports.bytes(options.outputs.hlog)(HistogramLog.merge(logs, Session.Tool))
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
    if (reports.written) Status.Good else Status.Wrong
  }

  /** Results begin with a brace. */
  private def isLog(path: Path): Boolean = Try {
    val stream = Files.newInputStream(path)
    try stream.readNBytes(1).headOption.exists(_ != '{')
    finally stream.close()
  }.getOrElse(false)
}

private[command] object MergeCommand {

  /** All of them, or the first reason why not. */
  def all[A, B](from: Vector[A])(make: A => Either[String, B]): Either[String, Vector[B]] =
    from.foldLeft[Either[String, Vector[B]]](Right(Vector.empty)) { (all, one) =>
      for { good <- all; next <- make(one) } yield good :+ next
    }
}
