package needletail.server.operations

import needletail.http.admission.RouteClass
import needletail.metrics.Histogram

/** The counts and gauges of one route on one loop at one moment; `limit` is -1 if there is none. */
private[server] final class RouteSnapshot(
    val route: RouteClass,
    var inFlight: Int,
    var limit: Int,
    val latencies: Histogram,
    val byStatus: StatusCounts,
    val refused: Array[Long]
) {

  /** A copy of the counts only, under the name of that route: for a route that no longer exists. */
  def past(route: RouteClass): RouteSnapshot = copied(route, 0, -1)

  /** A copy of everything. */
  def copied: RouteSnapshot = copied(route, inFlight, limit)

  private def copied(route: RouteClass, inFlight: Int, limit: Int) =
    new RouteSnapshot(route, inFlight, limit, latencies.copy(), byStatus.copy(), refused.clone())

  /** Adds those of the same route on another loop. */
  def add(other: RouteSnapshot): Unit = {
    inFlight += other.inFlight
    limit = if (limit < 0) other.limit else if (other.limit < 0) limit else limit + other.limit
    latencies.add(other.latencies)
    byStatus.add(other.byStatus)
    var i = 0
    while (i < refused.length) {
      refused(i) += other.refused(i)
      i += 1
    }
  }
}
