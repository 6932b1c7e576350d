package needletail.load.analysis

import needletail.load.result.Figures

/** A figure that a condition can be about. */
sealed abstract class Metric(val name: String, val unit: Metric.Unit) extends Product with Serializable

object Metric {

  sealed trait Unit
  object Unit {

    /** In nanoseconds. */
    case object Time extends Unit

    /** 0 to 1. */
    case object Share extends Unit

    /** In a second. */
    case object Rate extends Unit
  }

  /** Of good answers, from the moment each was due. */
  final case class Percentile(percent: Double) extends Metric("p" + trimmed(percent), Unit.Time)
  case object Mean                             extends Metric("mean", Unit.Time)
  case object Max                              extends Metric("max", Unit.Time)

  /** Requests that did not come to a good end, of all that ended. */
  case object Errors extends Metric("errors", Unit.Share)

  /** Good answers in a second. */
  case object Rate extends Metric("rate", Unit.Rate)

  /** In every table of one run. */
  val usual: Vector[Metric] =
    Vector(50.0, 75.0, 90.0, 95.0, 99.0, 99.9, 99.99).map(Percentile(_)) ++ Vector(Max, Mean, Errors, Rate)

  private val Percent = """p(\d{1,3}(?:\.\d+)?)""".r

  def named(name: String): Option[Metric] = name.toLowerCase match {
    case Percent(digits) if digits.toDouble <= 100 => Some(Percentile(digits.toDouble))
    case "median"                                  => Some(Percentile(50))
    case "mean"                                    => Some(Mean)
    case "max"                                     => Some(Max)
    case "errors"                                  => Some(Errors)
    case "rate"                                    => Some(Rate)
    case _                                         => None
  }

  /** Of what was measured, in its unit: None where it was not, as the p99 of no good answers. A rate needs a time. */
  def of(figures: Figures, metric: Metric): Option[Double] = {
    val histogram = figures.response
    metric match {
      case Rate                              => None
      case Errors                            => if (figures.requests == 0) None else Some(figures.errorRate)
      case _ if histogram.getTotalCount == 0 => None
      case Percentile(percent)               => Some(histogram.getValueAtPercentile(percent).toDouble)
      case Max                               => Some(histogram.getMaxValue.toDouble)
      case Mean                              => Some(histogram.getMean)
    }
  }

  private def trimmed(percent: Double): String =
    if (percent == percent.toLong.toDouble) percent.toLong.toString else percent.toString
}
