package needletail.server.overload

import needletail.async.{Async, AsyncPromise}
import needletail.http.{Reply, Response}
import needletail.http.admission.RouteClass
import needletail.server.VirtualServer
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
}
