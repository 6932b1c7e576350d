package needletail.server.overload

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, TimedOut}
import needletail.http.{Reply, Response}
import needletail.http.admission.RouteClass
import needletail.routing._
import needletail.server.VirtualServer
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.testing.Suite

/** Requests that have waited give back their places within the limit, whatever their handlers return. */
class WaitingRequestsSuite extends Suite {
  private val route = new RouteClass("GET", "/held")

  test(
    "a request that was held takes a place within its route's limit until its reply is there, or is null"
  ) {
    val admission = new VirtualServer(OverloadConfig()).admission
    def inFlight  = {
      var count = 0
      admission.foreach(state => if (state.route.template == "/held") count += state.limit.inFlight)
      count
    }
    def reply(of: () => Reply): Async[Response] = {
      admission.beginTurn()
      admission.later(route, of) match {
        case later: Reply.Later => later.response
        case other              => fail(s"$other")
      }
    }
    val answer = new AsyncPromise[Response]
    var isHere = false
    reply(() => new Reply.Later(answer)).foreach(_ => isHere = true)
    assertEquals(inFlight, 1)
    answer.succeed(Response.ok)
    assert(isHere)
    assertEquals(inFlight, 0)
    for (faulty <- Seq[() => Reply](() => null, () => new Reply.Later(null))) {
      val result = reply(faulty).resultOrNull
      assert(result.error.isInstanceOf[NullPointerException], result.toString)
      assertEquals(inFlight, 0)
    }
  }

  private val config = ServerConfig(
    log = Log.none,
    overload = OverloadConfig(grace = Duration.Zero, initialInFlight = 1, leastInFlight = 1)
  )

  private def limitOf(wire: FakeWire): InFlightLimit = {
    var found: InFlightLimit = null
    wire.context.admission.foreach(state => if (state.route.template == "/a") found = state.limit)
    found
  }

  test("an answer that is there at once has no duration, also if its request was held") {
    val missed = new AsyncPromise[Response]
    val routes = Routes(GET / "a" +
      ?("hit", arg[Boolean]) to (hit => if (hit) Async.value(Response.ok) else missed: Async[Response]))
    val wire = new FakeWire(routes, config)
    for (hit <- List(false, true)) wire.send(s"GET /a?hit=$hit HTTP/1.1\r\nHost: a\r\n\r\n")
    wire.after(50.millis)
    missed.succeed(Response.ok)
    assertEquals(wire.turn().turn().statuses, List(200, 200))
    assert(limitOf(wire).allowed >= 75.millis.toNanos, limitOf(wire).allowed)
  }

  test(
    "the time of a handler that fails with what is no failure of the server counts, also if its request was held"
  ) {
    for (cause <- List[Throwable](HttpError(Status.NotFound, "no such order"), new TimedOut(1.second))) {
      val calls = List.fill(2)(new AsyncPromise[Response])
      val next  = calls.iterator
      val wire  = new FakeWire(GET / "a" to { next.next(): Async[Response] }, config)
      wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
      calls.head.fail(
        new IllegalStateException("no duration")
      ) // so nothing is known of the route's durations
      wire.turn().turn()
      wire.after(50.millis)
      calls.last.fail(cause)
      wire.turn().turn()
      assert(limitOf(wire).allowed >= 75.millis.toNanos && limitOf(wire).allowed < 1.second.toNanos, cause)
    }
  }

  test("the time of a handler that the server has ended counts, also if its request was held") {
    val first = new AsyncPromise[Response]
    var calls = 0
    val route = GET / "a" to {
      calls += 1
      if (calls == 1) first else new AsyncPromise[Response]: Async[Response]
    }
    val wire = new FakeWire(route, config)
    wire.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n" * 2)
    first.fail(new IllegalStateException("no duration")) // so nothing is known of the route's durations
    wire.turn().turn()
    assertEquals(calls, 2)
    assertEquals(wire.after(31.seconds).turn().statuses.last, 503)
    assert(limitOf(wire).allowed >= 1.second.toNanos, limitOf(wire).allowed)
  }
}
