package needletail.server.operations

import needletail.server.session.FakeWire

import needletail.http._
import needletail.http.admission.RouteClass
import needletail.metrics.Histogram
import needletail.server.config.ServerConfig
import needletail.testing.{Garbage, Suite}

/** Fault 14: routes that are made as the program goes, and forgotten again. */
class RetiredRoutesSuite extends Suite {

  /** Routes anew for each request, as some build them out of what may change. */
  private val handler: Handler = new Handler {
    private[needletail] override def routeClass: RouteClass = null
    def apply(request: Request): Reply                      =
      Gate.admit(request, new RouteClass("GET", "/made"), () => Response.ok)
  }

  test("of a name that is known the total only grows, however many names there are by now") {
    val retired                     = new RetiredRoutes
    def end(template: String): Unit = {
      val counts = new StatusCounts
      counts.add(200, 1)
      retired.add(
        new RouteSnapshot(
          new RouteClass("GET", template),
          0,
          -1,
          new Histogram(Histogram.coarse),
          counts,
          new Array[Long](Refusal.names.length)
        )
      )
    }
    (1 to RetiredRoutes.Most).foreach(n => end(s"/$n"))
    end("/1")
    end("/another")
    val totals = retired.copies.map(past => past.route.template -> past.byStatus.of(200)).toMap
    assertEquals((totals("/1"), totals("*"), totals.get("/another")), (2L, 1L, None))
  }

  test("fault 14: what routes did that are no more is still counted, and they are let go") {
    val w = new FakeWire(handler, ServerConfig(log = Log.none))
    (1 to 6).foreach { _ =>
      w.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n" * 4000)
      Garbage.collect()
    }
    assertEquals(w.statuses.count(_ == 200), 24000)
    val snapshot = new LoopSnapshot(0, new LoopCounts, 0)
    w.context.admission.report(snapshot)
    val made = snapshot.routes.filter(_.route.template == "/made")
    assertEquals(made.map(_.byStatus.of(200)).sum, 24000L)
    assertEquals(made.map(_.latencies.count).sum, 24000L)
    // at most as many as there are places, which other suites of the same program may have taken too
    assert(made.size < 16000, made.size)
  }
}
