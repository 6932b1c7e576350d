package needletail.server.operations

import needletail.http.Refusal
import needletail.http.admission.RouteClass
import needletail.metrics.{Histogram, MetricText}
import needletail.testing.Suite

class ServerMetricsSuite extends Suite {
  private val route = new RouteClass("GET", "/orders")

  private def loop(number: Int, requests: Long): LoopSnapshot = {
    val statuses = new StatusCounts
    statuses.add(200, requests)
    val loop = new LoopSnapshot(number, new LoopCounts, 0)
    loop.routes = List(new RouteSnapshot(
      route,
      inFlight = 1,
      limit = 8,
      new Histogram(Histogram.coarse),
      statuses,
      new Array[Long](Refusal.names.length)
    ))
    loop
  }

  private def page(loops: Seq[LoopSnapshot]): String = {
    val out = new MetricText
    ServerMetrics.write(out, true, 1, 0, 1, loops, _ => 0L)
    out.toString
  }

  test("the last reports of blocked loops are summed, however often they are written") {
    val loops = Seq(loop(0, 5), loop(1, 2))
    val first = page(loops)
    assert(first.contains("""needletail_requests_total{method="GET",route="/orders",code="200"} 7"""), first)
    assertEquals(page(loops), first)
  }
}
