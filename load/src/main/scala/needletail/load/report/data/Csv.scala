package needletail.load.report.data

import java.util.Locale

import org.HdrHistogram.Histogram

import needletail.load.analysis.compare.ComparedMetric
import needletail.load.analysis.search.Ladder
import needletail.load.analysis.verdict.{Measurement, Metric}
import needletail.load.result.{Figures, Interval, Outcome}

/** Results as CSV (RFC 4180): times in milliseconds, shares from 0 to 1. */
private[load] object Csv {

  private val latencies: Vector[(String, Metric)] = Vector(
    "p50_ms"   -> Metric.Percentile(50),
    "p90_ms"   -> Metric.Percentile(90),
    "p99_ms"   -> Metric.Percentile(99),
    "p99.9_ms" -> Metric.Percentile(99.9),
    "max_ms"   -> Metric.Max,
    "mean_ms"  -> Metric.Mean
  )

  /** A row for each second and kind of requests, of one run or of several. */
  def seconds(measured: Vector[Measurement]): String = {
    val head =
      Vector("run", "second", "length_ms", "kind", "requests", "good", "rate") ++ latencies.map(_._1) ++
        Outcome.all.drop(1).map(_.name) ++
        Vector(
          "due",
          "users",
          "connections",
          "late_p99_us",
          "generator_cores",
          "busiest_loop",
          "machine_cpu",
          "pause_ms",
          "most_users",
          "connect_p50_ms",
          "connect_p99_ms",
          "handshakes",
          "resumed",
          "tls_p50_ms",
          "tls_p99_ms"
        )
    val rows = for {
      run           <- measured
      interval      <- run.run.intervals
      (kind, index) <- run.run.kinds.zipWithIndex
    } yield second(run.label, interval, kind, interval.kinds(index))
    table(head, rows)
  }

  private def second(label: String, interval: Interval, kind: String, figures: Figures): Vector[String] = {
    val self           = interval.self
    val (connect, tls) = (self.openings.connect.histogram, self.openings.tls.histogram)
    Vector(
      label,
      number(interval.startMillis / 1000.0),
      interval.lengthMillis.toString,
      kind,
      figures.requests.toString,
      figures.good.toString,
      number(if (interval.lengthMillis == 0) 0 else figures.good * 1000.0 / interval.lengthMillis)
    ) ++
      latencies.map { case (_, metric) => millis(Metric.of(figures, metric)) } ++
      Outcome.all.drop(1).map(figures.count(_).toString) ++
      Vector(
        self.due.toString,
        self.users.toString,
        self.open.toString,
        (self.lateness.at(99) / 1000).toString,
        number(self.cpu),
        number(self.busiestLoop),
        if (self.machineCpu < 0) "" else number(self.machineCpu),
        self.pauseMillis.toString,
        self.mostUsers.toString,
        percentile(connect, 50),
        percentile(connect, 99),
        tls.getTotalCount.toString,
        self.openings.resumed.toString,
        percentile(tls, 50),
        percentile(tls, 99)
      )
  }

  /** Empty if there were none. */
  private def percentile(of: Histogram, percent: Double): String =
    if (of.getTotalCount == 0) "" else number(of.getValueAtPercentile(percent) / 1e6)

  /** With the columns of the original benchmarks first. */
  def ladder(rows: Vector[Ladder.Climbed]): String = table(
    Vector(
      "users",
      "requests",
      "p50_ms",
      "p99_ms",
      "error_rate",
      "max_ms",
      "mean_ms",
      "rate",
      "ramp_s",
      "verdict",
      "most_users_at_once"
    ),
    rows.map { row =>
      val m = row.measured
      Vector(
        row.row.users.toString,
        m.run.total().requests.toString,
        millis(m.figure(Metric.Percentile(50))),
        millis(m.figure(Metric.Percentile(99))),
        m.figure(Metric.Errors).fold("")(number),
        millis(m.figure(Metric.Max)),
        millis(m.figure(Metric.Mean)),
        m.figure(Metric.Rate).fold("")(number),
        row.row.ramp.toSeconds.toString,
        m.diagnosis.overallName,
        m.run.mostUsers.toString
      )
    }
  )

  /** A row for each criterion, and after it one for each of its details. */
  def criteria(all: Vector[Criterion]): String = table(
    Vector("criterion", "low", "high", "unit", "verdict", "causes"),
    all.flatMap { c =>
      Vector(
        c.name,
        number(c.low),
        number(c.high),
        c.unit,
        c.verdict.limit,
        c.verdict.causes.mkString("; ")
      ) +: c.details.map(d =>
        Vector(s"${c.name}: ${d.name}", number(d.low), d.high.fold("")(number), d.unit, "", "")
      )
    }
  )

  def comparison(rows: Vector[(String, ComparedMetric)]): String = table(
    Vector("part", "figure", "a", "b", "unit", "low", "high", "probability", "change"),
    rows.map { case (label, c) =>
      val scale = if (c.metric.unit == Metric.Unit.Time) 1e-6 else 1.0
      val unit  = c.metric.unit match {
        case Metric.Unit.Time  => "ms"
        case Metric.Unit.Share => "share"
        case Metric.Unit.Rate  => "/s"
      }
      Vector(
        label,
        c.metric.name,
        number(c.a * scale),
        number(c.b * scale),
        unit,
        c.interval.fold("")(i => ratio(i._1)),
        c.interval.fold("")(i => ratio(i._2)),
        c.probability.fold("")(number),
        c.change.name
      )
    }
  )

  /** Empty for what is not known, as A had none. */
  private def ratio(value: Double): String = if (value < Double.MaxValue) number(value) else ""

  def table(head: Vector[String], rows: Vector[Vector[String]]): String =
    (head +: rows).map(_.map(cell).mkString(",")).mkString("", "\r\n", "\r\n")

  /** Quotes a cell if necessary, and keeps spreadsheets from reading it as a formula. */
  def cell(text: String): String = {
    val numeric = text.toDoubleOption.isDefined
    val safe    = if (!numeric && text.headOption.exists("=+-@\t\r".contains(_))) s"'$text" else text
    if (safe.exists(c => c == ',' || c == '"' || c == '\n' || c == '\r'))
      "\"" + safe.replace("\"", "\"\"") + "\""
    else safe
  }

  private def millis(nanos: Option[Double]): String = nanos.fold("")(n => number(n / 1e6))

  private def number(value: Double): String =
    if (value == value.toLong.toDouble && math.abs(value) < 1e15) value.toLong.toString
    else String.format(Locale.ROOT, "%.6f", Double.box(value)).replaceAll("0+$", "").stripSuffix(".")
}
