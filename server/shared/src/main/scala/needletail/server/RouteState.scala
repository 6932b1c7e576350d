package needletail.server

import needletail.async.Async
import needletail.http.RouteClass

/** What one loop knows of one route: how many are under way, what became of the others. */
private[server] final class RouteState(of: RouteClass, config: OverloadConfig) {

  /** Says the same as the class itself, whose place is another's when no route has it any more. */
  val route: RouteClass = of.twin

  /** Which class that is. */
  val serial: Long = of.serial

  val isCritical: Boolean = route.priority.isCritical

  /** Null where nothing limits it. */
  val limit: InFlightLimit =
    if (config.enabled && route.adaptive && !isCritical)
      new InFlightLimit(config.target.toNanos, config, route.priority.patience)
    else null

  /** Those who came when the limit was reached; null until there was one. */
  var line: WaitingLine  = null
  private var pace: Pace = null

  /** For how long requests of this kind are off the processor of their own accord. */
  val offProcessor: OffProcessor = new OffProcessor

  /**
   * Is this a handler that has been seen to call routes? Then these are asked and not what is around them: it may stand
   * around a route that is never to be refused.
   */
  var wraps: Boolean = false

  var inFlight: Int = 0
  val latencies     = new Latencies
  val byStatus      = new Array[Long](6) // by the first digit of the status
  val refused       = new Array[Long](needletail.http.Refusal.names.length)

  /** A place in the line: true when it is let in, false when it would wait for too long. */
  def await(time: LoopTime): Async[Boolean] = {
    if (line == null) {
      val interval = config.interval.toNanos
      val patience = (config.target.toNanos * route.priority.patience).toLong
      pace = new Pace(time, config.burst.toNanos)
      line = new WaitingLine(time, pace, config.burst.toNanos, patience, 2 * interval)
    }
    if (line.isEmpty && !line.isOverloaded) pace.begin()
    line.join(0)
  }

  /** Time has passed: sends away who has waited too long. */
  def look(): Unit = line.look(0)

  /** Lets in as many as there is room for, and sends away who has waited too long. Not to be called out of a callback. */
  def letIn(): Unit = {
    while (!line.isEmpty && !limit.isFull) line.letIn()
    look()
  }

  /** Do those at its limit not even wait? */
  def isOverloaded: Boolean = isFull && line != null && line.isOverloaded

  def isFull: Boolean = limit != null && limit.isFull
}
