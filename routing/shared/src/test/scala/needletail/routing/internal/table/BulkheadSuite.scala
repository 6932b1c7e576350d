package needletail.routing.internal.table

import scala.concurrent.duration._

import needletail.async.Async
import needletail.routing._
import needletail.testing.Suite
import needletail.testkit._

/** `limit`: requests in flight, waiting and refused. */
class BulkheadSuite extends Suite {
  private val loop = new ManualLoop

  private def slow = Async.sleep(1.second).map(_ => "done".ok)

  private def ask(routes: Routes, path: String = "/a") = routes.test(Request.get(path), loop)

  test("one more than may be under way is answered 503 at once, with Retry-After") {
    val routes     = (GET / "a" to slow).limit(inFlight = 2)
    val (one, two) = (ask(routes), ask(routes))
    val three      = ask(routes)
    assert(three.isAnswered && !one.isAnswered && !two.isAnswered)
    assertEquals(three.status, Status.ServiceUnavailable)
    assertEquals(three.header("Retry-After"), Some("1"))
    assertEquals(List(one.status, two.status), List(Status.Ok, Status.Ok))
    assertEquals(ask(routes).status, Status.Ok)
  }

  test("fault 13: a limit of zero, or a negative queue, is refused when the routes are made") {
    def refusal(limited: => Routes) = intercept[IllegalArgumentException](limited).getMessage
    val route                       = GET / "a" to slow
    for (routes <- Seq[Routes](route, Routes(route, GET / "b" to slow))) {
      assertEquals(refusal(routes.limit(0)), "Routes.limit.inFlight is 0, but must be above 0")
      assertEquals(refusal(routes.limit(-1)), "Routes.limit.inFlight is -1, but must be above 0")
      assertEquals(refusal(routes.limit(1, queue = -1)), "Routes.limit.queue is -1, but must be 0 or above")
      assertEquals(
        refusal(routes.limit(1, 1, -1.second)),
        "Routes.limit.queueTime is -1 seconds, but must be 0 to 3650 days"
      )
    }
  }

  test("those in the queue are let in, in order, as places become free") {
    val routes = (GET / "a" to slow).limit(inFlight = 1, queue = 2, queueTime = 10.seconds)
    val asked  = List.fill(4)(ask(routes))
    assertEquals(asked.map(_.isAnswered), List(false, false, false, true))
    loop.advance(1.second)
    assertEquals(asked.map(_.isAnswered), List(true, false, false, true))
    loop.advance(1.second)
    assertEquals(asked.map(_.isAnswered), List(true, true, false, true))
    assertEquals(asked.map(_.status.code), List(200, 200, 200, 503))
    assertEquals(loop.pendingTimers, 0)
  }

  test("clients that wait may leave one behind the other, also after one was let in") {
    val routes = (GET / "a" to slow).limit(inFlight = 1, queue = 2, queueTime = 10.seconds)
    ask(routes)
    val (first, second) = (ask(routes), ask(routes))
    second.cancel()
    val third = ask(routes)
    loop.advance(1.second) // the first is let in
    third.cancel()
    val fourth = ask(routes)
    loop.advance(2.seconds)
    assertEquals(List(first, fourth).map(_.status), List(Status.Ok, Status.Ok))
    assertEquals(loop.pendingTimers, 0)
  }

  test("who waited too long is answered 503 and has left the queue") {
    val routes = (GET / "a" to Async.sleep(1.minute).map(_ => "done".ok)).limit(1, 1, 200.millis)
    ask(routes)
    val waits = ask(routes)
    waits.advance(199.millis)
    assert(!waits.isAnswered)
    waits.advance(1.milli)
    assert(waits.isAnswered)
    assertEquals(waits.status, Status.ServiceUnavailable)
    assert(!ask(routes).isAnswered, "the queue has room again")
    loop.advance(1.minute)
  }

  test("who hangs up gives up the place, or the place in the queue") {
    val bulkhead = new Bulkhead(1, 1, 10.seconds)
    val routes   = (GET / "a" to slow).within(bulkhead)
    val one      = ask(routes)
    val two      = ask(routes)
    assertEquals((bulkhead.taken, bulkhead.queued), (1, 1))
    two.cancel()
    assertEquals((bulkhead.taken, bulkhead.queued), (1, 0))
    val three = ask(routes)
    one.cancel()
    loop.runAll()
    assertEquals((bulkhead.taken, bulkhead.queued), (1, 0))
    assertEquals(three.status, Status.Ok)
    assertEquals((bulkhead.taken, bulkhead.queued), (0, 0))
    assertEquals(loop.pendingTimers, 0)
  }

  test("a place comes free whatever becomes of the request") {
    val bulkhead                      = new Bulkhead(1, 0, 1.second)
    def one(reply: => Response)       = (GET / "a" to reply).within(bulkhead)
    def later(reply: Async[Response]) = (GET / "a" to reply).within(bulkhead)
    assertEquals(ask(one("now".ok)).text, "now")
    assertEquals(ask(one(throw new RuntimeException("no"))).status.code, 500)
    assertEquals(ask(later(Async.fail(new RuntimeException("no")))).status.code, 500)
    assertEquals(bulkhead.taken, 0)
  }

  test("one kind in trouble takes nothing from the others") {
    val routes = Routes((GET / "a" to slow).limit(1), GET / "b" to slow)
    val asked  = List.fill(5)(ask(routes))
    assertEquals(asked.count(_.isAnswered), 4)
    assertEquals(List.fill(5)(ask(routes, "/b")).map(_.status.code), List.fill(5)(200))
  }

  test("several routes can share one, and a route can have one more inside") {
    val routes = Routes((GET / "a" to slow).limit(1), GET / "b" to slow).limit(inFlight = 2)
    val asked  = List(ask(routes), ask(routes), ask(routes, "/b"), ask(routes, "/b"))
    assertEquals(asked.map(_.status.code), List(200, 503, 200, 503))
  }

  test("what does not match takes no place") {
    val routes = (GET / "a" / arg[Int] to (_ => slow)).limit(inFlight = 1)
    ask(routes, "/a/1")
    assertEquals(ask(routes, "/a/x").status, Status.BadRequest)
    assertEquals(ask(routes, "/b").status, Status.NotFound)
  }

  test("limits must make sense") {
    intercept[IllegalArgumentException]((GET / "a" to slow).limit(0))
    intercept[IllegalArgumentException]((GET / "a" to slow).limit(1, -1))
  }

  test("a handler that returns null instead of an Async gives its place back") {
    val routes = (GET / "a" to (null: Async[Response])).limit(inFlight = 1)
    for (_ <- 1 to 3) assertEquals(ask(routes).status, Status.InternalServerError)
  }
}
