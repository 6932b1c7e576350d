package needletail.load.command

import java.nio.file.{Files, Path, Paths}

import scala.concurrent.duration.{Duration, FiniteDuration}

import needletail.load.analysis.verdict.{Condition, Measurement}
import needletail.load.command.options.{Options, PlanFromOptions, PlanFromScenario}
import needletail.load.plan.{Load, LoadPlan}

/** `run`: one plan, once or several times. */
private[command] final class RunCommand(session: CommandContext, options: Options) {
  import session._

  /** Runs it. Returns the exit status; Left is the reason why the plan could not be run. */
  def run(): Either[String, Int] =
    for {
      plan <- plan
      _    <- RunCommand.known(options.assertions, plan.kinds.map(_.name))
      _    <- session.preflight(plan)
    } yield {
      warmUp(plan)
      val measured = repeat(plan)
      RunReport(session, options, "run", plan.name, measured)
    }

  private def plan: Either[String, LoadPlan] = {
    val file = Paths.get(options.target)
    if (!options.target.contains("://") && (isScenario(options.target) || Files.isRegularFile(file)))
      scenario(file)
    else if (options.server.nonEmpty) Left("--target is only for scenario files")
    else PlanFromOptions.run(options)
  }

  private def isScenario(name: String): Boolean = name.endsWith(".yaml") || name.endsWith(".yml")

  /** The plan of the file, with what the command line says instead. */
  private def scenario(file: Path): Either[String, LoadPlan] =
    for {
      read <- generator.scenario(file, options.server)
      plan <- PlanFromScenario.run(read, options)
    } yield plan

  private def warmUp(plan: LoadPlan): Unit = if (options.warmUp.toMillis > 0) {
    val millis  = options.warmUp.toMillis
    val warming = plan.copy(load = RunCommand.lasting(plan.load, options.warmUp))
    session.measure(warming, "warm-up", None, i => i.startMillis + i.lengthMillis >= millis)
    ()
  }

  private def repeat(plan: LoadPlan): Vector[Measurement] = {
    val all = Vector.newBuilder[Measurement]
    var n   = 1
    while (n <= options.repeat && !(n > 1 && interrupted)) {
      val label = if (options.repeat == 1) "run" else s"run $n of ${options.repeat}"
      all += session.measure(plan, label, PlanFromOptions.pause(plan))
      n += 1
    }
    all.result()
  }
}

private[command] object RunCommand {

  /** The same load for at least that time: a rate stays as it is at the end of the plan. */
  def lasting(load: Load, time: FiniteDuration): Load = load match {
    case users: Load.Closed  => users.copy(requests = None, duration = Some(time))
    case arrivals: Load.Open =>
      val missing = time - arrivals.steps.map(_.duration).reduce(_ + _)
      val last    = arrivals.steps.last
      val rate    = if (last.to > 0) last.to else last.from
      if (missing <= Duration.Zero) arrivals
      else arrivals.copy(steps = arrivals.steps :+ Load.Step(rate, rate, missing))
  }

  /** Checks that every kind that a condition names exists. */
  def known(conditions: Vector[Condition], kinds: Vector[String]): Either[String, Unit] =
    conditions.flatMap(_.kind).find(!kinds.contains(_)) match {
      case Some(kind) => Left(s"there is no kind of requests '$kind'; there are ${kinds.mkString(", ")}")
      case None       => Right(())
    }
}
