package needletail.server.overload

import needletail.server.clock.LoopTime

/**
 * A request that waits to be admitted, or has waited. The limit of its route counts it from then on, while what its
 * handler does, or waits for, shows how long requests of the route take.
 */
private[server] final class HeldRequest(
    val state: RouteState,
    time: LoopTime,
    timer: RequestTimer,
    waiting: HeldRequest.Waiting
) {

  /** Whether what was admitted has ended: it is not counted again. */
  var isOver: Boolean = false

  private var isCounted = false
  private var isPaused  = false
  private var beganOwn  = 0L
  private var beganWall = 0L

  /** The limit counts it from now on. */
  def begin(): Unit = if (state.limit != null) {
    isCounted = true
    beganOwn = time.own
    beganWall = time.wall
    state.limit.begin(beganOwn)
  }

  /** It waits in a bulkhead, or for its client, and until `goOn` the limit does not count it. */
  def pause(): Unit = if (isCounted) {
    leave(Outcome.Dropped)
    isPaused = true
  }

  def goOn(): Unit = if (isPaused) {
    isPaused = false
    timer.readOutside() // the loop may have been idle meanwhile
    begin()
  }

  /** The limit does not count it any more; see [[Outcome]]. Nothing happens if it does not. */
  def end(outcome: Int): Unit = {
    isOver = true
    leave(outcome)
  }

  private def leave(outcome: Int): Unit = {
    isPaused = false
    if (isCounted) {
      timer.readOutside()
      count(outcome)
    }
  }

  /** The same where its handler, which has just returned, has left nothing to wait for. */
  def endAtOnce(): Unit = {
    isOver = true
    if (isCounted) {
      time.read(state.offCpu)
      count(Outcome.Dropped)
    }
  }

  private def count(outcome: Int): Unit = {
    isCounted = false
    state.ended(time, beganOwn, beganWall, outcome)
    waiting.roomFor(state)
  }
}

private[server] object HeldRequest {

  /** The requests that wait. */
  trait Waiting {

    /** There may be room in this route for one of them. */
    private[server] def roomFor(route: RouteState): Unit
  }
}
