package needletail.load.analysis.verdict

import java.util.Locale

import needletail.load.result.Figures

/** A metric that a condition can refer to. */
sealed abstract class Metric(val name: String, val unit: Metric.Unit) extends Product with Serializable

object Metric {

  sealed trait Unit
  object Unit {

    /** In nanoseconds. */
    case object Time extends Unit

    /** A share from 0 to 1. */
    case object Share extends Unit

    /** Per second. */
    case object Rate extends Unit
  }

  /** A percentile of good responses' latency, from the moment each was due. */
  final case class Percentile(percent: Double) extends Metric("p" + trimmed(percent), Unit.Time)
  case object Mean                             extends Metric("mean", Unit.Time)
  case object Max                              extends Metric("max", Unit.Time)
  case object Min                              extends Metric("min", Unit.Time)

  /** The standard deviation, which is not very meaningful for latencies, as they are not normally distributed. */
  case object Deviation extends Metric("stddev", Unit.Time)

  /** Requests that failed, as a share of all that ended. */
  case object Errors extends Metric("errors", Unit.Share)

  /** Good responses per second. */
  case object Rate extends Metric("rate", Unit.Rate)

  /** The metrics in the tables of a run. */
  val usual: Vector[Metric] =
    Vector(
      50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99
    ).map(Percentile(_)) ++ Vector(Max, Min, Mean, Deviation, Errors, Rate)

  private val Percent = """p(\d{1,3}(?:\.\d+)?)""".r

  def named(name: String): Option[Metric] = name.toLowerCase(Locale.ROOT) match {
    case Percent(digits) if digits.toDouble <= 100 => Some(Percentile(digits.toDouble))
    case "median"                                  => Some(Percentile(50))
    case "mean"                                    => Some(Mean)
    case "max"                                     => Some(Max)
    case "min"                                     => Some(Min)
    case "stddev"                                  => Some(Deviation)
    case "errors"                                  => Some(Errors)
    case "rate"                                    => Some(Rate)
    case _                                         => None
  }

  /**
   * The value of a metric in its unit; None if not available, as the p99 without good responses. A rate needs a
   * duration.
   */
  def of(figures: Figures, metric: Metric): Option[Double] = {
    val histogram = figures.response
    metric match {
      case Rate                              => None
      case Errors                            => if (figures.requests == 0) None else Some(figures.errorRate)
      case _ if histogram.getTotalCount == 0 => None
      case Percentile(percent)               => Some(histogram.getValueAtPercentile(percent).toDouble)
      case Max                               => Some(histogram.getMaxValue.toDouble)
      case Min                               => Some(histogram.getMinValue.toDouble)
      case Deviation                         => Some(histogram.getStdDeviation)
      case Mean                              => Some(histogram.getMean)
    }
  }

  private def trimmed(percent: Double): String =
    if (percent == percent.toLong.toDouble) percent.toLong.toString else percent.toString
}
