package needletail.server

import needletail.async.{Async, Rejected}
import needletail.http.{Gate, Refusal, Reply, Request, Response, RouteClass, Status}

/**
 * One loop's limiter and its counts by route: what a session tells of its turns and requests goes through here.
 *
 * On the way of a request that is answered at once it costs a few comparisons and increments, all on memory of this
 * loop; references are written where they change only, as each write of one costs the collector a mark. The clock is
 * read at the end of a turn of the loop, and within it now and then: as long as requests are fast, the time of several
 * is shared out among them.
 *
 * @param loops how many there are to share `maxInFlight`
 */
private[server] final class Admission(
    clock: Clock,
    config: OverloadConfig,
    loops: Int,
    failures: HandlerFailures
) extends Gate
    with Runnable {
  private val time     = new LoopTime(clock, config.enabled)
  private val delay    = new QueueDelay(time, config, Math.min(config.grace.toNanos, Admission.ColdNanos))
  private val enabled  = config.enabled
  private val most     = Math.max(1, (config.maxInFlight + loops - 1) / loops)
  private val refusals = Refusal.responses(config.retryAfter.toSeconds)
  private val lasts    = refusals.map(_.close)
  private val slice    = config.target.toNanos / 4

  private var states: Array[RouteState] = new Array(16)
  private var inOrder                   = Vector.empty[RouteState]
  private val retired                   = new RetiredRoutes
  val noRoute: RouteState               = stateOf(RouteClass.unmatched)

  /** Requests whose answer is awaited or on its way, on this loop. */
  var inFlight: Int = 0

  /** The route of the last request that had one. */
  private var present: RouteState = null

  /** What is known of the present request: nothing yet, that it is of that route, that it was refused, or waits. */
  private var known: Int = Admission.Nothing

  /** Does a handler run? */
  private var running: Boolean = false

  /** Whose handler runs now, null for none, for a watchdog on another thread; a guess, as it is not synchronised. */
  def runningRoute: RouteClass = {
    val state = present
    if (!running || state == null) null else state.route
  }

  /** The clock at the end of the last piece of work. */
  def now: Long = time.wall

  /** Until then nobody waits for the loop or a route's limit, and so nobody is refused for having waited. */
  private val graceEnd: Long = time.wall + config.grace.toNanos

  /** Whose handler has run since the clock was read, without an answer at once. */
  private var hasRun: RouteState = null

  // Requests that were answered at once, of one route and with one status: what they took is known when the clock
  // is read, and they are counted then.
  private var batch: RouteState = noRoute
  private var batchStatus: Int  = 200
  private var batched: Int      = 0
  private var batchFrom: Long   = time.wall

  private var loopTurn: Long   = Long.MinValue // the turn of the loop that this is told of
  private var endedTurn: Long  = Long.MinValue // the last one whose end was seen
  private var sinceRead: Int   = 0             // turns of sessions since the clock was read
  private var wasSlow: Boolean = false         // the last ones took long: each is timed

  // turns

  def beginTurn(): Unit = if (clock.turnNanos != loopTurn) nextTurn()

  private def nextTurn(): Unit = {
    loopTurn = clock.turnNanos
    delay.nextTurn(loopTurn)
    batchFrom = time.wall
    clock.atTurnEnd(this)
  }

  def endTurn(): Unit = {
    sinceRead += 1
    // what comes after the end of the loop's turn was seen would have to wait for the next one's
    if (sinceRead >= Admission.ReadEvery || wasSlow || delay.isLong || endedTurn == loopTurn)
      readClock()
  }

  /** The end of the loop's turn. */
  def run(): Unit = {
    endedTurn = loopTurn
    readClock()
  }

  @noinline private def readClock(): Unit = {
    time.read(if (batched > 0) batch.offProcessor else if (hasRun != null) hasRun.offProcessor else null)
    if (hasRun != null) hasRun = null
    val took = time.wall - batchFrom
    val each = if (sinceRead > 1) took / sinceRead else took
    wasSlow = each > Admission.SlowNanos
    if (batched > 0) {
      // of several turns that took long together it was most likely one
      if (wasSlow && sinceRead > 1 && batched > 1) {
        batch.latencies.record(took, 1)
        batch.latencies.record(0, batched - 1)
      } else batch.latencies.record(each, batched)
      batch.byStatus(batchStatus / 100) += batched
      delay.counted(batched)
      batched = 0
    }
    if (enabled) delay.ended()
    sinceRead = 0
    batchFrom = time.wall
  }

  // requests

  /** A request is about to be handled. */
  def beginRequest(): Unit = {
    known = Admission.Nothing
    running = true
  }

  /** Its handler has returned. */
  def handlerReturned(): Unit = running = false

  def enterHandler(route: RouteClass): Response =
    if (known == Admission.Route) enter(route) // in a route
    else {
      val state = stateOf(route)
      noteWrapper()
      if (state.wraps) {
        known = Admission.Wrapper
        if (present ne state) present = state
        null
      } else {
        val refusal = decided(state)
        if (refusal == null) known = Admission.Handler
        refusal
      }
    }

  def unmatched(): Unit = {
    noteWrapper()
    known = Admission.Nothing
  }

  /** Something is asked within a handler that is no router. */
  private def noteWrapper(): Unit =
    if (known >= Admission.Handler) present.wraps = true

  @inline def enter(route: RouteClass): Response = {
    val state = stateOf(route)
    if (known != Admission.Nothing) enterWithin(state) else decided(state)
  }

  @inline private def decided(state: RouteState): Response = {
    known = Admission.Route
    if (present ne state) present = state
    if (!delay.isLong && inFlight < most && !state.isFull) null else decide(state)
  }

  /** Within a route, which has been let in, or within a handler, which leaves it to routes from now on. */
  @noinline private def enterWithin(state: RouteState): Response =
    if (known == Admission.Wrapper) {
      noteWrapper()
      decided(state)
    } else {
      noteWrapper()
      known = Admission.Route
      if (present ne state) present = state
      null
    }

  @noinline private def decide(state: RouteState): Response =
    if (state.isCritical) null
    else if (inFlight >= most) refuse(state, Refusal.Server)
    else if (time.wall - graceEnd < 0) null
    else {
      known = Admission.Waiting
      Gate.hold
    }

  /** Has it wait for the loop, then for its route's limit, as far as it must. */
  def later(route: RouteClass, body: () => Reply): Reply = {
    val state = stateOf(route)
    new Reply.Later(
      if (!delay.isLong) waitForRoute(state, body)
      else {
        if (!isWorkingOff) {
          isWorkingOff = true
          clock.atTurnEnd(workingOff)
        }
        delay.join(route.priority).flatMap { isLetIn =>
          if (!isLetIn) refusedLater(state, Refusal.QueueDelay)
          else waitForRoute(state, body)
        }
      }
    )
  }

  private def waitForRoute(state: RouteState, body: () => Reply): Async[Response] =
    if (!state.isFull) letIn(state, body)
    else
      state.await(time).flatMap { isLetIn =>
        if (isLetIn) letIn(state, body) else refusedLater(state, Refusal.InFlight)
      }

  private def refusedLater(state: RouteState, reason: Int): Async[Response] = {
    state.refused(reason) += 1
    Async.value(refusals(reason))
  }

  /** One that has waited runs now: from here on it is under way, and what it takes is measured. */
  private def letIn(state: RouteState, body: () => Reply): Async[Response] = {
    val before    = present // another request may be the present one
    val itsState  = known
    val began     = time.own
    val beganWall = time.wall
    var answered  = false
    var isSync    = true

    def ended(): Unit = if (state.limit != null) {
      if (isSync) time.read(state.offProcessor) else readOutside()
      state.limit.ended(time.own, if (answered) time.own - began else -1, time.wall - beganWall)
      room(state)
    }
    if (state.limit != null) state.limit.begin(began)
    delay.counted(1)
    hasRun = state
    known = Admission.Route
    present = state
    val ran = running
    running = true
    val reply =
      try body()
      catch { case e: Throwable => ended(); throw e }
      finally {
        known = itsState
        present = before
        running = ran
      }
    reply match {
      case later: Reply.Later =>
        isSync = false
        later.response.map { r => answered = true; r }.andFinally(ended())
      case response: Response => ended(); Async.value(response)
    }
  }

  private var isWorkingOff = false

  /** At the end of a turn: a piece of what waits for the loop. There is a turn for more before it goes on. */
  private val workingOff: Runnable = () => {
    isWorkingOff = false
    beginTurn()
    readClock()
    val until = time.own + slice
    while (delay.letIn() && { readClock(); time.own - until < 0 }) ()
    delay.look()
    if (!delay.isEmpty) {
      isWorkingOff = true
      clock.atTurnEnd(workingOff)
    }
  }

  /** There may be room for those who wait; they run at the end of the turn, out of nobody's callback. */
  private def room(state: RouteState): Unit =
    if (state.line != null && !state.line.isEmpty && !isLetting) {
      isLetting = true
      clock.atTurnEnd(letting)
    }

  private var isLetting         = false
  private val letting: Runnable = () => {
    isLetting = false
    readOutside()
    foreach(state => if (state.line != null) state.letIn())
  }

  /** Has a route been found for the present request? */
  def hasRoute: Boolean = known == Admission.Route

  /** Does the present request wait to be let in? */
  def isWaiting: Boolean = known == Admission.Waiting

  def refused(route: RouteClass, reason: Int): Response = refuse(stateOf(route), reason)

  private def refuse(state: RouteState, reason: Int): Response = {
    state.refused(reason) += 1
    known = Admission.Refused
    refusals(reason)
  }

  /** The same for a request that is not the present one. */
  def refusedLate(route: RouteClass, reason: Int): Response = {
    stateOf(route).refused(reason) += 1
    refusals(reason)
  }

  /**
   * The routes that a request is for have been found after its handler had returned: from here on `exchange` is theirs.
   * Answers as `enter` does, but for `hold`.
   */
  def enterLate(exchange: Exchange, route: RouteClass): Response = {
    exchange.route.wraps = true
    val state  = stateOf(route)
    val itself = known
    known = Admission.Nothing
    val refusal =
      if (inFlight <= most && !state.isFull && !delay.isLong) null // it is among those in flight
      else decide(state)
    known = itself
    exchange.becomes(state)
    if (refusal ne Gate.hold) refusal
    else if (delay.isOverloadedFor(route.priority)) refusedLate(route, Refusal.QueueDelay)
    else if (state.isOverloaded) refusedLate(route, Refusal.InFlight)
    else null // its handler has begun, and is not to wait again
  }

  /** The answer for that reason. */
  def response(reason: Int): Response = refusals(reason)

  /** A refusal after which the connection ends. */
  def lastRefusal(response: Response): Response = {
    val reason = refusals.indexWhere(_ eq response)
    if (reason < 0) response.close else lasts(reason)
  }

  /** Is that one of the limiter's answers? */
  def isRefusal(response: Response): Boolean =
    response != null && (response.status eq Status.ServiceUnavailable) && refusals.exists(_ eq response)

  /** Is the answer to the present request the limiter's? */
  def hasRefused: Boolean = known == Admission.Refused

  /** The state of what is being handled. */
  def route: RouteState = if (known == Admission.Nothing) noRoute else present

  def current: RouteClass = route.route

  def failed(request: Request, cause: Throwable): Response = cause match {
    case e: Rejected =>
      val known = if (request == null) null else request.routeClass
      val state = if (known == null) route else stateOf(known)
      val why   = Refusal.of(e)
      state.refused(why) += 1
      refusals(why)
    case MemoryShort => refusals(Refusal.Memory) // counted where it was denied
    case _           => failures.response(request, cause)
  }

  /** The present request was answered at once. */
  @inline def answered(status: Int): Unit = {
    val state = route
    if (known == Admission.Refused || (batch ne state) || batchStatus != status || wasSlow)
      answeredOtherwise(state, status)
    else batched += 1
  }

  /** It is no more of the batch, or the batch is over. */
  @noinline private def answeredOtherwise(state: RouteState, status: Int): Unit =
    if (known == Admission.Refused) state.byStatus(status / 100) += 1
    else {
      if ((batch ne state) || batchStatus != status) {
        if (batched > 0) readClock()
        if (batch ne state) batch = state
        batchStatus = status
      }
      batched += 1
      if (wasSlow) readClock() // pipelined ones are answered together, but do not take the loop together
    }

  /**
   * The answer comes later; `measured` where it is the handler that it waits for, not the client. When that was, in the
   * loop's own time.
   */
  def begin(state: RouteState, measured: Boolean): Long = {
    inFlight += 1
    state.inFlight += 1
    if (!isWaiting) {
      delay.counted(1)
      if (hasRun ne state) hasRun = state
    }
    if (measured && state.limit != null) measure(state) else time.own
  }

  /** What is under way counts for that route's limit: from when, in the loop's own time. */
  def measure(state: RouteState): Long = {
    state.limit.begin(time.own)
    time.own
  }

  /** The handler has answered what began then, or nobody waits for it any more. */
  def handled(state: RouteState, beganOwn: Long, beganNanos: Long, isAnswer: Boolean): Unit =
    if (state.limit != null) {
      readOutside()
      state.limit.ended(time.own, if (isAnswer) time.own - beganOwn else -1, time.wall - beganNanos)
      room(state)
    }

  /** It began as `from` and is known to be `to` now. */
  def moved(from: RouteState, to: RouteState): Unit = {
    from.inFlight -= 1
    to.inFlight += 1
  }

  /** Reads the clock where no session need have had its turn. */
  private def readOutside(): Unit = {
    beginTurn()
    time.read(null)
  }

  /** It is over: `status` 0 where nothing was sent. */
  def end(state: RouteState, status: Int, beganNanos: Long, refused: Boolean): Unit = {
    inFlight -= 1
    state.inFlight -= 1
    if (status > 0) {
      state.byStatus(status / 100) += 1
      if (!refused) state.latencies.record(clock.nanos - beganNanos, 1)
    }
  }

  // by route

  def stateOf(route: RouteClass): RouteState = {
    val i = route.index
    if (i < states.length) {
      val state = states(i)
      if (state != null && state.serial == route.serial) return state
    }
    newState(route, i)
  }

  @noinline private def newState(route: RouteClass, i: Int): RouteState = {
    if (i >= states.length) states = java.util.Arrays.copyOf(states, Math.max(i + 1, 2 * states.length))
    if (states(i) != null) {
      retired.add(states(i))
      inOrder = inOrder.filter(_ ne states(i))
    }
    states(i) = new RouteState(route, config)
    inOrder :+= states(i)
    states(i)
  }

  /** Time passes, also when nothing comes back: to be called ten times a second while anybody is connected. */
  def tick(): Unit = {
    readOutside()
    foreach { state =>
      if (state.limit != null && state.inFlight > 0) {
        state.limit.look(time.own)
        if (state.line != null) state.look()
        room(state)
      }
    }
  }

  /** Copies what there is to know. */
  def report(into: LoopSnapshot): Unit = {
    into.inFlight = inFlight
    into.isOverloaded = delay.isOverloaded
    into.routes = retired.copies
    foreach(state => into.routes = RouteSnapshot(state) :: into.routes)
  }

  def isOverloaded: Boolean = delay.isOverloaded

  /** In the order in which they were first asked for; their places depend on what else the process has served. */
  def foreach(f: RouteState => Unit): Unit = inOrder.foreach(f)
}

private[server] object Admission {

  private final val Nothing = 0
  private final val Route   = 1
  private final val Refused = 2
  private final val Waiting = 3

  // of a handler that is no router, for which no route has been found yet
  private final val Handler = 4 // it has been let in as what it is by itself
  private final val Wrapper = 5 // it has not been asked for, as it is known to call routes

  /** A loop that has worked on requests for less than this in all is cold, however long ago it was started. */
  final val ColdNanos = 1000L * 1000 * 1000

  /** When requests take longer, each is timed by itself. */
  final val SlowNanos = 100L * 1000

  /** Turns of sessions after which the clock is read, in the middle of a turn of the loop. */
  final val ReadEvery = 8
}
