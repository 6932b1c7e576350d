package needletail.server

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
  var waiting: WaitingLine = null

  /**
   * Is this a handler that has been seen to call routes? Then these are asked and not what is around them: it may stand
   * around a route that is never to be refused.
   */
  var wraps: Boolean = false

  var inFlight: Int = 0
  val latencies     = new Latencies
  val byStatus      = new Array[Long](6) // by the first digit of the status
  val refused       = new Array[Long](needletail.http.Refusal.names.length)

  /** A place to wait in, null where waiting is of no use. */
  def lineToWaitIn(now: Long): WaitingLine =
    if (!limit.isOpenEnded(now)) null
    else {
      if (waiting == null) waiting = new WaitingLine(limit, config.interval.toNanos, config.initialInFlight)
      if (waiting.isFull) null else waiting
    }

  def isFull: Boolean = limit != null && limit.isFull
}
