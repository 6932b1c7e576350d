package needletail.load.engine.worker

import needletail.load.plan.Load

/**
 * When arrivals are due: rates over time, as a pure function. The number of arrivals up to a moment is the area under
 * the rates; the time of an arrival is the inverse of that, so that no error accumulates.
 */
private[engine] final class Schedule(steps: Vector[Load.Step]) {
  private val rates0    = steps.map(_.from / 1e9).toArray // per nanosecond
  private val rates1    = steps.map(_.to / 1e9).toArray
  private val lengths   = steps.map(_.duration.toNanos.toDouble).toArray
  private val startTime = lengths.scanLeft(0.0)(_ + _)
  private val areas     = lengths.indices.map(i => (rates0(i) + rates1(i)) / 2 * lengths(i)).toArray
  private val startArea = areas.scanLeft(0.0)(_ + _)

  /** In nanoseconds. */
  val length: Long = startTime.last.toLong

  /** Arrivals in all. */
  val count: Double = startArea.last

  /**
   * When `arrivals` have occurred, in nanoseconds since the start; Long.MaxValue if that many never occur.
   *
   * @param hint the step of the last result, or 0; the result must not be in an earlier one
   */
  def timeOf(arrivals: Double, hint: Int): Long = {
    val step = stepOf(arrivals, hint)
    if (step < 0) Long.MaxValue else (startTime(step) + within(step, arrivals - startArea(step))).toLong
  }

  /** The step in which that many have occurred; -1 if none. */
  def stepOf(arrivals: Double, hint: Int): Int = {
    var i = hint
    while (i < areas.length && arrivals >= startArea(i + 1) - Schedule.Rounding) i += 1
    if (i == areas.length) -1 else i
  }

  /** When `area` of a step is reached: rate0 t + (rate1 - rate0) t^2 / 2 length = area, solved without cancellation. */
  private def within(step: Int, area: Double): Double = {
    val rate  = rates0(step)
    val slope = (rates1(step) - rate) / lengths(step)
    val root  = math.sqrt(math.max(0, rate * rate + 2 * slope * area))
    if (area <= 0) 0 else math.min(lengths(step), 2 * area / (rate + root))
  }
}

private[engine] object Schedule {

  /** Areas are sums: an arrival that is this near to the end of a step belongs to the next one. */
  private final val Rounding = 1e-6
}

/**
 * One loop's share of the arrivals: with constant intervals every `loops`-th one, with exponential intervals a process
 * of its own with that share of the rate, which together are one of the whole rate.
 */
private[engine] final class Arrivals(
    schedule: Schedule,
    poisson: Boolean,
    loop: Int,
    loops: Int,
    random: java.util.SplittableRandom
) {
  private var arrivals = if (poisson) distance() else loop.toDouble
  private var step     = math.max(0, schedule.stepOf(arrivals, 0))
  private var due      = schedule.timeOf(arrivals, step)
  private var after    = following()

  /** When the next one is due, in nanoseconds since the start; Long.MaxValue after the last. */
  def next: Long = due

  /** When the one after that is due. */
  def afterNext: Long = after

  def advance(): Unit = {
    due = after
    if (due != Long.MaxValue) after = following()
  }

  private def following(): Long = {
    arrivals += (if (poisson) distance() else loops.toDouble)
    val s = schedule.stepOf(arrivals, step)
    if (s < 0) Long.MaxValue
    else {
      step = s
      schedule.timeOf(arrivals, s)
    }
  }

  private def distance(): Double = -math.log(1 - random.nextDouble()) * loops
}
