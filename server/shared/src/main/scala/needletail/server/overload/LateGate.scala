package needletail.server.overload

import needletail.http.{Gate, Reply, Request, Response}
import needletail.http.admission.RouteClass

/**
 * The gate of a request whose handler has returned. Once it calls routes, the request belongs to the route that is found.
 *
 * @param hasRoute whether it has been admitted to a route, or waits to be: what is called then is within that
 */
private[server] final class LateGate(request: LateRequest, admission: AdmissionController, hasRoute: Boolean)
    extends Gate {
  private var isIn                = hasRoute
  private var handler: RouteState = null // the admitted handler that is not a router

  def enter(route: RouteClass): Response =
    if (request.complete) null
    else if (isIn && !request.isRefused) { // within what was admitted
      if (handler != null) handler.wraps = true
      val state = admission.stateOf(route)
      request.becomes(state, isWithin = handler == null)
      request.entersLimit(state)
      null
    } else {
      isIn = true
      handler = null
      val refusal = admission.enterLate(request, route)
      if (refusal != null && (refusal ne Gate.hold)) request.wasRefused = true
      refusal
    }

  def enterHandler(route: RouteClass): Response =
    if (request.complete) null
    else if (hasRoute) enter(route)
    else {
      val state = admission.stateOf(route)
      if (state.wraps) {
        request.route.wraps = true
        request.becomes(state, isWithin = false)
        null
      } else {
        val refusal = enter(route)
        if (refusal == null || (refusal eq Gate.hold)) handler = state
        refusal
      }
    }

  def later(route: RouteClass, body: () => Reply): Reply = admission.laterLate(request, route, body)

  def waits(): Unit = if (!request.complete) request.waits()

  def goesOn(): Unit = if (!request.complete) request.goesOn()

  def leaves(route: RouteClass): Unit = if (!request.complete) {
    request.leaves(admission.stateOf(route))
    request.goesOn()
  }

  def refused(route: RouteClass, reason: Int): Response = {
    request.wasRefused = true
    if (!request.complete) request.leaves(admission.stateOf(route))
    admission.refusedLate(route, reason)
  }

  def unmatched(): Unit = {
    answeredBy(admission.noRoute)
    if (!hasRoute && handler == null) isIn = false // what is called next may find a route
  }

  def answeredFor(route: RouteClass): Unit = answeredBy(admission.stateOf(route))

  private def answeredBy(route: RouteState): Unit = if (!request.complete) {
    if (handler != null) handler.wraps = true else if (!isIn) request.route.wraps = true
    request.becomes(route, isWithin = isIn && handler == null)
  }

  def current: RouteClass = request.route.route

  def failed(of: Request, cause: Throwable): Response = admission.failed(of, cause)
}
