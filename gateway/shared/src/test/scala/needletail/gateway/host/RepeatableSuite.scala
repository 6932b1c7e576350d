package needletail.gateway.host

import scala.concurrent.duration._

import needletail.async.AsyncPromise
import needletail.gateway.host.backend.Backend
import needletail.gateway.host.incoming.{ProgramRequest, ScriptPath, SizedContent}
import needletail.gateway.host.upstream.PeerLost
import needletail.http.Request
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** The time of a request that is sent anew, as the first server was lost. */
class RepeatableSuite extends Suite {

  /** A request whose first server is lost after 700 ms of the second that each may take. */
  private final class Lost(maxTime: FiniteDuration = 10.minutes) {
    val loop          = new ManualLoop
    val first, second = new FakeBackend
    val next          = new AsyncPromise[Backend]
    var stuck         = 0
    var ends          = 0
    val answer        = loop.within {
      val request =
        new ProgramRequest(
          Request.get("/x"),
          ScriptPath("/x", "", null, null),
          SizedContent.none,
          Nil,
          "x",
          null
        )
      val config = ProgramHostConfig(timeout = 1.second, maxTime = maxTime, log = new Lines)
      new Conversation(request, config).begin(new Repeatable(first, () => next), () => stuck += 1)(_ =>
        ends += 1
      )
    }
    loop.advance(700.millis)
    loop.within(first.answer.end(new PeerLost("gone")))

    def begins(): Unit = loop.within { next.succeed(second); () }
  }

  test("the next server has the whole of `timeout`, whatever the first one took and finding the next one") {
    for (wait <- List(0.millis, 5.seconds)) {
      val lost = new Lost
      lost.loop.advance(wait)
      lost.begins()
      lost.loop.advance(990.millis)
      assertEquals((lost.answer.poll, lost.second.isStopped, lost.stuck), (None, false, 0))
      lost.loop.within(lost.second.answer.add("Content-Type: text/plain\n\n".getBytes))
      assert(lost.answer.poll.exists(_.isSuccess), lost.answer.poll)
    }
  }

  test("a next server that does not answer within it is stuck") {
    val lost = new Lost
    lost.loop.advance(300.millis)
    lost.begins()
    lost.loop.advance(1010.millis)
    assertEquals(lost.answer.poll.map(_.failed.get), Some(Conversation.tooSlow))
    assertEquals((lost.second.isStopped, lost.stuck, lost.ends), (true, 1, 1))
  }

  test("`maxTime` bounds all of it, and blames no server") {
    for (begins <- List(false, true)) {
      val lost = new Lost(maxTime = 1500.millis)
      if (begins) lost.begins()
      lost.loop.advance(790.millis)
      assertEquals(lost.answer.poll, None)
      lost.loop.advance(10.millis)
      assertEquals(lost.answer.poll.map(_.failed.get), Some(Conversation.tooSlow))
      assertEquals((lost.stuck, lost.ends), (0, 1))
    }
  }
}
