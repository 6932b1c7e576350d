package needletail.load.report.text

import java.util.Locale

import org.HdrHistogram.Histogram

import needletail.load.analysis.verdict.{Bands, Latencies, Limit, Measurement, Metric, Quantity}
import needletail.load.result.{Figures, Outcome}

/** The table rows that every report has for a run, as plain text. */
private[report] object RunRows {
  private val ofKinds = Vector(
    Metric.Rate,
    Metric.Percentile(50),
    Metric.Percentile(90),
    Metric.Percentile(99),
    Metric.Max,
    Metric.Errors
  )

  val kindsHead: Vector[String] = Vector("kind", "requests") ++ ofKinds.map(_.name)

  /** What the figures are of, if not of the whole run. */
  def afterRamp(m: Measurement): Option[String] =
    if (m.window.fromMillis == 0) None
    else Some(s"Figures are of the time after the ramp of ${Quantity.time(m.window.fromMillis * 1e6)}.")

  /** What follows "Failed" where the failures of the whole run are told beside figures. */
  def ofWholeRun(m: Measurement): String = if (m.window.fromMillis == 0) "" else " in the whole run"

  /** How long failed requests took; those that the load tester's machine caused are not among them. */
  def failedTimes(figures: Figures): Option[String] = {
    val times = Latencies.of(figures.failed)
    if (times.isEmpty) None
    else if (times.count == 1)
      Some(s"${if (figures.bad == 1) "It" else "One of them"} took ${Quantity.time(times.max.toDouble)}.")
    else {
      val who = if (times.count == figures.bad) "They" else s"${Quantity.count(times.count)} of them"
      Some(
        s"$who took ${Quantity.time(times.p50.toDouble)} in the median, ${Quantity.time(times.max.toDouble)} at most."
      )
    }
  }

  /** A row for each kind of requests. */
  def kinds(m: Measurement): Vector[Vector[String]] =
    m.run.kinds.zipWithIndex.map { case (name, kind) =>
      Vector(name, Quantity.count(m.window.kinds(kind).requests)) ++
        ofKinds.map(metric => Quantity.of(metric, m.figure(metric, Some(kind))))
    }

  val bandsHead: Vector[String] = Vector("due to end", "good responses", "share")

  /** A row for each band of latency; none if there are no bands. */
  def bands(m: Measurement): Vector[Vector[String]] =
    Bands.of(m).map(band => Vector(band.name, Quantity.count(band.count), Quantity.share(band.share)))

  /** A latency without the wait before the request was sent; empty for a metric that is not a time. */
  def sentToEnd(m: Measurement, metric: Metric): String = {
    val service = m.window.total.service
    metric match {
      case _ if service.getTotalCount == 0 => "-"
      case Metric.Percentile(percent)      => Quantity.time(service.getValueAtPercentile(percent).toDouble)
      case Metric.Mean                     => Quantity.time(service.getMean)
      case Metric.Max                      => Quantity.time(service.getMaxValue.toDouble)
      case Metric.Min                      => Quantity.time(service.getMinValue.toDouble)
      case Metric.Deviation                => Quantity.time(service.getStdDeviation)
      case _                               => ""
    }
  }

  /** Remarks in addition to the verdict. */
  def remarks(m: Measurement): Vector[String] = {
    val asked =
      if (m.verdict(Metric.Rate).limit != Limit.Load) Vector.empty
      else if (m.run.plan.model == "open")
        Vector("The offered rate was reached: the server may be able to do more.")
      else
        Vector(
          "The offered rate was reached, since users waited for responses less than half of the time (pauses, or a ramp): " +
            "the server may be able to do more."
        )
    val little = m.diagnosis.little.filter(_.isClose).map(law =>
      String.format(
        Locale.ROOT,
        "Little's law holds: %.1f users there, %.1f by rate and latency.",
        Double.box(law.users),
        Double.box(law.expected)
      )
    )
    asked ++ little ++ paced(m) ++ openings(m) ++ notKept(m) ++ overflows(m)
  }

  private def paced(m: Measurement): Option[String] = {
    val lateness          = m.run.lateness.histogram
    def time(nanos: Long) = Quantity.time(nanos.toDouble)
    if (m.run.plan.model != "open" || lateness.getTotalCount == 0) None
    else
      Some(
        s"The generator was late by ${time(lateness.getValueAtPercentile(50))} in the median, " +
          s"${time(lateness.getValueAtPercentile(99))} at p99, ${time(lateness.getMaxValue)} at most."
      )
  }

  /** How long opening connections took, if some were opened by TLS, or one for each request. */
  private def openings(m: Measurement): Option[String] = {
    val all                                    = m.run.openings
    val (connect, tls)                         = (all.connect.histogram, all.tls.histogram)
    def times(h: Histogram)                    = s"${time(h, 50)} in the median, ${time(h, 99)} at p99"
    def time(h: Histogram, percentile: Double) = Quantity.time(h.getValueAtPercentile(percentile).toDouble)
    val rate                                   = tls.getTotalCount * 1000.0 / math.max(1, m.run.loadMillis)
    if (tls.getTotalCount > 0)
      Some(
        s"${Quantity.counted(tls.getTotalCount, "TLS handshake")} (${Quantity.of(Metric.Rate, rate)}), ${Quantity.count(all.resumed)} " +
          s"of them resumed: ${times(tls)}. Connecting before the handshake: ${times(connect)}."
      )
    else if (!m.run.plan.keepAlive && connect.getTotalCount > 0) Some(s"Connecting: ${times(connect)}.")
    else None
  }

  /** A remark if connections that were to be reused did not last. */
  private def notKept(m: Measurement): Option[String] = {
    val selves   = m.run.intervals.map(_.self)
    val all      = m.run.total()
    val opened   = selves.map(_.opened).sum - all.count(Outcome.TimedOut) // after which the generator closes
    val requests = all.requests - all.count(Outcome.Unsent)
    // one request each also if all are in flight at the same time, or if all users begin and end between two samples
    val planned = if (m.run.plan.model == "closed") m.run.plan.users else 0
    val needed  = selves.map(s => math.max(s.users, s.open)).maxOption.fold(planned)(math.max(_, planned))
    if (!m.run.plan.keepAlive || requests < 20 || opened * 2 < requests || opened < needed * 4L) None
    else {
      val counts = s"${Quantity.count(opened)} were opened for ${Quantity.count(requests)}"
      if (m.run.plan.targets.exists(_.startsWith("ws")))
        Some(
          s"WebSockets did not last: $counts messages. The load tester closes one on which a message comes that is no " +
            "answer: a server that broadcasts, or sends several messages for one, cannot be measured like this."
        )
      else
        Some(s"The server did not keep connections alive: $counts requests; the latencies include this.")
    }
  }

  /**
   * A full queue of a listener is visible on the server's machine only, so this is reported only if that is this one.
   * The kernel drops connections then, and the client's kernel retries after a second.
   */
  def overflows(m: Measurement): Option[String] = {
    val dropped = m.run.intervals.iterator.map(_.self.listenOverflows).filter(_ > 0).sum
    if (dropped == 0 || !m.run.machine.exists(_.sharedWithTarget)) None
    else
      Some(
        s"The kernel dropped a connection ${if (dropped == 1) "once" else s"${Quantity.count(dropped)} times"}, since " +
          "the server did not accept it in time (listen overflows): each retry comes at least a second later."
      )
  }
}
