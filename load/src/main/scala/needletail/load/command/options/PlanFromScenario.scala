package needletail.load.command.options

import scala.concurrent.duration._

import needletail.load.plan.{Kind, Load, LoadPlan, Pause}

/**
 * The plan of a scenario, with what the command line says instead. What an option does not say stays as the scenario
 * has it.
 */
private[command] object PlanFromScenario {

  /** Left is an option that does not fit. */
  def run(plan: LoadPlan, options: Options): Either[String, LoadPlan] =
    ofUrl(options.asking) match {
      case Some(option) => Left(s"$option is for a URL; the requests of a scenario say that themselves")
      case None         => loaded(plan, options).map(PlanFromOptions.asked(_, options.asking))
    }

  /** The option that would have no effect on the requests of a scenario. */
  private def ofUrl(asking: RequestOptions): Option[String] =
    if (asking.method.nonEmpty) Some("--method")
    else if (asking.body.nonEmpty) Some("--body or --size")
    else if (asking.headers.exists(!OptionValues.closes(_))) Some("--header")
    else None

  private def loaded(plan: LoadPlan, options: Options): Either[String, LoadPlan] = {
    val isForUsers = options.users.nonEmpty || options.requests.nonEmpty
    plan.load match {
      case _ if isUnchanged(options)                             => Right(plan)
      case old: Load.Closed if options.rate.isEmpty              => closed(plan, old, options)
      case old: Load.Open if options.rate.isEmpty && !isForUsers =>
        opened(old, options).map(l => plan.copy(load = l))
      case old: Load.Open if options.rate.nonEmpty =>
        replaced(
          plan,
          options.copy(
            poisson = options.poisson || old.poisson,
            connections = options.connections.orElse(Some(old.connections))
          )
        )
      case _ => replaced(plan, options)
    }
  }

  private def isUnchanged(o: Options) =
    o.users.isEmpty && o.rate.isEmpty && o.requests.isEmpty && o.duration.isEmpty && o.ramp.isEmpty &&
      o.pause == Pause.None && !o.poisson && o.connections.isEmpty

  /** Users, as in the scenario. Kinds keep their own numbers, unless another one is given for all. */
  private def closed(plan: LoadPlan, old: Load.Closed, options: Options): Either[String, LoadPlan] =
    PlanFromOptions.load(options).map { _ => // which checks that the options fit together
      val ramp     = options.ramp.getOrElse(old.ramp)
      val duration =
        if (options.duration.isEmpty && options.ramp.isEmpty) old.duration
        else options.duration.orElse(full(old)).map(ramp + _)
      val load = Load.Closed(
        users = options.users.getOrElse(old.users),
        requests = if (options.duration.nonEmpty) None else options.requests.orElse(old.requests),
        duration = if (options.requests.nonEmpty) None else duration,
        ramp = ramp,
        pause = if (options.pause == Pause.None) old.pause else options.pause
      )
      plan.copy(load = load, kinds = if (options.users.isEmpty) plan.kinds else plan.kinds.map(shared))
    }

  /** Arrivals at the scenario's own rate. */
  private def opened(old: Load.Open, options: Options): Either[String, Load] =
    if (options.pause != Pause.None) Left("--pause is for users; arrivals of a rate do not pause")
    else if (old.steps.size > 1 && (options.duration.nonEmpty || options.ramp.nonEmpty))
      Left("the scenario's rate has steps, with a duration each; give a --rate for --duration or --ramp")
    else {
      val steps = old.steps.map(s => s.copy(duration = options.duration.getOrElse(s.duration)))
      val climb = options.ramp.filter(_ > Duration.Zero).map(Load.Step(0, steps.head.from, _))
      Right(old.copy(
        steps = climb.toVector ++ steps,
        poisson = options.poisson || old.poisson,
        connections = options.connections.getOrElse(old.connections)
      ))
    }

  /** Another model or another rate, for the time of the scenario. Kinds keep the proportions of their users. */
  private def replaced(plan: LoadPlan, options: Options): Either[String, LoadPlan] = {
    val time = plan.load match {
      case old: Load.Closed => full(old)
      case old: Load.Open   => Some(old.steps.map(_.duration).reduce(_ + _))
    }
    val timed =
      if (options.requests.nonEmpty) options else options.copy(duration = options.duration.orElse(time))
    PlanFromOptions.load(timed).map(load => plan.copy(load = load, kinds = plan.kinds.map(shared)))
  }

  /** The time after the ramp; if there is none, the whole. */
  private def full(load: Load.Closed): Option[FiniteDuration] =
    load.duration.map(time => if (time > load.ramp) time - load.ramp else time)

  private def shared(kind: Kind): Kind =
    kind.copy(users = None, weight = kind.users.fold(kind.weight)(_.toDouble))
}
