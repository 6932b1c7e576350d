package needletail.load.analysis.verdict

/**
 * Good responses by latency, due to end: those that took longer than `fromNanos` and no longer than `toNanos`.
 *
 * @param toNanos None for the last band, which has no end
 * @param share of all good responses, 0 to 1
 */
final case class Band(fromNanos: Long, toNanos: Option[Long], count: Long, share: Double) {
  def name: String = toNanos match {
    case None                       => s"over ${Quantity.time(fromNanos.toDouble)}"
    case Some(to) if fromNanos == 0 => s"up to ${Quantity.time(to.toDouble)}"
    case Some(to) => s"${Quantity.time(fromNanos.toDouble)} to ${Quantity.time(to.toDouble)}"
  }
}

object Bands {

  /** The bands between the bounds of the plan; none if it has no bounds, or if there is no good response. */
  def of(measured: Measurement): Vector[Band] = {
    val histogram = measured.window.total.response
    val bounds    = measured.run.plan.bandNanos.sorted.distinct
    val all       = histogram.getTotalCount
    if (bounds.isEmpty || all == 0) Vector.empty
    else {
      val upTo = bounds.map(bound => histogram.getCountBetweenValues(0, bound)) :+ all
      (0L +: bounds).zip(bounds.map(Option(_)) :+ None).zip(upTo.zip(0L +: upTo)).map {
        case ((from, to), (through, before)) =>
          Band(from, to, through - before, (through - before).toDouble / all)
      }
    }
  }
}
