package needletail.load.command

import java.nio.file.{Files, Path, Paths}

import needletail.load.analysis.verdict.{Condition, Measurement}
import needletail.load.command.options.{Options, PlanFromOptions}
import needletail.load.plan.LoadPlan

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

  /** The plan of the file, with the load of the command line if one is given. */
  private def scenario(file: Path): Either[String, LoadPlan] =
    for {
      plan <- generator.scenario(file, options.server)
      own =
        options.users.isEmpty && options.rate.isEmpty && options.requests.isEmpty && options.duration.isEmpty
      load <- if (own) Right(plan.load) else PlanFromOptions.load(options)
    } yield PlanFromOptions.asked(PlanFromOptions.instead(plan, load), options.asking)

  private def warmUp(plan: LoadPlan): Unit = if (options.warmUp.toMillis > 0) {
    val millis = options.warmUp.toMillis
    session.measure(plan, "warm-up", None, i => i.startMillis + i.lengthMillis >= millis)
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

  /** Checks that every kind that a condition names exists. */
  def known(conditions: Vector[Condition], kinds: Vector[String]): Either[String, Unit] =
    conditions.flatMap(_.kind).find(!kinds.contains(_)) match {
      case Some(kind) => Left(s"there is no kind of requests '$kind'; there are ${kinds.mkString(", ")}")
      case None       => Right(())
    }
}
