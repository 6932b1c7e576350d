package needletail.load.engine.count

/**
 * Where the intervals of a run end: at each second, and where the load changes, so that a rate counts all that happened
 * while the load was offered, and nothing else. A second's end gives way to such a change less than a quarter of a
 * second before or after it, as little is seen of the generator in a shorter interval.
 *
 * All times are in nanoseconds since the start of the run.
 *
 * @param second its length
 * @param cuts the ends of the ramp and of the load, as far as they are planned
 */
private[load] final class IntervalBounds(second: Long, cuts: Seq[Long] = Nil) {
  private val sorted = cuts.filter(_ > 0).sorted.toArray

  /** The first bound after this time. */
  def after(time: Long): Long = {
    var end = (time / second + 1) * second
    while (sorted.exists(cut => math.abs(end - cut) < second / 4)) end += second
    sorted.find(_ > time).fold(end)(math.min(_, end))
  }
}
