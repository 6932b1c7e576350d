package needletail.load.command

import java.nio.file.{Files, Path, Paths}

import needletail.load.analysis.{Condition, Measurement}
import needletail.load.plan.LoadPlan

/** `run`: one plan, once or several times. */
private[command] final class RunCommand(session: Session, options: Options) {
  import session._

  /** The status to end with, or why it could not be run. */
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
    else Planning.run(options)
  }

  private def isScenario(name: String): Boolean = name.endsWith(".yaml") || name.endsWith(".yml")

  /** The file says what is asked of whom and how often; where the command line says another load, that one. */
  private def scenario(file: Path): Either[String, LoadPlan] =
    for {
      plan <- generator.scenario(file)
      own =
        options.users.isEmpty && options.rate.isEmpty && options.requests.isEmpty && options.duration.isEmpty
      load <- if (own) Right(plan.load) else Planning.load(options)
    } yield Planning.asked(Planning.instead(plan, load), options.asking)

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
      all += session.measure(plan, label, Planning.pause(plan))
      n += 1
    }
    all.result()
  }
}

private[command] object RunCommand {

  /** Every kind that a condition names is one of these. */
  def known(conditions: Vector[Condition], kinds: Vector[String]): Either[String, Unit] =
    conditions.flatMap(_.kind).find(!kinds.contains(_)) match {
      case Some(kind) => Left(s"no kind of requests is named $kind; there are ${kinds.mkString(", ")}")
      case None       => Right(())
    }
}
