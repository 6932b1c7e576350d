package needletail.server.overload

import needletail.http.admission.RouteClass
import needletail.server.operations.{RetiredRoutes, RouteSnapshot}

/** One loop's data of all routes: the [[RouteState]]s of those in use, and totals of those that no longer exist. */
private[server] final class RouteStates(config: OverloadConfig) {
  private var states            = new Array[RouteState](16) // by RouteClass.index
  private var first: RouteState = null
  private var last: RouteState  = null
  private var linked            = 0L                        // so far
  private val retired           = new RetiredRoutes

  /** The state of that route, created by the first request for it. */
  @inline def of(route: RouteClass): RouteState = {
    val i = route.index
    if (i < states.length) {
      val state = states(i)
      if (state != null && state.serial == route.serial) return state
    }
    create(route, i)
  }

  /** The state of the route that `twin` was made from; that of no route if it no longer exists. */
  def ofTwin(twin: RouteClass): RouteState = {
    val i = twin.original
    if (i >= 0 && i < states.length && states(i) != null && (states(i).route eq twin)) states(i)
    else of(RouteClass.unmatched)
  }

  @noinline private def create(route: RouteClass, i: Int): RouteState = {
    if (i >= states.length) states = java.util.Arrays.copyOf(states, Math.max(i + 1, 2 * states.length))
    if (states(i) != null) {
      retired.add(states(i).snapshot())
      unlink(states(i))
    }
    states(i) = new RouteState(route, config)
    link(states(i))
    states(i)
  }

  private def link(state: RouteState): Unit = {
    linked += 1
    state.ordinal = linked
    state.previous = last
    if (last == null) first = state else last.next = state
    last = state
  }

  /** Keeps `state.next`, for a `foreach` that is at this state. */
  private def unlink(state: RouteState): Unit = {
    if (state.previous == null) first = state.next else state.previous.next = state.next
    if (state.next == null) last = state.previous else state.next.previous = state.previous
  }

  /** Calls `f` in the order of first requests; the indexes of routes depend on what else the process has served. */
  def foreach(f: RouteState => Unit): Unit = {
    var state = first
    while (state != null) {
      f(state)
      state = state.next
    }
  }

  /** Copies for another thread: the newest route first, the totals of routes that no longer exist last. */
  def snapshots: List[RouteSnapshot] = {
    var all = retired.copies
    foreach(state => all = state.snapshot() :: all)
    all
  }
}
