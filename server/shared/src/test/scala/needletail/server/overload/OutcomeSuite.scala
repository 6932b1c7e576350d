package needletail.server.overload

import scala.concurrent.duration._

import needletail.async.{Rejected, TimedOut}
import needletail.http.{Around, Refusal, Response}
import needletail.http.message.{HttpError, Status}
import needletail.server.failure.MemoryExhausted
import needletail.testing.Suite

class OutcomeSuite extends Suite {

  test("statuses from 500 on are failures, and no others") {
    for (status <- List(Status.Ok, Status.NotFound)) assert(!Outcome.isFailure(Response(status)))
    for (status <- List(Status.InternalServerError, Status.BadGateway, Status.ServiceUnavailable))
      assert(Outcome.isFailure(Response(status)))
    assert(Outcome.isFailure(null: Response))
  }

  test(
    "what the server itself refuses or ends after a time is none, even if something is added to the refusal"
  ) {
    for (refusal <- Refusal.responses(1))
      assert(!Outcome.isFailure(refusal) && !Outcome.isFailure(refusal.header("X-Id", "1")))
    val tooSlow = Around.failure(new TimedOut(1.second))
    assert(!Outcome.isFailure(tooSlow) && !Outcome.isFailure(tooSlow.header("X-Id", "1")))
    for (cause <- List[Throwable](new TimedOut(1.second), new Rejected("full"), MemoryExhausted))
      assert(!Outcome.isFailure(cause), cause)
  }

  test("a refusal by another server that a handler passes on is a failure") {
    for (refusal <- Refusal.responses(1))
      assert(Outcome.isFailure(Response(refusal.status).withHeaders(refusal.headers).text("from elsewhere")))
  }

  test("an exception is judged by the status that is sent for it") {
    assert(!Outcome.isFailure(HttpError(Status.NotFound, "no such order")))
    assert(Outcome.isFailure(HttpError(Status.BadGateway, "down")))
    assert(Outcome.isFailure(new IllegalStateException("broken")))
    assert(Outcome.isFailure(HttpError(null, "without a status")))
  }
}
