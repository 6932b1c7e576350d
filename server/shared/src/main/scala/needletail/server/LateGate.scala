package needletail.server

import needletail.http.{Gate, Reply, Request, Response, RouteClass}

/**
 * The limiter as seen by the request of an [[Exchange]] whose handler had returned before it called routes, or calls
 * them now: what it waited for is theirs from then on.
 */
private[server] final class LateGate(exchange: Exchange, admission: Admission) extends Gate {
  private var isIn                = false
  private var handler: RouteState = null // what is no router and was asked for

  def enter(route: RouteClass): Response =
    if (exchange.complete) null
    else if (isIn) { // by what is around these routes
      if (handler != null) handler.wraps = true
      exchange.becomes(admission.stateOf(route))
      null
    } else {
      isIn = true
      val refusal = admission.enterLate(exchange, route)
      if (refusal != null) exchange.wasRefused = true
      refusal
    }

  def enterHandler(route: RouteClass): Response =
    if (exchange.complete) null
    else {
      val state = admission.stateOf(route)
      if (state.wraps) {
        exchange.route.wraps = true
        exchange.becomes(state)
        null
      } else {
        val refusal = enter(route)
        if (refusal == null) handler = state
        refusal
      }
    }

  def later(route: RouteClass, body: () => Reply): Reply = body() // `enter` does not ask for it

  def refused(route: RouteClass, reason: Int): Response = {
    exchange.wasRefused = true
    admission.refusedLate(route, reason)
  }

  def unmatched(): Unit = if (!exchange.complete) {
    if (handler != null) handler.wraps = true else if (!isIn) exchange.route.wraps = true
    exchange.becomes(admission.noRoute)
  }

  def current: RouteClass = exchange.route.route

  def failed(request: Request, cause: Throwable): Response = admission.failed(request, cause)
}
