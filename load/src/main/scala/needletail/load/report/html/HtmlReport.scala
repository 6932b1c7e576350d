package needletail.load.report.html

import java.time.format.DateTimeFormatter
import java.time.{Instant, ZoneOffset}

import needletail.load.analysis.search.{Characterisation, Ladder}
import needletail.load.analysis.verdict._
import needletail.load.report.data.{Criterion, VerdictText}
import needletail.load.report.text.{LadderText, RunRows, TextReport}
import needletail.load.result.Machine

/** Reports as HTML pages with charts: first the summary, then the details, finally the conditions of the run. */
private[load] object HtmlReport {

  /** The report of a run, or of several of the same plan. */
  def run(title: String, measured: Vector[Measurement], checks: Vector[Vector[CheckedCondition]]): String = {
    val charts = measured.map(Charts.run)
    val starts = charts.scanLeft(0)(_ + _.size)
    val parts  = measured.indices.map { i =>
      val m    = measured(i)
      val name = if (measured.size > 1) s", ${m.label}" else ""
      Html.section(s"Charts$name", Html.places(charts(i), starts(i))) +
        Html.section(s"All figures$name", figures(m) + bands(m) + kinds(m) + failures(m))
    }
    val heads = measured.map { m =>
      Html.section(if (measured.size > 1) s"Summary, ${m.label}" else "Summary", summary(m) + verdict(m))
    }
    val body = heads.mkString + assertions(measured.zip(checks)) + parts.mkString + conditions(measured)
    page(title, measured.head, body, charts.flatten)
  }

  def ladder(
      title: String,
      rows: Vector[Ladder.Climbed],
      reading: Vector[String],
      checks: Vector[(Measurement, Vector[CheckedCondition])]
  ): String = {
    val measured = rows.map(_.measured)
    val charts   = Charts.byUsers(rows.map(r => (r.row.users, r.measured)), "users, in all")
    val table    = Html.table(
      LadderText.columns ++ Vector("verdict", "failed"),
      rows.map { row =>
        LadderText.figures(row).map(Html.text) ++ Vector(
          Html.badge(row.measured.diagnosis.overall, row.measured.diagnosis.overallName),
          Html.text(Failures.describe(row.measured.run.total(), row.measured.run.reasons))
        )
      },
      words = Set(8, 9)
    )
    val body = Html.section("How to read this report", paragraphs(reading)) + assertions(checks) +
      Html.section("Charts", Html.places(charts, 0)) + Html.section("The ladder", table) +
      conditions(measured)
    page(title, measured.head, body, charts)
  }

  def characterisation(
      title: String,
      found: Characterisation,
      criteria: Vector[Criterion],
      checks: Vector[(Measurement, Vector[CheckedCondition])]
  ): String = {
    val closed =
      found.steps.filter(_.run.plan.model == "closed").filter(_.label.contains("user")) :+ found.light
    val byUser = closed.map(m => (m.run.plan.users, m)).groupBy(_._1).values.map(_.last).toVector.sortBy(_._1)
    val charts = Charts.byUsers(byUser, "users at once") ++ Vector(Charts.byRate(found)) ++
      found.latency.map { knee =>
        val chart = Charts.distribution(knee.held)
        chart.copy(title = s"${chart.title}, at ${knee.held.label}")
      }.toVector ++
      found.overload.map(over =>
        Charts.throughput(over.measured.run).copy(title = "Overload: throughput and errors")
      )
    val cards = criteria.map { c =>
      s"""<div class="box"><h3>${Html.text(c.name)}</h3><p>${Html.text(c.text)}</p><p>${badge(
          c.verdict
        )}</p>""" +
        c.verdict.causes.map(cause => s"""<p class="soft">${Html.text(cause)}</p>""").mkString + "</div>"
    }
    val body = Html.section(
      "The five criteria",
      s"""<p class="soft">Objective: ${Html.text(found.objective.map(_.text).mkString(", "))}</p>""" +
        cards.mkString("<div class=\"criteria\">", "\n", "</div>")
    ) + assertions(checks) + Html.section("Charts", Html.places(charts, 0)) +
      Html.section("All measurements", steps(found.steps)) + conditions(found.steps)
    page(title, found.light, body, charts)
  }

  private def steps(all: Vector[Measurement]): String = Html.table(
    Vector("load", "good", "p50", "p99", "max", "errors", "rate", "verdict"),
    all.map { m =>
      def cell(metric: Metric) = Html.text(Quantity.of(metric, m.figure(metric)))
      Vector(
        Html.text(m.label),
        Quantity.count(m.window.total.good),
        cell(Metric.Percentile(50)),
        cell(Metric.Percentile(99)),
        cell(Metric.Max),
        cell(Metric.Errors),
        cell(Metric.Rate),
        Html.badge(m.diagnosis.overall)
      )
    },
    words = Set(7)
  )

  private def page(title: String, first: Measurement, body: String, charts: Vector[Chart]): String = {
    val time = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'").withZone(ZoneOffset.UTC)
    val when = time.format(Instant.ofEpochMilli(first.run.startedMillis))
    val tool = first.run.machine.headOption.fold("needletail-load")(_.tool)
    Html.page(
      title,
      s"""<h1>${Html.text(title)}</h1>
         |<p class="soft">${Html.text(when)} · ${Html.text(tool)}</p>
         |$body""".stripMargin,
      charts
    )
  }

  private def summary(m: Measurement): String = {
    def of(metric: Metric) = Quantity.of(metric, m.figure(metric))
    Html.cards(
      Vector(
        of(Metric.Rate)             -> "good responses per second",
        of(Metric.Percentile(50))   -> "p50: half took no longer",
        of(Metric.Percentile(99))   -> "p99: one in 100 took longer",
        of(Metric.Percentile(99.9)) -> "p99.9",
        of(Metric.Max)              -> "the slowest",
        of(Metric.Errors)           -> s"errors (${Quantity.count(m.window.total.bad)})"
      )
    ) + paragraphs(RunRows.afterRamp(m).toVector)
  }

  private def verdict(m: Measurement): String = {
    val whole = m.diagnosis.overall
    s"<p>Verdict: ${Html.badge(whole)}</p>" + paragraphs(whole.causes ++ RunRows.remarks(m))
  }

  private def figures(m: Measurement): String = {
    val known = m.diagnosis.overall.causes.toSet // already in the summary
    Html.table(
      Vector("figure", "due to end", "sent to end", "verdict", ""),
      Metric.usual.map { metric =>
        val verdict = m.verdict(metric)
        Vector(
          Html.text(metric.name),
          Html.text(Quantity.of(metric, m.figure(metric))),
          Html.text(RunRows.sentToEnd(m, metric)),
          Html.badge(verdict),
          Html.text(verdict.causes.filterNot(known).mkString("; "))
        )
      },
      words = Set(3, 4)
    )
  }

  private def bands(m: Measurement): String = {
    val rows = RunRows.bands(m)
    if (rows.isEmpty) "" else "<p></p>" + Html.table(RunRows.bandsHead, rows.map(_.map(Html.text)))
  }

  private def kinds(m: Measurement): String =
    if (m.run.kinds.size < 2) ""
    else
      "<p></p>" + Html.table(RunRows.kindsHead, RunRows.kinds(m).map(_.map(Html.text)))

  private def failures(m: Measurement): String = {
    val total = m.run.total()
    if (total.bad == 0) ""
    else {
      val took = RunRows.failedTimes(total).fold("")(" " + _)
      paragraphs(Vector(s"Failed${RunRows.ofWholeRun(m)}: ${Failures.describe(total, m.run.reasons)}.$took"))
    }
  }

  private def assertions(all: Vector[(Measurement, Vector[CheckedCondition])]): String =
    if (all.forall(_._2.isEmpty)) ""
    else
      Html.section(
        "Assertions",
        Html.table(
          Vector("assertion", "outcome", "why"),
          for { (m, checks) <- all; check <- checks } yield Vector(
            Html.text(if (all.size > 1) s"${m.label}: ${check.condition.text}" else check.condition.text),
            Html.passed(check.passed),
            Html.text(check.reason)
          ),
          words = Set(1, 2)
        )
      )

  private def conditions(measured: Vector[Measurement]): String = {
    val first    = measured.head.run
    val plan     = first.plan
    val settings = Vector(
      "targets"    -> plan.targets.mkString(", "),
      "load"       -> (if (measured.size == 1) TextReport.conditions(first) else s"${measured.size} runs"),
      "timeout"    -> Quantity.time(plan.timeoutMillis * 1e6),
      "keep-alive" -> (if (plan.keepAlive) "yes" else "no"),
      "pipelining" -> plan.pipelining.toString
    ) ++ (if (measured.size == 1) plan.detail else Vector.empty)
    val machines = first.machine.zipWithIndex.flatMap { case (m, i) =>
      val name = if (first.machine.size > 1) s"generator ${i + 1}" else "generator"
      machine(m).map { case (key, value) => s"$name: $key" -> value }
    }
    val rows = (settings ++ machines).map { case (name, value) => Vector(Html.text(name), Html.text(value)) }
    Html.section("Conditions", Html.table(Vector("what", "was"), rows, words = Set(1)))
  }

  private def machine(m: Machine): Vector[(String, String)] = {
    def known(number: Long) = if (number < 0) "unknown" else Quantity.count(number)
    Vector(
      "host"           -> m.host,
      "system"         -> m.system,
      "runtime"        -> m.runtime,
      "cores"          -> (s"${m.cores}" + (if (m.sharedWithTarget) ", shared with the server" else "")),
      "local ports"    -> (if (m.firstPort < 0) "unknown" else s"${m.firstPort} to ${m.lastPort}"),
      "TIME_WAIT"      -> (if (m.timeWaitSeconds < 0) "unknown" else s"${m.timeWaitSeconds} s"),
      "open files"     -> known(m.descriptors),
      "listen backlog" -> known(m.backlog.toLong)
    ) ++ m.warnings.map("warning" -> _)
  }

  private def badge(verdict: VerdictText): String =
    Html.badge(Verdict(Limit.named(verdict.limit).getOrElse(Limit.Uncertain), verdict.causes))

  private def paragraphs(lines: Vector[String]): String =
    lines.map(line => s"<p>${Html.text(line)}</p>").mkString("\n")
}
