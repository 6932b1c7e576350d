package needletail.server.overload

import scala.collection.mutable

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Handler, Reply, Request, Response}
import needletail.routing._
import needletail.server.session.FakeWire

/** The limits of routes that a handler calls after an asynchronous step. */
class LateRequestsSuite extends RouteLimitFixture {
  private def after(steps: Steps)(routes: Handler): Handler = Handler { (request: Request) =>
    steps.step().flatMap { _ =>
      routes(request) match {
        case later: Reply.Later => later.response
        case response: Response => Async.value(response)
      }
    }
  }

  test("routes that are called after an asynchronous step have their limit, and wait for room in it") {
    val steps  = new Steps
    val calls  = mutable.ArrayBuffer.empty[AsyncPromise[Response]]
    val routes = Routes(GET / "a" to {
      calls += new AsyncPromise[Response]
      calls.last: Async[Response]
    })
    val outside = after(steps)(routes)
    val three  = config.copy(overload = config.overload.copy(maxInFlight = 3))
    val first  = new FakeWire(outside, three)
    val all    = first :: List.fill(2)(new FakeWire(outside, three, first))
    def turn() = for (_ <- 1 to 3) {
      steps.finish()
      all.foreach(_.turn())
    }
    all.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
    turn()
    assertEquals((calls.size, limitOf(first).inFlight), (1, 1))
    for (n <- 0 to 2) {
      calls(n).fail(noDuration)
      turn()
      assertEquals((calls.size, limitOf(first).inFlight), ((n + 2).min(3), if (n < 2) 1 else 0))
    }
    assertEquals(all.map(_.statuses), List.fill(3)(List(500)))
    assertEquals(first.context.admission.inFlight, 0)
    var inFlight = 0
    first.context.admission.foreach(inFlight += _.inFlight)
    assertEquals(inFlight, 0)
  }

  test("a refusal of a request whose route was found later is no quick answer of that route") {
    val steps   = new Steps
    val call    = new AsyncPromise[Response]
    val routes  = Routes(GET / "a" to { call: Async[Response] })
    val outside = after(steps)(routes)
    val one   = config.copy(overload = config.overload.copy(maxInFlight = 1))
    val first = new FakeWire(outside, one)
    val all   = first :: List.fill(2)(new FakeWire(outside, one, first))

    def ask(of: FakeWire*) = {
      of.foreach(_.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n"))
      steps.finish()
    }
    ask(first)
    call.fail(noDuration)
    for (_ <- 1 to 3) first.turn()
    val unknown = limitOf(first).allowed
    ask(all.tail: _*)
    for (_ <- 1 to 3) all.foreach(_.turn())
    assertEquals(all.map(_.statuses), List(List(500), List(503), List(503)))
    assertEquals((limitOf(first).allowed, limitOf(first).inFlight), (unknown, 0))
  }
}
