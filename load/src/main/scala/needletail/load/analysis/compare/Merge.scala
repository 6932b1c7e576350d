package needletail.load.analysis.compare

import needletail.load.analysis.verdict.Quantity
import needletail.load.result.{Figures, Interval, Lateness, Openings, PlanSummary, RunResult, SelfFigures}

/**
 * Merges what several generators measured of the same plan at the same time, without loss: the result contains every
 * request. Intervals are aligned by the clocks of the machines.
 */
object Merge {

  /** The merged result. Left is the reason why they cannot be merged. */
  def apply(parts: Vector[RunResult]): Either[String, RunResult] =
    parts.headOption match {
      case None        => Left("nothing to merge")
      case Some(first) =>
        parts.find(_.kinds != first.kinds) match {
          case Some(other) => Left(
              s"the kinds of requests differ: ${first.kinds.mkString(", ")} and ${other.kinds.mkString(", ")}"
            )
          case None if parts.map(_.plan.model).distinct.size > 1 =>
            Left("the load models differ (closed and open)")
          case None => Right(join(parts, first))
        }
    }

  /**
   * A warning if the parts were not measured at the same time, as their sum then describes a load that never existed.
   * None if all overlap for four fifths of the shortest one's time.
   */
  def apart(parts: Vector[RunResult]): Option[String] = {
    val from  = parts.map(_.startedMillis).max
    val until = parts.map(p => p.startedMillis + p.loadMillis).min
    val least = parts.map(_.loadMillis).min
    if (until - from >= least * 0.8) None
    else {
      val spread = parts.map(_.startedMillis).max - parts.map(_.startedMillis).min
      Some(
        s"these were not measured at the same time (the last began ${Quantity.time(spread * 1e6)} after the first): " +
          "the merged rates and users do not describe an actual load"
      )
    }
  }

  private def join(parts: Vector[RunResult], first: RunResult): RunResult = {
    val started = parts.map(_.startedMillis).min
    val ends    = parts.map(part => part.startedMillis - started + part.loadMillis)
    val shifted = parts.flatMap { part =>
      val late = part.startedMillis - started
      part.intervals.map { i =>
        // what came after a part's load is kept apart from what came while load was offered, which rates are of
        val isAfter = i.startMillis >= part.loadMillis
        val start   = i.startMillis + late
        isAfter -> i.copy(startMillis = if (isAfter) math.max(start, ends.max) else start)
      }
    }
    val seconds = shifted.groupBy { case (isAfter, i) => isAfter -> Math.floorDiv(i.startMillis, 1000L) }
      .toVector.sortBy(_._1)
      .map { case (_, intervals) => intervals.map(_._2) }
    RunResult(
      plan(parts.map(_.plan), first.plan),
      parts.flatMap(_.machine),
      first.kinds,
      started,
      ends.max,
      seconds.zip(seconds.drop(1).map(start) :+ Long.MaxValue).map { case (second, next) =>
        interval(second, next, first.kinds.size)
      },
      parts.flatMap(_.reasons).distinctBy(_._1),
      ends.zip(parts).map { case (end, part) => end + part.backlogMillis }.max - ends.max
    )
  }

  private def start(parts: Vector[Interval]): Long = parts.map(_.startMillis).min

  /** It lasts until the next one starts, however long its parts are: all together last as long as the load. */
  private def interval(parts: Vector[Interval], next: Long, kinds: Int): Interval =
    Interval(
      start(parts),
      math.max(1, math.min(next, parts.map(i => i.startMillis + i.lengthMillis).max) - start(parts)),
      (0 until kinds).map(kind => Figures.sum(parts.map(_.kinds(kind)))).toVector,
      self(parts.map(_.self))
    )

  /** Sums of the work done; of indicators of doubt the worst, as one bad generator invalidates the whole. */
  private def self(parts: Vector[SelfFigures]): SelfFigures = SelfFigures(
    due = parts.map(_.due).sum,
    users = parts.map(_.users).sum,
    open = parts.map(_.open).sum,
    opened = parts.map(_.opened).sum,
    resent = parts.map(_.resent).sum,
    lateness = Lateness.sum(parts.map(_.lateness)),
    cpu = parts.map(_.cpu).sum,
    busiestLoop = parts.map(_.busiestLoop).max,
    machineCpu = parts.map(_.machineCpu).max,
    pauseMillis = parts.map(_.pauseMillis).max,
    timeWait = parts.map(_.timeWait).max,
    listenOverflows = parts.map(_.listenOverflows).max,
    targetCpu = parts.map(_.targetCpu).max,
    openings = Openings.sum(parts.map(_.openings)),
    searchMillis = parts.map(_.searchMillis).max,
    mostUsers = parts.map(_.mostUsers).sum
  )

  private def plan(all: Vector[PlanSummary], first: PlanSummary): PlanSummary = first.copy(
    targets = all.flatMap(_.targets).distinct,
    users = all.map(_.users).sum,
    rate = all.map(_.rate).sum,
    rampMillis = all.map(_.rampMillis).max,
    durationMillis = all.map(_.durationMillis).max,
    detail = first.detail.filterNot(_._1 == Generators) :+ (Generators -> all.size.toString)
  )

  private final val Generators = "generators"
}
