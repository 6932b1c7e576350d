package needletail.load.analysis.verdict

import java.util.Locale

import scala.concurrent.duration.FiniteDuration

import needletail.load.result.RunResult

/**
 * Determines what limited the results of a run. Each suspicion examines the generator's measurements of itself and
 * tells which metrics it affects; a metric that none affects is limited by the server.
 */
final class Diagnosis private (
    window: Window,
    bottleneckChecks: Vector[BottleneckCheck],
    val little: Option[LittlesLaw]
) {
  import Diagnosis.LeastRequests

  /** Whether the measurement is too short, or has too few requests, for a verdict on it. */
  val isTooShort: Boolean = window.total.good > 0 && (window.isShort || window.total.requests < LeastRequests)

  /** The verdict on one metric, and on one kind of requests if given. */
  def of(metric: Metric, kind: Option[Int] = None): Verdict = {
    val figure = window.figure(metric, kind)
    // a share of few requests says as little as a percentile of few, which `fewAnswers` judges
    val short = isTooShort && figure.nonEmpty && (window.isShort || metric == Metric.Errors)
    val found = bottleneckChecks.flatMap(_.verdict(metric, figure)) ++ fewAnswers(metric, kind) ++
      (if (short) Some(tooShort) else None)
    if (found.nonEmpty) judged(found.reduce(_ and _))
    else if (figure.isEmpty) Diagnosis.Nothing
    else if (metric == Metric.Rate && asAsked) Verdict.Load else Verdict.Server
  }

  /** The verdict on the run: what affects its rate, its errors, its median or its p99. */
  val overall: Verdict = {
    val figures = Vector(Metric.Rate, Metric.Errors, Metric.Percentile(50), Metric.Percentile(99))
    val found   =
      bottleneckChecks.flatMap(s => figures.flatMap(metric => s.verdict(metric, window.figure(metric))))
    val begin =
      if (window.total.good == 0) Diagnosis.Nothing else if (isTooShort) tooShort else Verdict.Server
    judged(found.foldLeft(begin)(_ and _))
  }

  /**
   * Where nothing succeeded, the server's part is not known, or there is none: most likely the request is wrong. A want of
   * ports or descriptors is the generator's all the same: it is why nothing succeeded.
   */
  private def judged(verdict: Verdict): Verdict =
    if (!verdict.isClient || window.total.good > 0 || window.wants > 0) verdict
    else verdict.copy(limit = Limit.Uncertain)

  /**
   * `overall` in a word or some. A measurement that says nothing is not called uncertain, which sounds like a doubt about
   * the server.
   */
  def overallName: String =
    if (isTooShort && overall.limit == Limit.Uncertain) Diagnosis.TooShort else overall.limit.name

  private lazy val tooShort: Verdict = Verdict(
    Limit.Uncertain,
    Vector(
      s"${Diagnosis.TooShort}: ${Quantity.counted(window.total.requests, "request")} in " +
        s"${if (window.seconds <= 0) "no time" else Quantity.time(window.seconds * 1e9)}, and it takes at least " +
        s"${Window.LeastSeconds} s and $LeastRequests requests"
    )
  )

  /**
   * Whether the rate is simply the requested one. In the open model, what became due was also answered, but for some
   * hundredths. In the closed model answers were good, and users waited for them less than half of
   * the time: their pauses, or the ramp, determined the rate.
   */
  private def asAsked: Boolean =
    if (window.run.plan.model == "open") window.dueRate > 0 && window.goodRate() >= window.dueRate * 0.98
    else {
      val time    = window.seconds * 1e9 * window.run.plan.users
      val figures = window.total
      figures.good > 0 && figures.errorRate <= 0.02 && Latencies.sum(figures.response) + Latencies.sum(
        figures.failed
      ) < time / 2
    }

  /** A percentile with no answer above it is the same as the maximum. */
  private def fewAnswers(metric: Metric, kind: Option[Int]): Option[Verdict] = metric match {
    case Metric.Percentile(percent) if percent < 100 =>
      val needed = math.ceil(100 / (100 - percent) - 1e-9).toLong
      val count  = kind.fold(window.total)(window.kinds).response.getTotalCount
      if (count == 0 || count >= needed) None
      else
        Some(Verdict(
          Limit.Uncertain,
          Vector(
            s"${metric.name} of only ${Quantity.counted(count, "good response")}, and it takes at least $needed"
          )
        ))
    case _ => None
  }
}

object Diagnosis {

  /** How a measurement without a verdict is called. */
  final val TooShort = "too short to judge"

  /** Of which p99 is one. */
  private final val LeastRequests = 100

  /** The verdict if nothing was measured. */
  private val Nothing = Verdict(Limit.Uncertain, Vector("no good response: nothing to judge"))

  /**
   * Diagnoses a run.
   *
   * @param pause mean time between an answer and the user's next request, if known, for Little's law
   */
  def of(run: RunResult, pause: Option[FiniteDuration] = None): Diagnosis = {
    val window = new Window(run)
    val little = LittlesLaw.check(run, pause)
    new Diagnosis(window, new BottleneckChecks(window).all ++ little.filterNot(_.holds).map(lawless), little)
  }

  private def lawless(law: LittlesLaw): BottleneckCheck = {
    val text = String.format(
      Locale.ROOT,
      "Little's law does not hold: %.1f users were measured, but rate times latency is %.1f",
      Double.box(law.users),
      Double.box(law.expected)
    )
    BottleneckCheck(text, (metric, _) => if (metric == Metric.Errors) None else Some(Limit.Uncertain))
  }
}
