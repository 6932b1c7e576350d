package needletail.load.report.html

import com.github.plokhotnyuk.jsoniter_scala.core._
import com.github.plokhotnyuk.jsoniter_scala.macros._

/**
 * A chart as page.js draws it.
 *
 * @param bars
 *   names of groups of bars; None for lines
 * @param right
 *   the axis of the series that say so
 */
private[report] final case class Chart(
    title: String,
    note: String,
    x: Axis,
    y: Axis,
    series: Vector[Series],
    right: Option[Axis] = None,
    bars: Option[Vector[String]] = None
)

/**
 * An axis of a chart.
 *
 * @param unit "ms", "/s", "%", "s" or none
 * @param percentiles whether it has 1 / (1 - p), on a logarithmic scale
 * @param values of ticks in order, if given; the page leaves out those that there is no room for
 */
private[report] final case class Axis(
    title: String,
    unit: String = "",
    log: Boolean = false,
    percentiles: Boolean = false,
    min: Option[Double] = None,
    max: Option[Double] = None,
    values: Option[Vector[Double]] = None
)

private[report] final case class Series(
    name: String,
    points: Vector[(Double, Double)],
    right: Boolean = false,
    dashed: Boolean = false
)

private[report] object Chart {

  /** Writes empty lists too, as the page reads every list. */
  private implicit val codec: JsonValueCodec[Vector[Chart]] =
    JsonCodecMaker.make(CodecMakerConfig.withTransientEmpty(false))

  /** For an element `script` of a page: the result contains nothing that ends it. */
  def toJson(charts: Vector[Chart]): String =
    writeToString(charts)
      .replace("<", "\\u003c")
      .replace(">", "\\u003e")
      .replace("&", "\\u0026")
      .replace("\u2028", "\\u2028")
      .replace("\u2029", "\\u2029")
}
