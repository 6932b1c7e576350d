package needletail.server

import scala.collection.mutable

import needletail.http.RouteClass

/** What one loop reports of itself, for another thread: all of it copies. */
private[server] final class LoopSnapshot(val loop: Int, val counts: LoopCounts, val connections: Int) {
  var held: Long                  = 0 // bytes, and how many they may be
  var holdsMost: Long             = 0
  var inFlight: Int               = 0
  var isOverloaded: Boolean       = false
  var routes: List[RouteSnapshot] = Nil
}

/** One route's part of that; `limit` is -1 where there is none. */
private[server] final class RouteSnapshot private (
    val route: RouteClass,
    var inFlight: Int,
    var limit: Int,
    val latencies: Latencies,
    val byStatus: Array[Long],
    val refused: Array[Long]
) {

  /** Of one that has no routes any more: what it has done, by that name. */
  def past(route: RouteClass): RouteSnapshot =
    new RouteSnapshot(route, 0, -1, latencies.copy(), byStatus.clone(), refused.clone())

  /** Adds the same route's of another loop. */
  def add(other: RouteSnapshot): Unit = {
    inFlight += other.inFlight
    limit = if (limit < 0) other.limit else if (other.limit < 0) limit else limit + other.limit
    latencies.add(other.latencies)
    var i = 0
    while (i < byStatus.length) {
      byStatus(i) += other.byStatus(i)
      i += 1
    }
    i = 0
    while (i < refused.length) {
      refused(i) += other.refused(i)
      i += 1
    }
  }
}

private[server] object RouteSnapshot {
  def apply(state: RouteState): RouteSnapshot = new RouteSnapshot(
    state.route,
    state.inFlight,
    if (state.limit == null) -1 else state.limit.limit,
    state.latencies.copy(),
    state.byStatus.clone(),
    state.refused.clone()
  )
}

/** What routes have done that are no more, by their names: few, and so are those who make routes as they go. */
private[server] final class RetiredRoutes {
  private val byName = mutable.LinkedHashMap.empty[(String, String), RouteSnapshot]

  def add(state: RouteState): Unit = {
    val route = if (byName.size < RetiredRoutes.Most) state.route else RouteClass.handler
    val past  = RouteSnapshot(state).past(route)
    byName.get((route.method, route.template)) match {
      case Some(sum) => sum.add(past)
      case None      => byName((route.method, route.template)) = past
    }
  }

  def copies: List[RouteSnapshot] =
    if (byName.isEmpty) Nil else byName.valuesIterator.map(past => past.past(past.route)).toList
}

private[server] object RetiredRoutes {

  /** Names kept apart; what comes later counts as `*`. */
  final val Most = 256
}
