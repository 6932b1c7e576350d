package needletail.http

import needletail.http.admission.RouteClass
import needletail.http.message.Status

/**
 * A server's admission control as seen by a router, on one event loop. It is called once per request, when the route is
 * known and before any of the route's code runs. The request's [[RequestView]] holds it.
 */
private[needletail] abstract class Gate {

  /**
   * Returns null if the request is admitted, [[Gate.hold]] if the router must call [[later]], or else the response to
   * send.
   */
  def enter(route: RouteClass): Response

  /** The same for a handler that is not a router but may call one, which then requests admission. */
  def enterHandler(route: RouteClass): Response

  /** Runs `body` as soon as the request is admitted, or returns the refusal. */
  def later(route: RouteClass, body: () => Reply): Reply

  /** The current request begins to wait in a bulkhead: how long it does shows nothing of what its handler waits for. */
  def waits(): Unit

  /** Such a request has waited. */
  def goesOn(): Unit

  /** Such a request has waited in vain: it is refused, or waits no more. Its handler may go on, but not in that route. */
  def leaves(route: RouteClass): Unit

  /** Returns the response if a bulkhead refuses an admitted request. `reason` is one of [[Refusal]]. */
  def refused(route: RouteClass, reason: Int): Response

  /** Reports that no route matches, so that the router responds to the current request itself. */
  def unmatched(): Unit

  /**
   * Reports that the router itself responds to the current request, which is counted as one of that route: a part of it
   * has refused the request before it could be admitted, or the route is `RouteClass.options`.
   */
  def answeredFor(route: RouteClass): Unit

  /** The class of the current request, if it is known. */
  def current: RouteClass

  /** Logs the failure of a handler or of a part of it, and returns the response. */
  def failed(request: Request, cause: Throwable): Response
}

private[needletail] object Gate {

  /** The request may be admitted soon. This response is never sent. */
  val hold: Response = Response(Status.ServiceUnavailable)

  /** Asks the gate of `request`, which is null if nothing limits it, and runs `body` if it is admitted. */
  def admit(request: Request, route: RouteClass, body: () => Reply): Reply = {
    val gate    = request.gate
    val refusal = if (gate == null) null else gate.enter(route)
    if (refusal == null) body() else if (refusal eq hold) later(request, route, body) else refusal
  }

  /** The same for a request of a handler that is not a router. */
  def admitHandler(request: Request, route: RouteClass, body: () => Reply): Reply = {
    val gate    = request.gate
    val refusal = if (gate == null) null else gate.enterHandler(route)
    if (refusal == null) body() else if (refusal eq hold) later(request, route, body) else refusal
  }

  /** `request.gate.later`, with a note that the request was refused: a wrapper may make another response of it. */
  def later(request: Request, route: RouteClass, body: () => Reply): Reply = {
    var hasBegun = false
    val reply    = request.gate.later(
      route,
      () => {
        hasBegun = true
        body()
      }
    )
    reply match {
      case later: Reply.Later =>
        new Reply.Later(later.response.map { response =>
          if (!hasBegun) request.shared.wasRefused = true
          response
        })
      case response => response
    }
  }
}
