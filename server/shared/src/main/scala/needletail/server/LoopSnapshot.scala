package needletail.server

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
private[server] final class RouteSnapshot(state: RouteState) {
  val route: RouteClass     = state.route
  var inFlight: Int         = state.inFlight
  var limit: Int            = if (state.limit == null) -1 else state.limit.limit
  val latencies: Latencies  = state.latencies.copy()
  val byStatus: Array[Long] = state.byStatus.clone()
  val refused: Array[Long]  = state.refused.clone()

  /** Adds the same route's of another loop. */
  def add(other: RouteSnapshot): Unit = {
    inFlight += other.inFlight
    limit = if (limit < 0 || other.limit < 0) -1 else limit + other.limit
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
