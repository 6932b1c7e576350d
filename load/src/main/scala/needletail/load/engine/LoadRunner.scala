package needletail.load.engine

import needletail.load.plan.LoadPlan
import needletail.load.result.{Interval, RunResult}

/**
 * Runs load plans: the engine or, in tests of the analysis, a model of a server. Searches, ladders and single runs
 * consist of calls of `run`.
 */
trait LoadRunner {

  /**
   * Runs a plan to its end, blocking the caller, and returns the results.
   *
   * @param watch called for each interval as it ends, on the calling thread or one of the implementation's; it must be
   *   quick. If it returns false, no more load is offered and the results so far are returned
   */
  def run(plan: LoadPlan, watch: Interval => Boolean): RunResult
}
