package needletail.load.command

import java.nio.file.Path

import needletail.load.engine.{Engine, Preflight}
import needletail.load.plan.LoadPlan
import needletail.load.report.Progress
import needletail.load.result.{Interval, Machine, RunResult}
import needletail.load.scenario.Scenario

/** The engine, with what it knows of this machine, and scenarios from files. */
private[load] final class EngineGenerator(interruption: Interruption = new Interruption) extends Generator {
  private val engine = new Engine(isOver = () => interruption.happened, rehearsal = Progress.rehearsal())

  def mistake(plan: LoadPlan): Option[String] = Preflight.mistake(plan).orElse(Preflight.unresolved(plan))

  def preflight(plan: LoadPlan): Machine = Preflight.machine(plan)

  def scenario(file: Path): Either[String, LoadPlan] = Scenario.read(file).left.map(_.toString)

  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = engine.run(plan, watch)
}
