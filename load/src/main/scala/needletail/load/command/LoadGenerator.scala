package needletail.load.command

import java.nio.file.Path

import needletail.load.engine.LoadRunner
import needletail.load.plan.LoadPlan
import needletail.load.result.Machine

/** What commands measure with: the engine or, in tests, a model of a server. */
trait LoadGenerator extends LoadRunner {

  /** Why a plan cannot be run; None if it can. */
  def mistake(plan: LoadPlan): Option[String]

  /** Limits of this machine, with a warning for each that the plan comes near to. */
  def preflight(plan: LoadPlan): Machine

  /** Reads a scenario file, with `server` instead of its target if given. Left is the error with its line and column. */
  def scenario(file: Path, server: Option[String]): Either[String, LoadPlan]
}
