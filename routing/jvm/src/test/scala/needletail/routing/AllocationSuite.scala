package needletail.routing

import scala.concurrent.duration._

import needletail.http.{Reply, Request}
import needletail.testing.Allocation

/** What a look-up allocates. */
class AllocationSuite extends needletail.testing.Suite {
  override def munitTimeout: Duration = 2.minutes // longer than `Allocation.each` tries

  /** Where replies go, so that no call is dropped as useless. */
  private var sink: Reply = null

  private def assertAllocates(bound: Double, routes: Routes, request: Request): Unit = {
    val calls = 20000
    val bytes = Allocation.each(calls, bound) {
      var i = 0
      while (i < calls) {
        sink = routes(request)
        i += 1
      }
    }
    assert(sink != null)
    assert(bytes <= bound, s"$bytes bytes")
  }

  private val hello  = "hello".ok
  private val routes =
    Routes((0 until 200).map(i => GET / "api" / s"resource$i" / "list" to hello)*) ++ Routes(
      GET / "api" / "typed" / arg[Int] / arg[String] + ?("q", arg[Int]) to { case (_, _, _) => hello },
      GET / "gr%&" / "x" to hello
    )

  test("matching a literal route allocates nothing") {
    assertAllocates(0.5, routes, Request.get("/api/resource99/list"))
  }

  test("nor if the path is percent-encoded, nor for HEAD") {
    assertAllocates(0.5, routes, Request.get("/gr%25%26/x"))
    assertAllocates(0.5, routes, Request.head("/api/resource99/list"))
  }

  test("a request that matches nothing allocates nothing either") {
    assertAllocates(0.5, routes, Request.get("/api/nothing"))
  }

  test(
    "nor do routes beside wrapped ones, nor those beside routes with a filter: unused, neither costs anything"
  ) {
    val who    = Filter("who")(_ => needletail.async.Async.value(Right("Ann")))
    val beside = Routes(
      Routes(GET / "wrapped" to hello).mapResponse((_, response) => response.header("X-Mark", "1")),
      Routes(GET / "around" to hello).around((_, next) => next()),
      (GET / "filtered" + who) to (_ => hello)
    ) ++ routes
    assertAllocates(0.5, beside, Request.get("/api/resource99/list"))
    val wrapped = Request.get("/wrapped")
    assert(Allocation.of { sink = beside(wrapped) } > 0, "what is wrapped allocates")
  }

  test("a typed route with three values allocates little more than those") {
    assertAllocates(600, routes, Request.get("/api/typed/123456/name?q=654321"))
  }
}
