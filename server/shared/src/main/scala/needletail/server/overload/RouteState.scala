package needletail.server.overload

import needletail.async.Async
import needletail.http.admission.RouteClass
import needletail.metrics.Histogram
import needletail.server.clock.{LoopTime, OffCpuTime}
import needletail.server.operations.{RouteSnapshot, StatusCounts}

/** One loop's data of one route: its limit, the requests that wait for it, and its counts. */
private[server] final class RouteState(of: RouteClass, config: OverloadConfig) {

  /** A copy: the original must not be kept, since its index is reused when nothing else refers to it. */
  val route: RouteClass = of.twin

  /** The links of [[RouteStates]]. */
  var previous: RouteState = null
  var next: RouteState     = null

  /** Its place in the order of [[RouteStates.foreach]]. */
  var ordinal: Long = 0

  /** Identifies the original. */
  val serial: Long = of.serial

  val isCritical: Boolean = route.priority.isCritical

  /** Null if the route has no adaptive limit. */
  val limit: InFlightLimit =
    if (config.enabled && route.adaptive && !isCritical)
      new InFlightLimit(config.target.toNanos, config, route.priority.patience)
    else null

  /** Requests that arrived when the limit was reached; null before the first. */
  var queue: AdmissionQueue       = null
  private var rate: AdmissionRate = null

  /** How long requests of this route are off the processor because of what they do themselves. */
  val offCpu: OffCpuTime = new OffCpuTime

  /**
   * Whether this is a handler that has called routes. Then the limits of those routes apply and not its own, since one
   * of them may be critical.
   */
  var wraps: Boolean = false

  /** Requests in flight. */
  var inFlight: Int = 0

  /** From the head of a request to the end of its response; refused requests are not recorded. */
  val latencies = new Histogram(Histogram.coarse)

  /** Requests answered, by status. */
  val byStatus = new StatusCounts

  /** Requests refused, by the reasons of `Refusal`. */
  val refused = new Array[Long](needletail.http.Refusal.names.length)

  /**
   * Waits for room within the limit. Completes with true when the request is admitted, false if it would wait too
   * long.
   */
  def await(time: LoopTime): Async[Boolean] = {
    if (queue == null) {
      val interval = config.interval.toNanos
      val patience = (config.target.toNanos * route.priority.patience).toLong
      rate = new AdmissionRate(time, config.burst.toNanos)
      queue = new AdmissionQueue(time, rate, config.burst.toNanos, patience, 2 * interval)
    }
    if (queue.isEmpty && !queue.isOverloaded) rate.begin()
    queue.join(0)
  }

  /** Refuses requests that have waited too long. */
  def look(): Unit = queue.look(0)

  /** Whether a request waits that there is room for. */
  def hasRoom: Boolean = queue != null && !queue.isEmpty && !limit.isFull

  /** Whether its limit is reached, or others wait for it: a request that arrives then must wait as well. */
  def isFull: Boolean = limit != null && (limit.isFull || queue != null && !queue.isEmpty)

  /** A request no longer counts for the limit. It began at those times, by both clocks; see [[Outcome]]. */
  def ended(time: LoopTime, beganOwn: Long, beganWall: Long, outcome: Int): Unit =
    if (outcome == Outcome.Failed) limit.failed(time.own, time.wall - beganWall)
    else {
      val nanos = if (outcome == Outcome.Answered) time.own - beganOwn else -1
      limit.ended(time.own, nanos, time.wall - beganWall)
    }

  /** A copy of the counts, for another thread. */
  def snapshot(): RouteSnapshot = new RouteSnapshot(
    route,
    inFlight,
    if (limit == null) -1 else limit.limit,
    latencies.copy(),
    byStatus.copy(),
    refused.clone()
  )
}
