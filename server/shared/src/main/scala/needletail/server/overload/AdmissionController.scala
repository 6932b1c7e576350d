package needletail.server.overload

import needletail.async.Rejected
import needletail.http.{Gate, Refusal, Reply, Request, Response}
import needletail.http.admission.RouteClass
import needletail.http.message.Status
import needletail.server.clock.{Clock, LoopTime}
import needletail.server.failure.{HandlerFailures, MemoryExhausted}
import needletail.server.operations.LoopSnapshot

/**
 * One loop's admission control and its counts by route. A session reports its turns and its requests, and asks whether
 * a request may run. Used on the loop only, except for `runningRoute`.
 *
 * A request that is answered at once costs a few comparisons and increments, all on memory of this loop. References
 * are written only if they change, as each write of one costs a garbage collector's barrier.
 *
 * @param loops how many loops share `maxInFlight`
 */
private[server] final class AdmissionController(
    clock: Clock,
    config: OverloadConfig,
    loops: Int,
    failures: HandlerFailures
) extends Gate {
  private val routes      = new RouteStates(config)
  val noRoute: RouteState = routes.of(RouteClass.unmatched)
  private val present     = new PresentRequest
  private val time        = new LoopTime(clock, config.enabled)
  private val delay       =
    new QueueDelay(clock, time, config, Math.min(config.grace.toNanos, AdmissionController.ColdNanos))

  /** Without overload control a session's turn is limited by the number of requests alone. */
  private def slice = if (config.enabled) config.target.toNanos / 4 else Long.MaxValue / 4

  private val timer        = new RequestTimer(clock, time, delay, noRoute, config.enabled, slice)
  private val most         = AdmissionController.share(config.maxInFlight, loops)
  private val half         = Math.max(most / 2, AdmissionController.Few)
  private val refusals     = Refusal.responses(config.retryAfter.toSeconds)
  private val lastRefusals = refusals.map(_.close)
  private val waiting      =
    new WaitingRequests(clock, time, delay, timer, present, routes, refusals, config.target.toNanos / 4)

  /** Until then no request waits for the loop or for its route, so none is refused because of waiting. */
  private val graceEnd: Long = time.wall + config.grace.toNanos

  /** Requests of this loop without a complete response. */
  var inFlight: Int = 0

  /**
   * Whether more than half of what may be in flight is, and more than a few. Then no connection begins a request beside
   * those that it has in progress: the replies to those wait for each other and keep their places, which are others' as
   * well.
   */
  def isHalfFull: Boolean = inFlight > half

  /** The clock in nanoseconds, as of the end of the last piece of work. */
  def now: Long = time.wall

  // turns of sessions

  /** A session's turn begins. */
  def beginTurn(): Unit = timer.beginSession()

  /** Whether the present turn may serve one more request. If not, the rest is for the session's next turn. */
  @inline def mayServe(): Boolean = timer.mayServe()

  /** A session's turn has ended. */
  def endTurn(): Unit = timer.endTurn()

  // the current request

  /** A request is about to be handled. */
  def beginRequest(): Unit = present.begin()

  /** The handler of the current request has returned. */
  def handlerReturned(): Unit = present.handlerReturned()

  /** The route whose handler runs now; null if none does. May be wrong, as a watchdog reads it on another thread. */
  def runningRoute: RouteClass = present.runningRoute

  /** Whether a route has been found for the current request. */
  def hasRoute: Boolean = present.isAdmitted

  /** Whether the current request waits to be admitted. */
  def isWaiting: Boolean = present.isWaiting

  /** The current request, if it waits to be admitted; otherwise null. */
  def held: HeldRequest = if (isWaiting) present.held else null

  /** Whether the current request was admitted and waits in a bulkhead. */
  def waitsInside: Boolean = present.waitsInside

  /** Whether the response to the current request is a refusal. */
  def hasRefused: Boolean = present.isRefused

  /** How the current request is counted. */
  def route: RouteState = if (present.isUnknown) noRoute else present.route

  /** The route that the current request was admitted to. */
  def admittedTo: RouteState = if (present.isUnknown) noRoute else present.admittedTo

  /** The route whose limit counts the current request; null if none does, as it waits for that or was refused. */
  def limitedBy: RouteState = if (isWaiting || present.isOut) null else admittedTo

  def current: RouteClass = route.route

  // whether the current request may run; see Gate

  @inline def enter(route: RouteClass): Response = {
    val state = routes.of(route)
    if (present.isUnknown) decided(state) else enterWithin(state)
  }

  @inline private def decided(state: RouteState): Response = {
    present.admit(state)
    if (!delay.isLong && inFlight < most && !state.isFull) null else decide(state)
  }

  @noinline private def decide(state: RouteState): Response = {
    val refusal = judge(state)
    if (refusal eq Gate.hold) present.hold() else if (refusal != null) present.refuse()
    refusal
  }

  /** Decides when there may be no room: null to admit, `Gate.hold` to wait, otherwise a refusal, which is counted. */
  private def judge(state: RouteState): Response =
    if (state.isCritical) null
    else if (inFlight >= most) refused(state, Refusal.Server)
    else if (time.wall - graceEnd < 0) null
    else Gate.hold

  /**
   * Whether this is within an admitted route, or within a handler that leaves the decision to routes from now on, or has
   * been refused by another route.
   */
  @noinline private def enterWithin(state: RouteState): Response = {
    val isAtWrapper = present.isAtWrapper
    noteWrapper()
    if (isAtWrapper || present.isOut) decided(state)
    else {
      present.admitWithin(state)
      null
    }
  }

  def enterHandler(route: RouteClass): Response =
    if (present.isAdmitted) enter(route)
    else {
      val state = routes.of(route)
      noteWrapper()
      if (state.wraps) {
        present.leaveToRoutes(state)
        null
      } else {
        val refusal = decided(state)
        if (refusal == null) present.admitToHandler()
        refusal
      }
    }

  def unmatched(): Unit = {
    noteWrapper()
    present.forget()
  }

  def answeredFor(route: RouteClass): Unit = {
    noteWrapper()
    present.admit(routes.of(route))
  }

  /** A handler that is not a router has called routes. */
  private def noteWrapper(): Unit = if (present.isAtHandler) present.route.wraps = true

  def later(route: RouteClass, body: () => Reply): Reply = waiting.join(routes.of(route), body)

  def waits(): Unit = present.waitsInside = true

  def leaves(route: RouteClass): Unit = present.waitsInside = false // its handler has not returned yet

  def goesOn(): Unit = () // its handler has returned: another gate is told

  def refused(route: RouteClass, reason: Int): Response = {
    present.refuse()
    refused(routes.of(route), reason)
  }

  def failed(request: Request, cause: Throwable): Response = cause match {
    case e: Rejected     => rejected(request, Refusal.of(e))
    case MemoryExhausted => refusals(Refusal.Memory) // counted when the memory was denied
    case _               => failures.response(request, cause)
  }

  /** The request was refused by what its handler asked. It is the current one, or one whose reply comes later. */
  private def rejected(request: Request, reason: Int): Response =
    if (request == null || request.isOver) refusals(reason) // there is no client to be refused
    else {
      val late = request.lateRoute
      if (late == null) {
        val counted = route // that of the request, which may have none
        present.admit(counted)
        present.refuse()
        refused(counted, reason)
      } else {
        request.shared.wasRefused = true
        refused(routes.ofTwin(late), reason)
      }
    }

  // other requests than the current one

  /** The state of that route on this loop. */
  def stateOf(route: RouteClass): RouteState = routes.of(route)

  /** Counts a refusal of a request other than the current one, and returns the response. */
  def refusedLate(route: RouteClass, reason: Int): Response = refused(routes.of(route), reason)

  /**
   * Called when a route is found for a request whose handler had returned before; the request belongs to that route
   * from now on. Returns the same as `enter`, but `Gate.hold` only where it has to wait for room in its route: the
   * handler has begun, and does not wait for the loop again.
   */
  def enterLate(request: LateRequest, route: RouteClass): Response = {
    request.route.wraps = true
    val state   = routes.of(route)
    val refusal = judgeLate(request, state)
    if (refusal != null) request.leavesLimit() // that of its route does not count it before there is room
    request.becomes(state, isWithin = false)
    if (refusal == null) request.entersLimit(state)
    refusal
  }

  /** As `judge`; the request itself is one of those in flight, and may be one that the limit counts already. */
  private def judgeLate(request: LateRequest, state: RouteState): Response = {
    val waits = state.isFull && (request.route ne state)
    if (state.isCritical) null
    else if (inFlight > most) refused(state, Refusal.Server)
    else if (!delay.isLong && !waits || time.wall - graceEnd < 0) null
    else if (delay.isLong && delay.isOverloadedFor(state.route.priority)) refused(state, Refusal.QueueDelay)
    else if (waits) Gate.hold
    else null
  }

  /** As `later`, for a request whose handler had returned before. */
  def laterLate(request: LateRequest, route: RouteClass, body: () => Reply): Reply = {
    timer.readOutside()
    waiting.joinLate(request, routes.of(route), body)
  }

  // refusals

  private def refused(state: RouteState, reason: Int): Response = {
    state.refused(reason) += 1
    refusals(reason)
  }

  /** The refusal for that reason of `Refusal`, not counted. */
  def response(reason: Int): Response = refusals(reason)

  /** The same refusal as the last response of the connection. */
  def lastRefusal(response: Response): Response = {
    val reason = refusals.indexWhere(_ eq response)
    if (reason < 0) response.close else lastRefusals(reason)
  }

  /** Whether that is one of this controller's refusals. */
  def isRefusal(response: Response): Boolean =
    response != null && (response.status eq Status.ServiceUnavailable) && refusals.exists(_ eq response)

  // durations of requests

  /** The current request was answered at once. */
  @inline def answered(status: Int): Unit =
    if (present.isRefused) present.route.byStatus.add(status, 1)
    else timer.answered(route, status)

  /**
   * A request of that route is in flight from now on: its response comes later.
   *
   * @param limitedBy the route whose limit counts it, if its handler is waited for; null if its client is
   * @return the time in the loop's own time ([[LoopTime]])
   */
  def begin(state: RouteState, limitedBy: RouteState): Long = {
    inFlight += 1
    state.inFlight += 1
    if (!isWaiting) timer.ran(state)
    if (limitedBy != null) measure(limitedBy) else time.own
  }

  /** A request has waited in a bulkhead, maybe since the loop was last busy: as `measure`. */
  def measureAnew(state: RouteState): Long = {
    timer.readOutside()
    measure(state)
  }

  /** Counts a request in flight for that route's limit, if it has one. Returns the time in the loop's own time. */
  def measure(state: RouteState): Long = {
    if (state.limit != null) state.limit.begin(time.own)
    time.own
  }

  /**
   * A measured request no longer counts for its route's limit.
   *
   * @param beganOwn when that began, in the loop's own time
   * @param beganNanos the same by the clock
   * @param outcome see [[Outcome]]
   */
  def handled(state: RouteState, beganOwn: Long, beganNanos: Long, outcome: Int): Unit =
    if (state.limit != null) {
      timer.readOutside()
      state.ended(time, beganOwn, beganNanos, outcome)
      waiting.roomFor(state)
    }

  /** A request that was counted for `from` belongs to `to`. */
  def moved(from: RouteState, to: RouteState): Unit = {
    from.inFlight -= 1
    to.inFlight += 1
  }

  /**
   * A request that had begun has ended.
   *
   * @param status the response's status; 0 if none was sent
   * @param beganNanos when it began, by the clock
   * @param refused whether the response was a refusal; then its duration is not recorded
   */
  def end(state: RouteState, status: Int, beganNanos: Long, refused: Boolean): Unit = {
    inFlight -= 1
    state.inFlight -= 1
    if (status > 0) {
      state.byStatus.add(status, 1)
      if (!refused) state.latencies.record(clock.nanos - beganNanos, 1)
    }
  }

  /**
   * Updates limits as time passes, even without responses. To be called ten times a second while the loop has
   * connections.
   */
  def tick(): Unit = {
    timer.readOutside()
    routes.foreach { state =>
      if (state.limit != null && state.inFlight > 0) {
        state.limit.look(time.own)
        if (state.queue != null) state.look()
        waiting.roomFor(state)
      }
    }
  }

  // reports

  /** Whether more requests arrive than the loop can serve, so that not even a burst may wait. */
  def isOverloaded: Boolean = delay.isOverloaded

  /** Copies the counts to a snapshot. */
  def report(into: LoopSnapshot): Unit = {
    into.inFlight = inFlight
    into.isOverloaded = isOverloaded
    into.routes = routes.snapshots
  }

  /** Calls `f` for each route, in the order of their first requests. */
  def foreach(f: RouteState => Unit): Unit = routes.foreach(f)
}

private[server] object AdmissionController {

  /** As many places as one connection may take by pipelining, however few there are. */
  private final val Few = 16

  /** A loop's part of so many requests, rounded up. */
  def share(maxInFlight: Int, loops: Int): Int = (maxInFlight - 1) / loops + 1

  /** Until a loop has worked on requests for this long in all it is cold, however long ago it was started. */
  final val ColdNanos = 1000L * 1000 * 1000
}
