package needletail.load.report.html

import org.HdrHistogram.Histogram

import needletail.load.analysis.search.Characterisation
import needletail.load.analysis.verdict.{Measurement, Metric, Quantity}
import needletail.load.result.{Interval, RunResult}

/** The charts of the reports. */
private[report] object Charts {
  private val seconds = Axis("time", "s")
  private val p50     = Metric.Percentile(50)
  private val p90     = Metric.Percentile(90)
  private val p99     = Metric.Percentile(99)

  /** The charts of a run. */
  def run(measured: Measurement): Vector[Chart] = {
    val run = measured.run
    Vector(latencies(run), throughput(run), distribution(measured)) ++
      (if (run.kinds.size > 1) Vector(kinds(measured)) else Vector.empty) :+
      generator(run)
  }

  def latencies(run: RunResult): Chart = Chart(
    "Latency over time",
    "Good responses in each second, from due to end.",
    seconds,
    Axis("latency", "ms", log = true),
    Vector(p50, p90, p99, Metric.Max).map(metric => Series(metric.name, overTime(run, metric)))
  )

  def throughput(run: RunResult): Chart = Chart(
    "Throughput and errors over time",
    "Requests in each second.",
    seconds,
    Axis("requests", "/s"),
    Vector(
      Series("good", perSecond(run, _.total.good)),
      Series("bad", perSecond(run, _.total.bad)),
      Series("due", perSecond(run, _.self.due), dashed = true)
    )
  )

  /** In HdrHistogram's form: each additional nine of the percentile has the same width. */
  def distribution(measured: Measurement): Chart = {
    val total = measured.window.total
    val open  = measured.run.plan.model == "open"
    val fails = total.failed.getTotalCount > 0
    val all   = Vector("due to end" -> total.response) ++
      (if (open) Vector("sent to end" -> total.service) else Vector.empty) ++
      (if (fails) Vector("failed, due to end" -> total.failed) else Vector.empty)
    val time = if (measured.window.fromMillis == 0) "The whole measurement" else "After the ramp"
    Chart(
      "Latency by percentile",
      s"$time; good responses, from when each was due to its end" +
        (if (open) ", and without its wait in the load tester, from sent to end" else "") +
        (if (fails) "; failed requests separately." else "."),
      Axis("percentile", percentiles = true),
      Axis("latency", "ms", log = true),
      all.filter(_._2.getTotalCount > 0).map { case (name, histogram) =>
        Series(name, percentiles(histogram))
      }
    )
  }

  def kinds(measured: Measurement): Chart = Chart(
    "Kinds of requests side by side",
    "Good responses, from due to end.",
    Axis(""),
    Axis("latency", "ms", log = true),
    Vector(p50, p90, p99).map { metric =>
      Series(
        metric.name,
        measured.run.kinds.indices.map(kind =>
          (kind.toDouble, measured.figure(metric, Some(kind)).fold(0.0)(_ / 1e6))
        ).toVector
      )
    },
    bars = Some(measured.run.kinds)
  )

  /** The generator's measurements of itself. */
  def generator(run: RunResult): Chart = Chart(
    "The generator itself",
    "How late requests were sent, and how busy the generator was.",
    seconds,
    Axis("late, p99", "ms"),
    Vector(
      Series("late, p99", whole(run).map(i => (at(i.startMillis), i.self.lateness.at(99) / 1e6))),
      Series(
        "busiest loop",
        whole(run).map(i => (at(i.startMillis), i.self.busiestLoop * 100)),
        right = true
      ),
      Series(
        "machine",
        whole(run).filter(_.self.machineCpu >= 0).map(i => (at(i.startMillis), i.self.machineCpu * 100)),
        right = true
      )
    ),
    right = Some(Axis("busy", "%", max = Some(100)))
  )

  /**
   * Latency over users, as in the original benchmarks.
   *
   * @param title of the axis of users
   */
  def byUsers(rows: Vector[(Int, Measurement)], title: String): Vector[Chart] = {
    val users = Axis(title, log = true, values = Some(rows.map(_._1.toDouble)))
    val rates = against(rows, Metric.Rate, 1)
    // with a row far above the others, as the ladder's first one without a ramp, those would lie on the axis
    val isWide = rates.nonEmpty && rates.map(_._2).min > 0 && rates.map(_._2).max > rates.map(_._2).min * 20
    Vector(
      Chart(
        "Latency by users",
        "Good responses only.",
        users,
        Axis("latency", "ms", log = true),
        Vector(p50, p99, Metric.Max).map(metric => Series(metric.name, against(rows, metric, 1e-6)))
      ),
      Chart(
        "Throughput and errors by users",
        "",
        users,
        Axis("good responses", "/s", log = isWide),
        Vector(
          Series("good responses", rates),
          Series("errors", against(rows, Metric.Errors, 100), right = true)
        ),
        right = Some(Axis("errors", "%"))
      )
    )
  }

  /**
   * Latency over rate: the knee. For a rate that was tried several times, the last. What is far above the capacity is told
   * below, since an axis up to there would have no room for the rates in question.
   */
  def byRate(found: Characterisation): Chart = {
    val overload = found.overload.map(_.measured)
    val open     = found.steps.filter(m => m.run.plan.model == "open" && !overload.exists(_ eq m))
    val rows     = open.groupBy(asked).values.map(_.last).toVector.sortBy(asked)
    val end      = found.latency.fold(Double.MaxValue)(_.rate.low * Beyond)
    val beyond   = rows.filter(asked(_) > end) ++ overload
    val figures  = beyond.map { m =>
      s"${if (overload.exists(_ eq m)) "overload, " else ""}${Quantity.rate(asked(m))}: " +
        s"p99 ${Quantity.of(p99, m.figure(p99))}"
    }
    Chart(
      "Latency by rate",
      "Open model: the capacity is where the curve turns upwards." +
        (if (figures.isEmpty) "" else s" Beyond the right edge: ${figures.mkString("; ")}."),
      Axis("asked", "/s"),
      Axis("latency", "ms", log = true),
      Vector(p50, p99, Metric.Max).map(metric =>
        Series(
          metric.name,
          rows.filter(asked(_) <= end).flatMap(m => m.figure(metric).map(v => (asked(m), v / 1e6)))
        )
      )
    )
  }

  private def asked(m: Measurement): Double = m.run.plan.rate

  /** How far above the capacity for latency the chart by rate goes. */
  private final val Beyond = 1.3

  private def against(
      rows: Vector[(Int, Measurement)],
      metric: Metric,
      scale: Double
  ): Vector[(Double, Double)] =
    rows.flatMap { case (users, m) => m.figure(metric).map(v => (users.toDouble, v * scale)) }

  private def overTime(run: RunResult, metric: Metric): Vector[(Double, Double)] =
    whole(run).flatMap(i => Metric.of(i.total, metric).map(nanos => (at(i.startMillis), nanos / 1e6)))

  /** Without the incomplete second in which the last answers arrived. */
  private def whole(run: RunResult): Vector[Interval] =
    run.intervals.filter(i => i.lengthMillis >= 500 || run.intervals.size == 1)

  private def perSecond(run: RunResult, count: Interval => Long): Vector[(Double, Double)] =
    whole(run).map(i => (at(i.startMillis), count(i) * 1000.0 / i.lengthMillis))

  private def at(millis: Long): Double = millis / 1000.0

  /** (1 / (1 - p), milliseconds), some points for each halving of the rest, up to the last answer. */
  private def percentiles(histogram: Histogram): Vector[(Double, Double)] = {
    val found = Vector.newBuilder[(Double, Double)]
    val most  = histogram.getTotalCount.toDouble
    var x     = 1.0
    while (x < most * 1.0001) {
      found += ((x, histogram.getValueAtPercentile(100 - 100 / x) / 1e6))
      x *= 1.15
    }
    found += ((most, histogram.getMaxValue / 1e6))
    found.result()
  }
}
