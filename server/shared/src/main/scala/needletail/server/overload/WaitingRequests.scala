package needletail.server.overload

import scala.collection.mutable
import scala.util.{Failure, Success, Try}

import needletail.async.Async
import needletail.http.{Refusal, Reply, Response}
import needletail.server.clock.{Clock, LoopTime}

/**
 * The requests of one loop that wait to be admitted: first for the loop ([[QueueDelay]]), then for room within their
 * route's limit ([[RouteState]]). Handlers of admitted requests run at the end of a turn of the loop, never inside a
 * callback.
 *
 * @param refusals the responses of `Refusal`, by reason
 * @param sliceNanos approximately how long one turn of the loop works on requests that wait for it
 */
private[server] final class WaitingRequests(
    clock: Clock,
    time: LoopTime,
    delay: QueueDelay,
    timer: RequestTimer,
    present: PresentRequest,
    routes: RouteStates,
    refusals: Array[Response],
    sliceNanos: Long
) extends HeldRequest.Waiting {
  import WaitingRequests.NoRoute

  private var isWorkingOff = false
  private var isLetting    = false

  /** The ordinal of the last route of which a request was let in, if the turn ended with it; the next turn goes on behind. */
  private var lastLetIn = NoRoute

  /** The reply of `body`, which runs when the request is admitted; or a refusal, if that would take too long. */
  def join(state: RouteState, body: () => Reply): Reply = {
    val held = new HeldRequest(state, time, timer, this)
    present.held = held
    untilOver(
      held,
      if (!delay.isLong) awaitRoute(held, body)
      else {
        workOffSoon()
        delay.join(state.route.priority).flatMap { isLetIn =>
          if (isLetIn) awaitRoute(held, body) else refused(held, Refusal.QueueDelay)
        }
      }
    )
  }

  /** The same for a request whose handler has begun: it waits for its route only. */
  def joinLate(request: LateRequest, state: RouteState, body: () => Reply): Reply = {
    val held = new HeldRequest(state, time, timer, this)
    request.isHeldBy(held)
    untilOver(held, awaitRoute(held, body))
  }

  /** Whether it has run, was refused, or is cancelled before or after it was admitted: its limit does not count it then. */
  private def untilOver(held: HeldRequest, reply: Async[Response]): Reply =
    new Reply.Later(reply.andFinally(held.end(Outcome.Dropped)))

  private def awaitRoute(held: HeldRequest, body: () => Reply): Async[Response] =
    if (!held.state.isFull) run(held, body)
    else
      held.state.await(time).flatMap { isLetIn =>
        if (isLetIn) run(held, body) else refused(held, Refusal.InFlight)
      }

  private def refused(held: HeldRequest, reason: Int): Async[Response] = {
    held.state.refused(reason) += 1
    held.end(Outcome.Dropped)
    Async.value(refusals(reason))
  }

  /** The request is admitted: it is in flight from now on, and its duration is measured. */
  private def run(held: HeldRequest, body: () => Reply): Async[Response] = {
    held.begin()
    timer.ran(held.state)
    val reply =
      try present.during(held.state, body)
      catch { case e: Throwable => held.endAtOnce(); throw e }
    reply match {
      case later: Reply.Later if later.response != null && later.response.resultOrNull != null =>
        held.endAtOnce() // there at once, which is no duration
        later.response
      case later: Reply.Later if later.response != null =>
        later.response.transform { result =>
          held.end(outcomeOf(result))
          Async.fromTry(result)
        }
      case response: Response => held.endAtOnce(); Async.value(response)
      case _ => held.endAtOnce(); Async.fail(new NullPointerException("a handler returned null"))
    }
  }

  private def outcomeOf(result: Try[Response]): Int = result match {
    case Success(response) => if (Outcome.isFailure(response)) Outcome.Failed else Outcome.Answered
    case Failure(cause)    => if (Outcome.isFailure(cause)) Outcome.Failed else Outcome.Answered
  }

  private def workOffSoon(): Unit = if (!isWorkingOff) {
    isWorkingOff = true
    clock.atTurnEnd(workingOff)
  }

  /**
   * At the end of a turn: runs some of the requests that wait for the loop. The loop has another turn before the rest.
   */
  private val workingOff: Runnable = () => {
    isWorkingOff = false
    timer.beginTurn()
    timer.readClock()
    val until = time.own + sliceNanos
    while (delay.letIn() && { timer.readClock(); time.own - until < 0 }) ()
    delay.look()
    if (!delay.isEmpty) workOffSoon()
  }

  /** At the end of the turn admits requests that wait for that route. */
  private[server] def roomFor(route: RouteState): Unit =
    if (route.queue != null && !route.queue.isEmpty) letSoon()

  private def letSoon(): Unit = if (!isLetting) {
    isLetting = true
    clock.atTurnEnd(letting)
  }

  /**
   * At the end of a turn: runs some of the requests that wait for routes with room, one of each route in turn. The loop
   * has another turn before the rest, which goes on at the next route.
   */
  private val letting: Runnable = () => {
    isLetting = false
    timer.beginTurn()
    timer.readClock()
    val until = time.own + sliceNanos
    val held = mutable.ArrayBuffer.empty[RouteState] // those that requests wait for, of what may be thousands
    routes.foreach(state => if (state.queue != null && !state.queue.isEmpty) { held += state; () })
    letInOfEach(held, until)
    held.foreach { state =>
      state.look()
      if (state.hasRoom) letSoon()
    }
  }

  /** Admits the next of each route that has room, in turn, until the loop's own time is `until`. */
  private def letInOfEach(held: mutable.ArrayBuffer[RouteState], until: Long): Unit = {
    // behind the last one in the order of all routes, whether or not requests still wait for that one
    var i       = if (lastLetIn == NoRoute) 0 else held.indexWhere(_.ordinal > lastLetIn)
    var without = 0 // so many routes in a row have none
    if (i < 0) i = 0
    lastLetIn = NoRoute
    while (without < held.length && lastLetIn == NoRoute) {
      if (i >= held.length) i = 0
      val state = held(i)
      i += 1
      if (!state.hasRoom) without += 1
      else {
        without = 0
        state.queue.letIn()
        timer.readClock()
        if (time.own - until >= 0) lastLetIn = state.ordinal
      }
    }
  }
}

private object WaitingRequests {
  private final val NoRoute = -1L
}
