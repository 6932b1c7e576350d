package needletail.load.analysis.verdict

/**
 * A condition on a metric: `p99 < 50 ms`, `errors < 0.1 %`, `rate >= 1000/s`, or of one kind of requests `search: p99
 * < 50 ms`.
 *
 * @param bound in the metric's unit
 * @param text as written by the user
 */
final case class Condition(
    kind: Option[String],
    metric: Metric,
    comparison: Condition.Comparison,
    bound: Double,
    text: String
) {

  /** Whether the value satisfies it; a missing value does not. */
  def holds(figure: Option[Double]): Boolean = figure.exists(comparison.holds(_, bound))
}

object Condition {

  sealed abstract class Comparison(val sign: String) extends Product with Serializable {
    def holds(figure: Double, bound: Double): Boolean = this match {
      case Less    => figure < bound
      case AtMost  => figure <= bound
      case More    => figure > bound
      case AtLeast => figure >= bound
    }
  }
  case object Less    extends Comparison("<")
  case object AtMost  extends Comparison("<=")
  case object More    extends Comparison(">")
  case object AtLeast extends Comparison(">=")

  private val comparisons = Vector(AtMost, AtLeast, Less, More)

  private val Form = """(?:(.+?)\s*:\s*)?([A-Za-z][A-Za-z0-9.]*)\s*(<=|>=|<|>)\s*([0-9][0-9_.]*)\s*(\S*)""".r

  /** Parses conditions separated by commas; at least one. Left is the error. */
  def parseAll(text: String): Either[String, Vector[Condition]] = {
    val parts = text.split(',').map(_.trim).filter(_.nonEmpty).toVector
    if (parts.isEmpty) Left("a condition is missing, such as p99 < 50 ms")
    else
      parts.foldLeft[Either[String, Vector[Condition]]](Right(Vector.empty))((all, part) =>
        for { good <- all; one <- parse(part) } yield good :+ one
      )
  }

  def parse(text: String): Either[String, Condition] = text.trim match {
    case Form(kind, name, sign, digits, unit) =>
      for {
        metric <- Metric.named(name).toRight(
          s"""in "$text": there is no metric named $name; use p50, p99, p99.9 (any percentile), mean, max, errors, rate"""
        )
        number <- digits.replace("_", "").toDoubleOption.toRight(s"""in "$text": $digits is not a number""")
        scale  <- scaleOf(metric, unit).toRight(s"""in "$text": ${unitWanted(metric, unit)}""")
        bound = number * scale
        _ <-
          Either.cond(metric.unit != Metric.Unit.Share || bound <= 1, (), s"""in "$text": more than 100 %""")
      } yield Condition(
        Option(kind),
        metric,
        comparisons.find(_.sign == sign).getOrElse(Less),
        bound,
        text.trim
      )
    case other =>
      Left(s""""$other" is not a condition; write p99 < 50 ms, errors < 0.1 % or rate > 1000/s""")
  }

  private def scaleOf(metric: Metric, unit: String): Option[Double] = metric.unit match {
    case Metric.Unit.Time =>
      unit match {
        case "ns"        => Some(1.0)
        case "us" | "µs" => Some(1e3)
        case "ms"        => Some(1e6)
        case "s"         => Some(1e9)
        case "m" | "min" => Some(60e9)
        case _           => None
      }
    case Metric.Unit.Share => if (unit == "%") Some(0.01) else None
    case Metric.Unit.Rate  => if (Set("", "/s", "rps", "req/s").contains(unit)) Some(1.0) else None
  }

  private def unitWanted(metric: Metric, unit: String): String = {
    val wanted = metric.unit match {
      case Metric.Unit.Time  => "us, ms, s or min"
      case Metric.Unit.Share => "%"
      case Metric.Unit.Rate  => "/s"
    }
    val got = if (unit.isEmpty) "it has no unit" else s""""$unit" is not a unit of ${metric.name}"""
    s"$got; use $wanted"
  }
}
