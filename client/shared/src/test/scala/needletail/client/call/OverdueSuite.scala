package needletail.client.call

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Client, Misbehaving}
import needletail.client.policy.BreakerState
import needletail.http._
import needletail.testing.Suite

/**
 * Calls that are cancelled when the time of whoever waits for their heads is over: the host has failed if it had the
 * whole request and has not responded, otherwise it has not.
 */
class OverdueSuite extends Suite with Misbehaving {
  private val over: HasTimeLimit = new HasTimeLimit { val timeLimit: TimeLimit = TimeLimit.in(Duration.Zero) }

  private val config = strict.copy(connectionsPerHost = 1)

  /** Sends the call, waits for `isSo` and cancels. */
  private def cancelled(client: Client, call: => Call)(isSo: => Boolean): Unit = client.await {
    val response               = call.headFor(over).response
    def cancels(): Async[Unit] =
      if (isSo) { response.cancel(); Async.unit }
      else Async.sleep(1.milli).flatMap(_ => cancels())
    cancels()
  }

  /** Failures, of these those by a timeout, and calls that were cancelled. */
  private def counts(client: Client): (Long, Long, Long) = {
    val statistics = client.statistics.head
    assertEquals(statistics.breaker, BreakerState.Closed: BreakerState)
    (statistics.failures, statistics.timeouts, statistics.cancelled)
  }

  /** Content of which one piece is sent, and the next one never comes. */
  private final class Unfinished extends ByteStream {
    private var hasSent                    = false
    def next(): Async[Option[Array[Byte]]] =
      if (hasSent) new AsyncPromise[Option[Array[Byte]]]
      else {
        hasSent = true
        Async.value(Some("some".getBytes))
      }
    def cancel(): Unit = ()
  }

  test("the host has the whole request and has not responded: it has failed") {
    scripted((_, _) => (), config) { (server, client) =>
      cancelled(client, client.get(server.url))(server.requests.get == 1)
      assertEquals(counts(client), (1L, 1L, 1L))
    }
  }

  test("a call that waits for a connection: nothing was expected of the host") {
    scripted((_, _) => (), config) { (server, client) =>
      val first = client.get(server.url).future
      eventually(server.requests.get == 1)
      cancelled(client, client.get(server.url))(client.statistics.head.waiting == 1)
      assertEquals(counts(client), (0L, 0L, 1L))
      assert(!first.isCompleted)
    }
  }

  test("a call whose content is still being sent: the host waits, too") {
    scripted((_, _) => (), config) { (server, client) =>
      cancelled(client, client.post(server.url).body(new Unfinished))(server.requests.get == 1)
      assertEquals(counts(client), (0L, 0L, 1L))
    }
  }

  test("a call whose head has come: that was in time, or the caller would not have read on") {
    scripted((peer, _) => peer.send("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\nsome"), config) {
      (server, client) =>
        client.await(client.get(server.url).headFor(over).stream.map { response =>
          assertEquals(response.status, Status.Ok)
          response.body.cancel()
        })
        assertEquals(counts(client), (0L, 0L, 1L))
    }
  }
}
