package needletail.load.analysis.verdict

import java.util.Locale

/** Formats values for people: three digits and a suitable unit. */
object Quantity {

  /** Formats nanoseconds. */
  def time(nanos: Double): String =
    if (nanos < 999.5) digits(nanos) + " ns"
    else if (nanos < 999.5e3) digits(nanos / 1e3) + " µs"
    else if (nanos < 999.5e6) digits(nanos / 1e6) + " ms"
    else if (nanos < 120e9) digits(nanos / 1e9) + " s"
    else digits(nanos / 60e9) + " min"

  /** Formats a share from 0 to 1. */
  def share(share: Double): String =
    if (share == 0) "0 %"
    else if (share == 1) "100 %"
    else if (share < 0.00001) "< 0.001 %"
    // must not be rounded to 100 %
    else if (share > 0.99945 && share < 1) "> 99.9 %"
    else digits(share * 100) + " %"

  def rate(perSecond: Double): String = digits(perSecond) + "/s"

  def count(number: Long): String = String.format(Locale.ROOT, "%,d", Long.box(number))

  /** A number of things: `1 user`, `1,500 users`. */
  def counted(number: Long, one: String): String = s"${count(number)} $one${if (number == 1) "" else "s"}"

  def bytes(number: Long): String =
    if (number < 10000) s"$number B"
    else if (number < 10000000) digits(number / 1e3) + " kB"
    else if (number < 10000000000L) digits(number / 1e6) + " MB"
    else digits(number / 1e9) + " GB"

  /** Formats a value in the metric's unit. */
  def of(metric: Metric, figure: Double): String = metric.unit match {
    case Metric.Unit.Time  => time(figure)
    case Metric.Unit.Share => share(figure)
    case Metric.Unit.Rate  => rate(figure)
  }

  def of(metric: Metric, figure: Option[Double]): String = figure.fold("-")(of(metric, _))

  private def digits(value: Double): String = {
    val places = if (value >= 99.95) 0 else if (value >= 9.995) 1 else if (value >= 0.01) 2 else 3
    val text   = String.format(Locale.ROOT, s"%,.${places}f", Double.box(value))
    if (value == value.toLong.toDouble && value < 1000) value.toLong.toString else text
  }
}
