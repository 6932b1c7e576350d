package needletail.server

import needletail.http.{Gate, Refusal, Reply, Response, RouteClass}

/**
 * One loop's limiter and its counts by route: what a session tells of its turns and requests goes through here.
 *
 * On the way of a request that is answered at once it costs a few comparisons and increments, all on memory of this
 * loop; the clock is read once for each turn of a session, whatever number of pipelined requests the turn answers.
 *
 * @param loops how many there are to share `maxInFlight`
 */
private[server] final class Admission(clock: Clock, config: OverloadConfig, loops: Int) extends Gate {
  private val delay    = new QueueDelay(config.target.toNanos, config.interval.toNanos)
  private val enabled  = config.enabled
  private val most     = Math.max(1, (config.maxInFlight + loops - 1) / loops)
  private val refusal  = Refusal.response(config.retryAfter.toSeconds)
  private val last     = refusal.close

  private var states: Array[RouteState] = new Array(16)
  private val unmatched                 = stateOf(RouteClass.unmatched)

  /** Requests whose answer is awaited or on its way, on this loop. */
  var inFlight: Int = 0

  /** The route that the request being handled was found to be of; null before that. */
  private var current: RouteState = null

  /** Was the present request refused? */
  private var wasRefused: Boolean = false

  /** What this loop runs now or ran last, for a watchdog on another thread; a guess, as it is not synchronised. */
  def lastRoute: RouteClass = {
    val state = running
    if (state == null) null else state.route
  }
  private var running: RouteState = null

  /** The clock at the end of the last piece of work. */
  private var nanos: Long = clock.nanos
  def now: Long           = nanos

  // Requests that were answered at once in this turn, of one route: what they took is known when the turn ends.
  private var batch: RouteState = null
  private var batched: Int      = 0
  private var batchFrom: Long   = nanos

  // turns of sessions

  def beginTurn(): Unit = {
    delay.begin(clock.turnNanos)
    if (clock.turnNanos - nanos > 0) nanos = clock.turnNanos
    batchFrom = nanos
  }

  def endTurn(): Unit = {
    readClock()
    if (batched > 0) endBatch()
  }

  private def readClock(): Unit = {
    nanos = clock.nanos
    delay.ended(nanos)
  }

  private def endBatch(): Unit = {
    val each = nanos - batchFrom
    batch.latencies.record(each, batched)
    delay.counted(batched)
    batch.slow = each > Admission.SlowNanos
    batched = 0
    batchFrom = nanos
  }

  // requests

  /** A request is about to be handled. */
  def beginRequest(): Unit = {
    current = null
    wasRefused = false
  }

  def enter(route: RouteClass): Response = {
    val state   = stateOf(route)
    val already = current != null // a handler around routes: it has been let in
    current = state
    running = state
    if (already || !(delay.isOverloaded || state.isFull || inFlight >= most)) null else decide(state)
  }

  private def decide(state: RouteState): Response =
    if (state.isCritical) {
      delay.passed()
      null
    } else if (inFlight >= most) refuse(state, Refusal.Server)
    else if (state.isFull) refuse(state, Refusal.InFlight)
    else if (enabled && delay.isOverloaded && !delay.admits(state.route.priority)) refuse(state, Refusal.QueueDelay)
    else null

  def refused(route: RouteClass, reason: Int): Response = refuse(stateOf(route), reason)

  private def refuse(state: RouteState, reason: Int): Response = {
    state.refused(reason) += 1
    wasRefused = true
    refusal
  }

  /** A refusal after which the connection ends. */
  def lastRefusal(reply: Reply): Reply = if (reply eq refusal) last else reply

  /** Is the answer to the present request the limiter's? */
  def hasRefused: Boolean = wasRefused

  /** The state of what is being handled. */
  def route: RouteState = if (current == null) unmatched else current

  /** A request was answered at once. */
  def answered(state: RouteState, status: Int): Unit = {
    state.byStatus(status / 100) += 1
    if (!wasRefused) {
      if (batched > 0 && (batch ne state)) {
        readClock()
        endBatch()
      }
      batch = state
      batched += 1
      if (state.slow) { // a batch of slow ones must not hide how long each of them takes
        readClock()
        endBatch()
      }
    }
  }

  /** The answer comes later; `measured` where it is the handler that it waits for, not the client. */
  def begin(state: RouteState, measured: Boolean): Unit = {
    inFlight += 1
    state.inFlight += 1
    delay.counted(1)
    if (measured && state.limit != null) state.limit.begin(nanos)
  }

  /** The handler has answered what began then, or nobody waits for it any more. */
  def handled(state: RouteState, beganNanos: Long, isAnswer: Boolean): Unit =
    if (state.limit != null) {
      nanos = clock.nanos
      state.limit.ended(nanos, if (isAnswer) nanos - beganNanos else -1)
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

  private def stateOf(route: RouteClass): RouteState = {
    val i = route.index
    if (i < states.length && states(i) != null) states(i) else newState(route, i)
  }

  private def newState(route: RouteClass, i: Int): RouteState = {
    if (i >= states.length) states = java.util.Arrays.copyOf(states, Math.max(i + 1, 2 * states.length))
    states(i) = new RouteState(route, config)
    states(i)
  }

  /** Time passes, also when nothing comes back. */
  def tick(): Unit = foreach(state => if (state.limit != null && state.inFlight > 0) state.limit.look(clock.nanos))

  /** Copies what there is to know. */
  def report(into: LoopSnapshot): Unit = {
    into.inFlight = inFlight
    into.isOverloaded = delay.isOverloaded
    foreach(state => into.routes = new RouteSnapshot(state) :: into.routes)
  }

  def isOverloaded: Boolean = delay.isOverloaded

  def foreach(f: RouteState => Unit): Unit = states.foreach(state => if (state != null) f(state))
}

private[server] object Admission {

  /** A request that takes longer is timed by itself, also in the middle of a batch. */
  final val SlowNanos = 100L * 1000
}
