package needletail.load.engine

import needletail.load.engine.compiled.ExecutablePlan
import needletail.load.plan.{Load, LoadPlan, Pause, Trust, UserShares}
import needletail.load.result.PlanSummary

/** Describes a plan for reports. */
private[load] object PlanDescription {
  def of(compiled: ExecutablePlan): PlanSummary = {
    val plan = compiled.plan
    val base = PlanSummary(
      name = plan.name,
      targets = plan.kinds.flatMap(_.requests.map(_.url)).distinct,
      model = "",
      users = 0,
      rate = 0,
      rampMillis = 0,
      durationMillis = 0,
      timeoutMillis = plan.timeout.toMillis,
      keepAlive = plan.keepAlive,
      pipelining = plan.pipelining,
      detail = Vector.empty,
      bandNanos = plan.bands.map(_.toNanos)
    )
    plan.load match {
      case closed: Load.Closed => ofClosed(base, compiled, closed)
      case open: Load.Open     => ofOpen(base, plan, open)
    }
  }

  private def ofClosed(base: PlanSummary, compiled: ExecutablePlan, load: Load.Closed): PlanSummary = {
    val users = UserShares.of(compiled.plan.kinds, load)
    val kinds =
      if (users.size < 2) Vector.empty
      else compiled.kinds.map(k => s"users of ${k.plan.name}" -> users(k.index).toString)
    base.copy(
      model = "closed",
      users = users.sum,
      rampMillis = load.ramp.toMillis,
      durationMillis = load.duration.fold(0L)(_.toMillis),
      detail = load.requests.map(n => "requests of each user" -> n.toString).toVector ++
        pauses(compiled.plan, load.pause) ++ kinds ++ common(compiled.plan)
    )
  }

  /** How many milliseconds it takes until the highest rate is reached. */
  private[load] def ramp(load: Load.Open): Long = {
    val reached = load.steps.map(s => math.max(s.from, s.to)).max
    val before  = load.steps.takeWhile(s => math.max(s.from, s.to) < reached)
    before.map(_.duration.toMillis).sum +
      load.steps.lift(before.size).filter(_.from < reached).fold(0L)(_.duration.toMillis)
  }

  private def ofOpen(base: PlanSummary, plan: LoadPlan, load: Load.Open): PlanSummary = {
    val reached = load.steps.map(s => math.max(s.from, s.to)).max
    base.copy(
      model = "open",
      users = load.connections,
      rate = reached,
      rampMillis = ramp(load),
      durationMillis = load.steps.map(_.duration.toMillis).sum,
      detail = Vector("arrivals" -> (if (load.poisson) "by chance (Poisson)" else "at constant distances")) ++
        (if (load.steps.size < 2) Vector.empty else Vector("steps" -> load.steps.map(step).mkString(", "))) ++
        (if (plan.kinds.size < 2) Vector.empty
         else plan.kinds.map(k => s"weight of ${k.name}" -> number(k.weight))) ++
        pauses(plan, Pause.None) ++ common(plan)
    )
  }

  private def step(s: Load.Step): String =
    if (s.from == s.to) s"${number(s.from)}/s for ${s.duration.toMillis} ms"
    else s"${number(s.from)} to ${number(s.to)}/s over ${s.duration.toMillis} ms"

  private def pauses(plan: LoadPlan, general: Pause): Vector[(String, String)] =
    (if (general == Pause.None) Vector.empty else Vector("pause" -> describe(general))) ++
      plan.kinds.flatMap(k => k.pause.map(p => s"pause of ${k.name}" -> describe(p)))

  private def describe(pause: Pause): String = pause match {
    case Pause.None                    => "none"
    case Pause.Constant(time)          => s"${time.toMillis} ms"
    case Pause.Uniform(least, most)    => s"${least.toMillis} to ${most.toMillis} ms, uniform"
    case Pause.Normal(mean, deviation) =>
      s"|normal| of ${mean.toMillis} ms, deviation ${deviation.toMillis} ms"
  }

  private def common(plan: LoadPlan): Vector[(String, String)] =
    Vector(
      "connect timeout" -> s"${plan.connectTimeout.toMillis} ms",
      "good statuses"   -> plan.goodStatuses.toVector.sorted.mkString(", ")
    ) ++ trust(plan) ++
      plan.certificate.map(own => PlanSummary.OwnCertificate -> own.chain) ++
      (if (plan.resumesTls) None else Some("TLS sessions" -> "new")) ++
      (if (plan.sources.isEmpty) None else Some("sources" -> plan.sources.mkString(", ")))

  private def trust(plan: LoadPlan): Option[(String, String)] = plan.trust match {
    case Trust.System             => None
    case Trust.Certificates(file) => Some("certificates" -> s"those of $file")
    case Trust.Anybody            => Some("certificates" -> "any")
  }

  private def number(n: Double): String = if (n == n.toLong) n.toLong.toString else n.toString
}
