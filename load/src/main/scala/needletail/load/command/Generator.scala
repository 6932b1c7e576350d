package needletail.load.command

import java.nio.file.Path

import needletail.load.engine.Driver
import needletail.load.plan.LoadPlan
import needletail.load.result.Machine

/** What commands work with: the engine and what goes with it, or in their tests a model. */
trait Generator extends Driver {

  /** Why a plan cannot be run; None where it can. */
  def mistake(plan: LoadPlan): Option[String]

  /** What this machine allows, with a warning for whatever the plan comes near to. */
  def preflight(plan: LoadPlan): Machine

  /** A scenario file; where it has a mistake, its line and the reason. */
  def scenario(file: Path): Either[String, LoadPlan]
}
