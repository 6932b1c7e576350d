package needletail.load.engine

import needletail.load.plan.LoadPlan
import needletail.load.result.{Interval, RunResult}

/**
 * What drives load: the engine, or in tests of the analysis a model of a server. Searches for the knee, ladders and
 * single runs are all made of calls of `run`.
 */
trait Driver {

  /**
   * Runs a plan to its end, blocking the caller, and gives what was measured.
   *
   * @param watch
   *   is told of each interval as it ends, on a thread of the driver's; it must be quick. When it answers false, no
   *   more load is offered and what was measured until then is the result.
   */
  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult
}
