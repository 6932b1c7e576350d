package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Interval, Outcome, RunResult}

/**
 * The part of a run that metrics are computed from: the time after the ramp or, if every user makes a number of
 * requests, the whole run, since then the ramp is part of the load.
 *
 * Answers after the end of the load are in the percentiles. The rate counts them for what was offered, if the server
 * kept up with that; otherwise the queue that is left would increase it.
 */
final class Window(val run: RunResult) {

  private val ramp: Long = {
    val planned = run.plan.durationMillis - run.plan.rampMillis
    val least   = math.min(planned, 1000) // of a run that was ended early
    if (planned > 0 && run.loadMillis - run.plan.rampMillis >= least) run.plan.rampMillis else 0
  }

  /** Intervals in which the full load was offered; all of a run that ended before that. */
  val offered: Vector[Interval] = {
    val all  = run.intervals.filter(_.startMillis < run.loadMillis)
    val full = all.filter(_.startMillis >= ramp)
    if (full.isEmpty) all else full
  }

  /** Milliseconds since the start of the run. */
  val fromMillis: Long = offered.headOption.fold(ramp)(_.startMillis)

  /** The duration of `offered`; if the load ended within the last interval, until then. */
  val seconds: Double =
    offered.iterator.map(i =>
      math.min(i.lengthMillis, math.max(0, run.loadMillis - i.startMillis))
    ).sum / 1000.0

  /** Whether it is too short for the generator to see what it and its machine were doing, which it does once a second. */
  val isShort: Boolean = seconds < Window.LeastSeconds

  lazy val total: Figures = Figures.sum(kinds)

  lazy val kinds: Vector[Figures] = run.kinds.indices.map(run.figures(_, fromMillis)).toVector

  /** Requests for which the generator had no port or descriptor. */
  def wants: Long = total.count(Outcome.NoFreePort) + total.count(Outcome.TooManyFiles)

  /**
   * Good answers per second, of one kind or of all.
   *
   * Counted are those that came in the time in which one could come. They are fewer than what was offered even if
   * everything is answered, as what became due last is answered later: so in the open model, if the server kept up, it is
   * the share of good ones of what became due. In the closed model a request in flight at one end of the time counts by the
   * part of its own that was within.
   */
  def goodRate(kind: Option[Int] = None): Double =
    if (seconds <= 0) 0
    else if (run.plan.model != "open") (goodWithin(kind) + share(kind) * cutOff) / seconds
    else if (isAnswered) dueRate * share(kind)
    else math.min(goodWithin(kind) / answerable, dueRate)

  /** Good answers per second that came while load was offered. */
  private[analysis] def goodRateWithin: Double = if (seconds <= 0) 0 else goodWithin(None) / seconds

  private def goodWithin(kind: Option[Int]): Double =
    offered.iterator.map(i => figures(i, kind).iterator.map(_.good).sum).sum.toDouble

  /** Good answers as a share of all requests that ended. */
  private def share(kind: Option[Int]): Double =
    if (total.requests == 0) 0 else kind.fold(total)(kinds).good.toDouble / total.requests

  private lazy val outstanding = new Outstanding(this)

  /** Whether nearly all that became due was answered well, without a queue that grew. */
  private lazy val isAnswered: Boolean =
    total.requests > 0 && total.errorRate <= Window.FewErrors && outstanding.keepsUp

  /** The part of `seconds` in which an answer could come: without a ramp there is none before the shortest latency. */
  private lazy val answerable: Double = {
    val without = math.max(0, shortestLatency - fromMillis / 1000.0)
    if (without < seconds) seconds - without else seconds
  }

  /** In seconds, of the whole run: after a ramp all may have to wait. */
  private lazy val shortestLatency: Double = {
    val answered = run.intervals.iterator.map(_.total.response).filter(_.getTotalCount > 0)
    answered.map(_.getMinValue).minOption.getOrElse(0L) / 1e9
  }

  /** Closed: how many whole requests the parts of those in flight at the end make up, without those of the beginning. */
  private lazy val cutOff: Double =
    if (run.plan.durationMillis == 0 || fromMillis != run.plan.rampMillis || fromMillis > 0 && isQueueing) 0
    else begun(fromMillis / 1000.0 + seconds, outstanding.atEnd) - begun(
      fromMillis / 1000.0,
      outstanding.atStart
    )

  /** Whether users mostly wait for each other. Then the server is as busy when the ramp ends as when the load does. */
  private def isQueueing: Boolean = usualLatency > shortestLatency * 1.5

  /** In seconds, of all but the longest. */
  private def usualLatency: Double = total.response.getValueAtPercentile(90) / 1e9

  /**
   * How many whole requests the parts before that time make up, of so many in flight then. Users who never pause have spent
   * all of their time on requests; of others that is not known, and each of these requests counts as one. Those that wait
   * in the server are not begun: no more are than the shortest latency allows for.
   *
   * @param until in seconds, when all users had begun, which they do evenly over the ramp
   */
  private def begun(until: Double, inFlight: Long): Double = {
    val users   = run.plan.users
    val present = users * until - run.plan.rampMillis / 1000.0 * math.max(0, users - 1) / 2
    val ended   = Figures.sum(run.intervals.filter(_.startMillis < math.round(until * 1000)).map(_.total))
    val count   = total.response.getTotalCount + total.failed.getTotalCount
    if (count == 0) 0
    else {
      val mean = latencies(total) / count / 1e9
      val rest = (present * run.plan.pipelining - latencies(ended) / 1e9) / mean
      val busy = users * run.plan.pipelining * math.min(1, shortestLatency / math.max(1e-9, usualLatency))
      math.max(0, Seq(inFlight.toDouble, rest, busy).min)
    }
  }

  /** In nanoseconds. */
  private def latencies(of: Figures): Double = Latencies.sum(of.response) + Latencies.sum(of.failed)

  /** Requests that became due per second. */
  def dueRate: Double = perSecond(_.self.due)

  /** The value of a metric in its unit; None if nothing was measured. */
  def figure(metric: Metric, kind: Option[Int] = None): Option[Double] = metric match {
    case Metric.Rate => if (seconds <= 0) None else Some(goodRate(kind))
    case other       => Metric.of(kind.fold(total)(kinds), other)
  }

  /**
   * The lowest and the highest rate of good answers in the quarters of the time. Users who have begun together get their
   * answers together: quarters of few latencies show how many of these fall into each, and the rate of all is taken.
   */
  def quarters: (Double, Double) = {
    val whole   = offered.filter(_.lengthMillis >= 500)
    val size    = math.max(1, whole.size / 4)
    val quarter = whole.iterator.map(_.lengthMillis).take(size).sum
    val latency = total.response.getValueAtPercentile(99) / 1e6
    val rates   = whole.grouped(size).filter(_.size == size).map { part =>
      part.iterator.map(_.total.good).sum * 1000.0 / part.iterator.map(_.lengthMillis).sum
    }.toVector
    if (rates.isEmpty || quarter < latency * Window.Latencies) (goodRate(), goodRate())
    else (rates.min, rates.max)
  }

  private def figures(interval: Interval, kind: Option[Int]): Vector[Figures] =
    kind.fold(interval.kinds)(k => Vector(interval.kinds(k)))

  private def perSecond(count: Interval => Long): Double =
    if (seconds <= 0) 0 else offered.iterator.map(count).sum / seconds
}

object Window {

  /** A second, in seconds, which may end somewhat early. */
  final val LeastSeconds = 0.9

  /** How many latencies a quarter must last. */
  private final val Latencies = 8

  /** The share of requests that may fail where all are said to have been answered. */
  private final val FewErrors = 0.03
}
