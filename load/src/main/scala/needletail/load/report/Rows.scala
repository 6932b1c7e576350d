package needletail.load.report

import needletail.load.analysis.{Limit, Measurement, Metric, Quantity}

/** What every report says of a run, as plain text. */
private[report] object Rows {
  private val ofKinds = Vector(
    Metric.Rate,
    Metric.Percentile(50),
    Metric.Percentile(90),
    Metric.Percentile(99),
    Metric.Max,
    Metric.Errors
  )

  val kindsHead: Vector[String] = Vector("kind", "requests") ++ ofKinds.map(_.name)

  /** A row for each kind of requests. */
  def kinds(m: Measurement): Vector[Vector[String]] =
    m.run.kinds.zipWithIndex.map { case (name, kind) =>
      Vector(name, Quantity.count(m.window.kinds(kind).requests)) ++
        ofKinds.map(metric => Quantity.of(metric, m.figure(metric, Some(kind))))
    }

  /** A time without the wait before the request was sent; empty for what is no time. */
  def sentToEnd(m: Measurement, metric: Metric): String = {
    val service = m.window.total.service
    metric match {
      case _ if service.getTotalCount == 0 => "-"
      case Metric.Percentile(percent)      => Quantity.time(service.getValueAtPercentile(percent).toDouble)
      case Metric.Mean                     => Quantity.time(service.getMean)
      case Metric.Max                      => Quantity.time(service.getMaxValue.toDouble)
      case _                               => ""
    }
  }

  /** What is to be said beside the verdict on the whole. */
  def remarks(m: Measurement): Vector[String] = {
    val asked =
      if (m.verdict(Metric.Rate).limit == Limit.Asked)
        Vector("The rate is what was asked for: the server may be able to do more.")
      else Vector.empty
    val little = m.diagnosis.little.filter(_.holds).map(law =>
      f"Little's law holds: ${law.users}%.1f users there, ${law.expected}%.1f by rate and latency."
    )
    asked ++ little
  }
}
