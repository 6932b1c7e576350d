package needletail.server.overload

import needletail.http.Reply
import needletail.http.admission.RouteClass

/**
 * The request that one loop handles now: its route, once it is known, and what was decided about it. Used on the loop
 * only, except for `runningRoute`.
 */
private[server] final class PresentRequest {
  import PresentRequest._

  private var stage: Int            = Unknown
  private var isRunning: Boolean    = false
  private var lastRoute: RouteState = null
  private var outermost: RouteState =
    null // the route that it was admitted to, where that has called another one

  /** The request, if it waits to be admitted. */
  var held: HeldRequest = null

  /** Whether it waits in a bulkhead of its route. */
  var waitsInside: Boolean = false

  /** The route of the last request that had one; null before the first. */
  def route: RouteState = lastRoute

  /** The route that it was admitted to, whose limit counts it: `route`, or the one that called it. */
  def admittedTo: RouteState = if (outermost == null) lastRoute else outermost

  /** A request is about to be handled. */
  def begin(): Unit = {
    stage = Unknown
    outermost = null
    if (held != null) held = null
    waitsInside = false
    isRunning = true
  }

  /** Its handler has returned. */
  def handlerReturned(): Unit = isRunning = false

  /**
   * The route whose handler runs; null if none does. For other threads; may be wrong, since nothing here is
   * synchronized.
   */
  def runningRoute: RouteClass = {
    val state = lastRoute
    if (!isRunning || state == null) null else state.route
  }

  /** Nothing was decided: it has no route. */
  def isUnknown: Boolean = stage == Unknown

  /** It was admitted to its route. */
  def isAdmitted: Boolean = stage == Admitted

  /** It was refused. */
  def isRefused: Boolean = stage == Refused

  /** It was refused, and is within no other route. */
  def isOut: Boolean = stage == Refused && outermost == null

  /** It waits to be admitted. */
  def isWaiting: Boolean = stage == Waiting

  /** It is at a handler that is not a router. */
  def isAtHandler: Boolean = stage >= AdmittedHandler

  /** It is at a handler that is known to call routes, which are asked instead. */
  def isAtWrapper: Boolean = stage == Wrapper

  def forget(): Unit = {
    stage = Unknown
    outermost = null
  }

  def admit(to: RouteState): Unit = {
    stage = Admitted
    // written only if it changes, as each write of a reference costs a garbage collector's barrier
    if (lastRoute ne to) lastRoute = to
  }

  /** Its route, or a handler that is not a router, calls that route. Such a handler is asked no more from now on. */
  def admitWithin(to: RouteState): Unit = {
    if (outermost == null && stage == Admitted) outermost = lastRoute
    admit(to)
  }

  def refuse(): Unit = stage = Refused

  def hold(): Unit = stage = Waiting

  /** The handler that it was just admitted to is not a router. */
  def admitToHandler(): Unit = stage = AdmittedHandler

  def leaveToRoutes(of: RouteState): Unit = {
    stage = Wrapper
    if (lastRoute ne of) lastRoute = of
  }

  /** Runs `body` with another request as the current one, which is admitted to `route`. */
  def during(route: RouteState, body: () => Reply): Reply = {
    val itsStage = stage
    val itsRoute = lastRoute
    val itsOuter = outermost
    val ran      = isRunning
    stage = Admitted
    lastRoute = route
    outermost = null
    isRunning = true
    try body()
    finally {
      stage = itsStage
      lastRoute = itsRoute
      outermost = itsOuter
      isRunning = ran
    }
  }
}

private[server] object PresentRequest {
  private final val Unknown         = 0
  private final val Admitted        = 1
  private final val Refused         = 2
  private final val Waiting         = 3
  private final val AdmittedHandler = 4 // at a handler that is not a router, limited by its own class
  private final val Wrapper         = 5 // at a handler that is known to call routes
}
