package needletail.load.analysis.compare

import java.util.SplittableRandom

import needletail.load.analysis.verdict.{Measurement, Metric, Verdict}
import needletail.load.result.RunResult

/** How a metric has changed. */
sealed abstract class Change(val name: String) extends Product with Serializable

object Change {
  case object Better extends Change("better")
  case object Worse  extends Change("WORSE")

  /** The change is too small to matter, or may be noise. */
  case object None extends Change("no change")

  /** The generator was the limit of one side, so they cannot be compared. */
  case object Unknown extends Change("INCONCLUSIVE")
}

/**
 * A metric of both sides.
 *
 * @param a the median of all runs of the side, in the metric's unit
 * @param interval a confidence interval of the ratio B / A (errors: of the difference B - A); None if ranks were used
 * @param probability that ranks this uneven occur by chance; None if resampling was used
 */
final case class ComparedMetric(
    metric: Metric,
    a: Double,
    b: Double,
    interval: Option[(Double, Double)],
    probability: Option[Double],
    change: Change,
    verdict: Verdict
)

/**
 * Finds what changed from A to B beyond noise. With enough runs of each, by the ranks of runs; with fewer, by
 * resampling their seconds, which does not cover differences between runs.
 */
final class Comparison(tolerance: Double, confidence: Double) {
  import Comparison._

  def apply(a: Vector[RunResult], b: Vector[RunResult]): Vector[ComparedMetric] = {
    val left  = a.map(new Measurement("A", _, scala.None))
    val right = b.map(new Measurement("B", _, scala.None))
    if (RankTest.enough(a.size, b.size, confidence)) byRanks(left, right)
    else byResampling(left, right)
  }

  private def byRanks(a: Vector[Measurement], b: Vector[Measurement]): Vector[ComparedMetric] =
    metrics.flatMap { metric =>
      val (left, right) = (a.flatMap(_.figure(metric)), b.flatMap(_.figure(metric)))
      if (left.isEmpty || right.isEmpty) scala.None
      else {
        val chance  = RankTest.probability(left, right)
        val matters = chance <= 1 - confidence
        Some(judged(
          metric,
          median(left),
          median(right),
          scala.None,
          Some(chance),
          matters,
          verdict(metric, a ++ b)
        ))
      }
    }

  private def byResampling(a: Vector[Measurement], b: Vector[Measurement]): Vector[ComparedMetric] = {
    val left  = new Resampling(a.map(_.run))
    val right = new Resampling(b.map(_.run))
    if (left.isEmpty || right.isEmpty) Vector.empty
    else {
      val random = new SplittableRandom(Seed)
      val draws  = Vector.fill(Draws)((left.draw(metrics, random), right.draw(metrics, random)))
      metrics.zipWithIndex.flatMap { case (metric, index) =>
        val (x, y) = (a.flatMap(_.figure(metric)), b.flatMap(_.figure(metric)))
        if (x.isEmpty || y.isEmpty) scala.None
        else {
          val distances = draws.map { case (l, r) => distance(metric, l(index), r(index)) }.sorted
          val tail      = (1 - confidence) / 2
          val low       = distances((Draws * tail).toInt)
          val high      = distances(math.min(Draws - 1, (Draws * (1 - tail)).toInt))
          val same      = if (metric == Metric.Errors) 0.0 else 1.0
          Some(
            judged(
              metric,
              median(x),
              median(y),
              Some((low, high)),
              scala.None,
              low > same || high < same,
              verdict(metric, a ++ b)
            )
          )
        }
      }
    }
  }

  private def judged(
      metric: Metric,
      a: Double,
      b: Double,
      interval: Option[(Double, Double)],
      probability: Option[Double],
      beyondNoise: Boolean,
      verdict: Verdict
  ): ComparedMetric = {
    val far =
      if (metric == Metric.Errors) math.abs(b - a) >= LeastErrors
      else math.abs(distance(metric, a, b) - 1) >= tolerance
    val more   = if (metric == Metric.Rate) Change.Better else Change.Worse
    val less   = if (metric == Metric.Rate) Change.Worse else Change.Better
    val change =
      if (verdict.isClient) Change.Unknown
      else if (!beyondNoise || !far) Change.None
      else if (b > a) more
      else less
    ComparedMetric(metric, a, b, interval, probability, change, verdict)
  }

  private def distance(metric: Metric, a: Double, b: Double): Double =
    if (metric == Metric.Errors) b - a
    else if (a == 0) (if (b == 0) 1 else Double.MaxValue)
    else b / a

  private def verdict(metric: Metric, all: Vector[Measurement]): Verdict =
    all.map(_.verdict(metric)).reduce(_ and _)

  private def median(values: Vector[Double]): Double = {
    val sorted = values.sorted
    val middle = sorted.size / 2
    if (sorted.size % 2 == 1) sorted(middle) else (sorted(middle - 1) + sorted(middle)) / 2
  }
}

object Comparison {

  /** Metrics that a run of some seconds can distinguish; a maximum is too random. */
  val metrics: Vector[Metric] =
    Vector(Metric.Rate, Metric.Percentile(50), Metric.Percentile(90), Metric.Percentile(99), Metric.Errors)

  /** The smallest change of the error rate that matters. */
  private final val LeastErrors = 0.001
  private final val Draws       = 2000
  private final val Seed        = 20220817L
}
