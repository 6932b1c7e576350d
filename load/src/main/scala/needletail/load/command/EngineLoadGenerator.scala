package needletail.load.command

import java.nio.file.Path

import needletail.load.engine.{Engine, Preflight}
import needletail.load.engine.compiled.NameResolver
import needletail.load.plan.{LoadPlan, PlanCheck}
import needletail.load.report.text.Progress
import needletail.load.result.{Interval, Machine, RunResult}
import needletail.load.scenario.Scenario

/** Generates load with the engine, and reads scenarios from files. */
private[load] final class EngineLoadGenerator(interruption: Interruption = new Interruption)
    extends LoadGenerator {
  private val names  = new NameResolver
  private val engine =
    new Engine(isOver = () => interruption.happened, rehearsal = Progress.rehearsal(), names = names)

  def mistake(plan: LoadPlan): Option[String] =
    PlanCheck.mistake(plan).orElse(Preflight.tooManyUsers(plan)).orElse(Preflight.unresolved(plan, names))

  def preflight(plan: LoadPlan): Machine = Preflight.machine(plan, names)

  def scenario(file: Path, server: Option[String]): Either[String, LoadPlan] =
    Scenario.read(file, server).left.map(_.toString)

  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = engine.run(plan, watch)
}
