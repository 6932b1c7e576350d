package needletail.load.analysis.search

import scala.concurrent.duration._

import needletail.load.analysis.verdict._
import needletail.load.plan.Load
import needletail.load.result.Interval

/**
 * The loads that a [[CapacitySearch]] puts on a server one after the other, and what each shows by itself: parameters as
 * there.
 */
private[search] final class Trials(
    measure: (Load, String, Interval => Boolean) => Measurement,
    objective: Vector[Condition],
    limits: SearchLimits
) {
  private var all = Vector.empty[Measurement]

  /** Those that are reported, in order. */
  def steps: Vector[Measurement] = all

  /** The least time for which a load shows whether the server keeps up. */
  var shortest: FiniteDuration = Duration.Zero

  def triedFor: FiniteDuration = limits.step.max(shortest)
  def heldFor: FiniteDuration  = limits.hold.max(shortest)

  def closed(users: Int, length: FiniteDuration, ramp: Boolean = true): Load = {
    val climb = if (ramp) rampOf(length) else Duration.Zero
    Load.Closed(users, None, Some(length + climb), climb)
  }

  def open(rate: Double, length: FiniteDuration): Load = {
    val climb = rampOf(length)
    val steps = Vector(Load.Step(rate / 2, rate, climb), Load.Step(rate, rate, length))
    Load.Open(steps, limits.poisson, limits.connections)
  }

  /** A second, in which connections are opened and code is warmed up; less if a step is short. */
  private def rampOf(length: FiniteDuration): FiniteDuration =
    if (length >= 2.seconds) 1.second else length / 2

  def tryRate(rate: Double, length: FiniteDuration, label: String): Measurement =
    step(open(rate, length), label, Objective.lost(objective, _))

  def step(load: Load, label: String, enough: Interval => Boolean): Measurement = {
    val measured = measure(load, label, enough)
    all :+= measured
    measured
  }

  private def discard(load: Load, label: String, enough: Interval => Boolean): Unit = {
    measure(load, label, enough)
    ()
  }

  /** Waits until the server has recovered from an excessive load, so that it does not affect the next one. */
  def settle(): Unit = {
    var calm = 0
    discard(
      closed(1, RecoveryLimit, ramp = false),
      "rest",
      second => {
        calm = if (Objective.holds(objective, second)) calm + 1 else 0
        calm >= 1
      }
    )
  }

  // Evaluation.

  def rate(measured: Measurement): Double = measured.figure(Metric.Rate).getOrElse(0.0)

  def tolerable(measured: Measurement): Boolean =
    measured.figure(Metric.Errors).exists(_ <= Objective.tolerable(objective))

  /**
   * Whether the objective is satisfied, and all requests that became due were answered: otherwise a queue is growing. That
   * answers come later than their requests become due is none ([[Window.goodRate]]).
   */
  def satisfied(measured: Measurement): Boolean =
    measured.check(objective).forall(_.held) && rate(measured) >= measured.window.dueRate * 0.97

  def clientLimit(measured: Measurement): Option[Verdict] =
    Some(measured.diagnosis.overall).filter(_.isClient)

  /** By Little's law, without requests that wait for a connection: no more than there is room for on connections. */
  def concurrency(m: Measurement): Double = math.min(
    limits.connections.toDouble * m.run.plan.pipelining,
    m.sustainedRate * m.window.total.service.getMean / 1e9
  )

  final val RecoveryLimit: FiniteDuration = 30.seconds
}
