package needletail.server.overload

/** A request whose handler has returned and whose reply is not complete, as used by [[LateGate]]. */
private[server] trait LateRequest {

  /** The route that it is limited and counted as. */
  def route: RouteState

  /** Whether its reply is complete, or the request was cancelled. */
  def complete: Boolean

  /** The route was found: the request is limited and counted as this one from now on. */
  def becomes(to: RouteState): Unit

  /** Whether it was refused. Then its duration is not recorded. */
  var wasRefused: Boolean
}
