package needletail.load.command

import java.nio.file.Path

import needletail.load.engine.{Engine, Preflight}
import needletail.load.plan.LoadPlan
import needletail.load.result.{Interval, Machine, RunResult}

/** The real thing. */
private[load] final class EngineGenerator extends Generator {
  private val engine = new Engine

  def mistake(plan: LoadPlan): Option[String] = Preflight.mistake(plan)

  def preflight(plan: LoadPlan): Machine = Preflight.machine(plan)

  def scenario(file: Path): Either[String, LoadPlan] = Left(s"$file: scenarios are not read yet")

  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = engine.run(plan, watch)
}
