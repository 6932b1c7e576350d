package needletail.load.analysis.search

import scala.concurrent.duration._

import needletail.load.analysis.verdict._
import needletail.load.plan.Load
import needletail.load.result.Interval

/**
 * Measures a server by the five criteria: light load; then users doubled until more of them increase the rate no
 * further; then the rate that satisfies the objective, doubled, bisected and held; then shares of it; then twice the
 * rate that the server can handle, and the recovery.
 *
 * @param measure runs a load under a label; stops early when told after a second that this is enough
 * @param stopped whether to return what has been measured so far
 */
final class CapacitySearch(
    measure: (Load, String, Interval => Boolean) => Measurement,
    objective: Vector[Condition],
    limits: SearchLimits,
    pause: Option[FiniteDuration],
    stopped: () => Boolean
) {
  private val trials = new Trials(measure, objective, limits)
  import trials.*

  private var notHeld      = Option.empty[Double]      // see `Characterisation.notHeld`
  private var lowest       = Option.empty[Measurement] // see `Characterisation.lowest`
  private var quietSeconds = 0                         // what passes between answers of light load

  /** The result. Left is the reason if light load got no good responses: then there is nothing to characterise. */
  def run(): Either[String, Characterisation] = {
    val warm = measure(closed(8, limits.step * 2), "warm-up", _ => false)
    TotalFailure.reason(warm.run).toLeft(step(closed(1, limits.step), "light load", _ => false)).flatMap(from)
  }

  private def from(light: Measurement): Either[String, Characterisation] =
    TotalFailure.reason(light.run) match {
      case Some(reason) => Left(reason)
      case None         =>
        shortest = (light.percentile(99) * Answers).nanos
        quietSeconds = (light.percentile(99) / 1000000000L).toInt
        val throughput = if (stopped()) None else throughputSearch(light)
        val latency    = if (stopped()) None else throughput.flatMap(most => latencySearch(most.rate.high))
        val isCut      = stopped()
        val tail       = latency.fold(Vector.empty[TailAt])(tails)
        val overload   =
          if (stopped()) None else throughput.map(most => overloaded(highest(most, latency), latency))
        Right(Characterisation(
          objective,
          light,
          throughput.map(highest(_, latency)),
          latency,
          tail,
          overload,
          steps,
          pause,
          interrupted = stopped(),
          notHeld = notHeld,
          lowest = if (latency.isEmpty) lowest else None,
          latencyInterrupted = isCut
        ))
    }

  // Throughput: users doubled, then the fewest that reach the rate, then held.

  private def throughputSearch(light: Measurement): Option[Throughput] = {
    var tried = Vector(1 -> light)
    var users = 2
    var flat  = 0 // successive doublings without a higher rate
    var above = generatorLimit(light)
    while (users <= limits.mostUsers && flat < Flat && above.isEmpty && !stopped()) {
      val best     = tried.map(_._2).map(rate).max
      val measured = step(closed(users, triedFor), people(users), _ => false)
      tried :+= users -> measured
      above = generatorLimit(measured) // before the server is blamed: failures may be its own
      if (!tolerable(measured)) above = above.orElse(Some(Above.Failures(measured)))
      else if (rate(measured) <= best * 1.05) flat += 1
      else flat = 0
      users *= 2
    }
    val good = tried.filter(t => tolerable(t._2))
    if (good.isEmpty) None
    else {
      val best          = good.map(t => rate(t._2)).max
      val (enough, its) = good.find(t => rate(t._2) >= best * Enough).getOrElse(good.last)
      if (stopped())
        Some(
          Throughput(
            Range(best, best, open = true),
            enough,
            its,
            None,
            Above.Interruption,
            its.verdict(Metric.Rate),
            isHeld = false
          )
        )
      else {
        val bound = if (flat < Flat) Above.Bound(limits.mostUsers) else Above.NoMore
        Some(fewestHeld(good.map(_._1), enough, best, above.getOrElse(bound)))
      }
    }
  }

  private def generatorLimit(measured: Measurement): Option[Above] =
    if (measured.verdict(Metric.Rate).isClient) Some(Above.Generator(measured)) else None

  private def fewestHeld(tried: Vector[Int], enough: Int, best: Double, ended: Above): Throughput = {
    val fewest        = fewestUsers(tried.takeWhile(_ < enough).lastOption.getOrElse(0), enough, best)
    val held          = step(closed(fewest, heldFor), s"${people(fewest)}, held", _ => false)
    val (least, most) = held.window.quarters
    val above         = generatorLimit(held).getOrElse(if (stopped()) Above.Interruption else ended)
    val open          = above != Above.NoMore && !above.isInstanceOf[Above.Failures]
    Throughput(
      Range(least, most, open),
      fewest,
      held,
      None,
      above,
      throughputVerdict(held, above, None),
      isHeld = held.isComplete
    )
  }

  /**
   * With the highest rate of all steps so far. The capacity for latency counts as what was offered when it was held, as
   * no more than some hundredths of that were answered later. No step of a rate counts as more than it offered.
   */
  private def highest(most: Throughput, latency: Option[Capacity]): Throughput = {
    val held                              = latency.filter(knee => satisfied(knee.held))
    def highestOf(m: Measurement): Double =
      held.filter(_.held eq m).fold(m.sustainedRate)(knee => math.max(m.sustainedRate, knee.rate.low))
    val fastest = steps
      .filter(m => m.isComplete && tolerable(m) && !(m eq most.held))
      .maxByOption(highestOf)
      .filter(highestOf(_) > most.rate.high)
    // the highest rate that was asked for, and it was reached
    val isAsked = fastest.exists(f =>
      f.verdict(Metric.Rate).limit == Limit.Load && steps.forall(_.run.plan.rate <= f.run.plan.rate)
    )
    val verdict = throughputVerdict(most.held, most.above, fastest)
    most.copy(
      rate = Range(
        most.rate.low,
        fastest.fold(most.rate.high)(highestOf),
        most.rate.open || isAsked
      ),
      fastest = fastest,
      verdict = if (isAsked && verdict.limit == Limit.Server) Verdict.Load else verdict
    )
  }

  /** Of the steps that the throughput is from; each cause names its step if there are several. */
  private def throughputVerdict(held: Measurement, above: Above, fastest: Option[Measurement]): Verdict = {
    val limited = above match {
      case Above.Generator(at) if !(at eq held) => Some(at)
      case _                                    => None
    }
    val others = (limited ++ fastest.filter(_.verdict(Metric.Rate).causes.nonEmpty)).toVector.distinct
    if (others.isEmpty) held.verdict(Metric.Rate)
    else (held +: others).map(m => m.verdict(Metric.Rate).at(m.label)).reduce(_ and _)
  }

  /** Bisects between a number of users that does not reach the rate, and one that does. */
  private def fewestUsers(tooFew: Int, enough: Int, best: Double): Int = {
    var (low, high) = (tooFew, enough)
    while (high - low > math.max(1, high / 8) && !stopped()) {
      val middle   = (low + high) / 2
      val measured = step(closed(middle, triedFor), people(middle), _ => false)
      if (rate(measured) >= best * Enough && tolerable(measured)) high = middle else low = middle
    }
    high
  }

  // Latency: the rate doubled until the objective fails, then bisected, then held.

  private def latencySearch(most: Double): Option[Capacity] = {
    var low     = 0.0             // satisfied the objective
    var high    = Double.MaxValue // did not
    var next    = math.min(limits.mostRate, math.max(1, most / 8))
    var limited = Option.empty[Verdict]
    var found   = Option.empty[Measurement]

    def attempt(rate: Double): Unit = {
      val measured = tryRate(rate, triedFor, s"${Quantity.rate(rate)}")
      if (!satisfied(measured) && lowest.forall(rate < _.run.plan.rate)) lowest = Some(measured)
      clientLimit(measured) match {
        case Some(verdict) if !satisfied(measured) =>
          limited = Some(verdict.at(measured.label))
          high = rate
        case _ if satisfied(measured) =>
          low = rate
          found = Some(measured)
        case _ =>
          high = rate
          settle()
      }
    }

    while (high == Double.MaxValue && next <= limits.mostRate && limited.isEmpty && !stopped()) {
      attempt(next)
      next = if (next < limits.mostRate) math.min(next * 2, limits.mostRate) else Double.MaxValue
    }
    // not even the first rate satisfied it
    while (low == 0 && high > 1 && high < Double.MaxValue && limited.isEmpty && !stopped()) attempt(high / 4)
    while (low > 0 && high < Double.MaxValue && high / low > Precision && !stopped())
      attempt(math.sqrt(low * high))
    if (low == 0 || stopped())
      found.map(m =>
        Capacity(
          Range(low, low, open = true),
          concurrency(m),
          m,
          isHeld = false,
          doubt(m, limited, failedAbove = false)
        )
      )
    else hold(low, high, limited)
  }

  /**
   * Held at the rate that was found or, if the server cannot sustain it, at lower ones, some `MostLowered` of them. None
   * if it sustains none, or if the user has interrupted the search before one was found.
   */
  private def hold(found: Double, failed: Double, limited: Option[Verdict]): Option[Capacity] = {
    var rate     = found
    var high     = failed
    var attempts = 0
    var held     = tryRate(rate, heldFor, s"${Quantity.rate(rate)}, held")
    while (
      !satisfied(held) && clientLimit(held).isEmpty && rate > 1 && attempts < MostLowered && !stopped()
    ) {
      settle()
      high = rate
      attempts += 1
      rate = math.max(1, rate * lowered(attempts))
      held = tryRate(rate, heldFor, s"${Quantity.rate(rate)}, held")
    }
    // a rate that the interruption lets not be reached says nothing against it
    val isGood = satisfied(held) || stopped() && held.check(objective).forall(_.held)
    if (!isGood && clientLimit(held).isEmpty) {
      if (!stopped()) {
        notHeld = Some(rate)
        lowest = Some(held)
      }
      None
    } else {
      // a failure caused by the generator is no upper bound
      val open = limited.nonEmpty || high == Double.MaxValue
      Some(
        Capacity(
          Range(rate, if (open) rate else high, open),
          concurrency(held),
          held,
          isHeld = held.isComplete,
          doubt(held, limited, failedAbove = !open)
        )
      )
    }
  }

  /** In small steps at first, as most servers sustain almost what they reach for a short time. */
  private def lowered(attempts: Int): Double =
    if (attempts < 3) 0.97 else if (attempts < 7) 0.9 else if (attempts < 9) 0.5 else 0.25

  private def tails(knee: Capacity): Vector[TailAt] = {
    val below = Vector(0.5, 0.8).takeWhile(_ => !stopped()).map { share =>
      val at = knee.rate.low * share
      TailAt(share, tryRate(at, triedFor, s"${Quantity.share(share)} of the limit"))
    }
    below :+ TailAt(1, knee.held)
  }

  // Error handling: twice the rate that it can handle, and then hardly any.

  private def overloaded(most: Throughput, latency: Option[Capacity]): Overload = {
    val asked    = math.min(limits.mostRate, 2 * math.max(most.rate.high, latency.fold(0.0)(_.rate.low)))
    val measured = step(open(asked, triedFor * 2), s"overload: ${Quantity.rate(asked)}", _ => false)
    Overload(asked, measured, recover(measured))
  }

  private def recover(after: Measurement): Recovery = {
    var seen  = Vector.empty[Interval]
    val watch = step(
      closed(1, RecoveryLimit, ramp = false),
      "recovery",
      second => {
        seen :+= second
        calmFrom(seen).nonEmpty
      }
    )
    val ended = after.run.startedMillis + after.run.loadMillis + after.run.backlogMillis
    val calm  = calmFrom(watch.run.intervals)
    Recovery(
      after.run.backlogMillis,
      calm.map(i => math.max(0, watch.run.startedMillis + watch.run.intervals(i).startMillis - ended)),
      math.max(0, watch.run.startedMillis + watch.run.loadMillis - ended)
    )
  }

  /**
   * The first of three successive seconds with answers that satisfy the objective. As many without an answer may be
   * between two of them as with light load, by which one user of a slow server gets one every few seconds.
   */
  private def calmFrom(seconds: Vector[Interval]): Option[Int] = {
    var (first, calm, quiet) = (0, 0, 0)
    seconds.indices.find { i =>
      if (seconds(i).total.requests == 0) {
        quiet += 1
        if (quiet > quietSeconds) calm = 0
      } else {
        quiet = 0
        if (!Objective.holds(objective, seconds(i))) calm = 0
        else {
          if (calm == 0) first = i
          calm += 1
        }
      }
      calm >= 3
    }.map(_ => first)
  }

  // Evaluation.

  /**
   * The verdict on the highest rate that satisfied the objective. Latency added by the generator was within the
   * objective too, so only doubts about the rate itself count. A rate that was simply the requested one is the
   * server's limit if a higher one failed.
   */
  private def doubt(measured: Measurement, limited: Option[Verdict], failedAbove: Boolean): Verdict = {
    val own =
      if (!satisfied(measured)) measured.diagnosis.overall
      else {
        val verdict = measured.verdict(Metric.Rate)
        if (verdict.limit == Limit.Load && failedAbove) Verdict.Server else verdict
      }
    limited.fold(own)(_ and own.at(measured.label))
  }

  private def people(users: Int): String = if (users == 1) "1 user" else s"$users users"

  /** Successive doublings without a higher rate: a single one may be a disturbance of the machine. */
  private final val Flat = 3

  /** The share of the highest rate that counts as having reached it. */
  private final val Enough = 0.95

  /** Bisection ends when the lowest failing rate is at most this times the highest good one. */
  private final val Precision = 1.025

  /** Lower rates that are held: the last is less than a thousandth of the first. Each takes some time. */
  private final val MostLowered = 12

  /** How many answers a user of a load must be able to get one after the other, for its rate to mean something. */
  private final val Answers = 3
}
