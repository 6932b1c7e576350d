package needletail.server.overload

/** A request whose handler has returned and whose reply is not complete, as used by [[LateGate]]. */
private[server] trait LateRequest {

  /** The route that it is counted as. */
  def route: RouteState

  /** Whether its reply is complete, or the request was cancelled. */
  def complete: Boolean

  /**
   * The route was found: the request is counted as this one from now on, and limited as this one unless it is within what
   * it was admitted to.
   */
  def becomes(to: RouteState, isWithin: Boolean): Unit

  /** The limit of that route counts it from now on, if none does, as what it was admitted to before has ended. */
  def entersLimit(of: RouteState): Unit

  /** The limit that counts it does not from now on: it waits for room in its route. */
  def leavesLimit(): Unit

  /** It has left that route before it began there: the limit of the route does not count it any more, if it did. */
  def leaves(of: RouteState): Unit

  /** Whether it was refused and is in no route now, so that the next one is asked. */
  def isRefused: Boolean

  /** It waits for room in its route. From when there is some, `held` counts it. */
  def isHeldBy(held: HeldRequest): Unit

  /** It waits in a bulkhead, and until `goesOn` its limit does not count it. */
  def waits(): Unit

  def goesOn(): Unit

  /** Whether it was refused, and no other route has admitted it since. Then its duration is not recorded. */
  var wasRefused: Boolean
}
