package needletail.server.overload

import needletail.server.clock.{Clock, LoopTime}

/**
 * Measures the duration of requests that one loop answers at once, and reads the loop's clock for all decisions that
 * depend on it.
 *
 * The clock is read at the end of each turn of the loop, and within a turn after every few turns of sessions.
 * Requests answered between two readings with the same route and status are a batch: each is recorded with an equal
 * share of the time. If they take long, the clock is read after each. TLS handshakes that the loop computed meanwhile
 * are not theirs.
 *
 * @param noRoute for requests without a route
 * @param measuresDelay whether the time that requests wait for the loop is limited
 * @param sliceNanos about how long one turn of a session serves requests that are there, in the loop's own time
 */
private[server] final class RequestTimer(
    clock: Clock,
    time: LoopTime,
    delay: QueueDelay,
    noRoute: RouteState,
    measuresDelay: Boolean,
    sliceNanos: Long
) extends Runnable {
  import RequestTimer._

  /** The route whose handler has run since the last reading of the clock and has not answered at once. */
  private var hasRun: RouteState = null

  private var batch: RouteState = noRoute
  private var batchStatus: Int  = 200
  private var batched: Int      = 0
  private var batchFrom: Long   = time.wall
  private var computed: Long    = 0 // nanoseconds of handshakes until `batchFrom`

  private var loopTurn: Long   = Long.MinValue // the current turn of the loop
  private var endedTurn: Long  = Long.MinValue // the last turn of the loop whose end was reported
  private var sinceRead: Int   = 0             // turns of sessions since the clock was read
  private var wasSlow: Boolean = false         // the last requests took long: each is timed separately

  // of the present turn of a session
  private var sliceEnds: Long = 0 // in the loop's own time
  private var unlooked: Int   = 0 // requests that may begin before the time is looked at
  private var looks: Int      = 0 // how often it may be looked at; 0: the turn begins no request any more

  /** A turn of a session begins. */
  def beginSession(): Unit = {
    beginTurn()
    sliceEnds = time.own + sliceNanos
    unlooked = LookEvery + 1
    looks = MostLooks
  }

  /**
   * Whether the session's turn may serve one more request. Not once it has worked for a slice, nor after so many
   * requests that it is unlikely that they took no time: the loop's other connections wait meanwhile.
   */
  @inline def mayServe(): Boolean = {
    unlooked -= 1
    unlooked > 0 || looksOn()
  }

  @noinline private def looksOn(): Boolean = {
    looks -= 1
    if (looks > 0) readClock()
    if (looks > 0) unlooked = LookEvery
    looks > 0
  }

  /** The loop is at work in this turn of its own. */
  def beginTurn(): Unit = if (clock.turnNanos != loopTurn) nextTurn()

  private def nextTurn(): Unit = {
    if (sinceRead > 0) readClock() // of a session that came after the end of the loop's turn
    loopTurn = clock.turnNanos
    delay.nextTurn(loopTurn)
    batchFrom = time.wall
    computed = Math.max(computed, clock.handshakeNanosBefore) // the clock may have been read in this turn
    clock.atTurnEnd(this)
  }

  /** A turn of a session has ended. */
  def endTurn(): Unit = {
    sinceRead += 1
    // after the end of the loop's turn was reported, nothing else would read the clock before the next turn
    if (sinceRead >= ReadEvery || wasSlow || delay.isLong || endedTurn == loopTurn) readClock()
  }

  /** Runs at the end of the loop's turn. */
  def run(): Unit = {
    endedTurn = loopTurn
    readClock()
  }

  /** Reads the clock after work on requests, and records the batch. */
  @noinline def readClock(): Unit = {
    time.read(if (batched > 0) batch.offCpu else if (hasRun != null) hasRun.offCpu else null)
    if (hasRun != null) hasRun = null
    delay.clockRead()
    val took = Math.max(0L, time.wall - batchFrom - (clock.handshakeNanos - computed))
    val each = if (sinceRead > 1) took / sinceRead else took
    wasSlow = each > SlowNanos
    if (batched > 0) {
      // of several turns that took long together it was most likely one
      if (wasSlow && sinceRead > 1 && batched > 1) {
        batch.latencies.record(took, 1)
        batch.latencies.record(0, batched - 1)
      } else batch.latencies.record(each, batched)
      batch.byStatus.add(batchStatus, batched.toLong)
      delay.counted(batched)
      batched = 0
    }
    if (measuresDelay) delay.ended()
    sinceRead = 0
    batchFrom = time.wall
    computed = clock.handshakeNanos
    if (time.own - sliceEnds >= 0) {
      unlooked = 0
      looks = 0
    }
  }

  /** Reads the clock outside of sessions' turns. */
  def readOutside(): Unit = {
    beginTurn()
    time.read(null)
    delay.clockRead()
  }

  /** A handler of that route ran in this turn, and its answer comes later. */
  def ran(state: RouteState): Unit = {
    delay.counted(1)
    if (hasRun ne state) hasRun = state
  }

  /** A request of that route was answered at once. */
  @inline def answered(state: RouteState, status: Int): Unit =
    if ((batch ne state) || batchStatus != status || wasSlow) answeredOtherwise(state, status)
    else batched += 1

  /** It is not in the batch, or is timed separately. */
  @noinline private def answeredOtherwise(state: RouteState, status: Int): Unit = {
    if ((batch ne state) || batchStatus != status) {
      if (batched > 0) readClock()
      if (batch ne state) batch = state
      batchStatus = status
    }
    batched += 1
    if (wasSlow) readClock() // pipelined requests are answered together, but do not occupy the loop together
  }
}

private[server] object RequestTimer {

  /** If requests take longer, each is timed separately. */
  final val SlowNanos = 100L * 1000

  /** Turns of sessions after which the clock is read, in the middle of a turn of the loop. */
  final val ReadEvery = 8

  /** Requests of one turn of a session after which the clock is read; most clients pipeline no more. */
  final val LookEvery = 16

  /** A turn of a session serves so many times as many. */
  final val MostLooks = 4
}
