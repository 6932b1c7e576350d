package needletail.client.policy

import scala.concurrent.duration._

import needletail.client.Misbehaving
import needletail.client.config.{BreakerConfig, RetryConfig}
import needletail.client.error.ClientError
import needletail.testing.Suite

/** The circuit breaker lets no further attempt of a call through: what the attempt before it has had is the result. */
class RefusedRetrySuite extends Suite with Misbehaving {
  private val quick = clientConfig.copy(
    retry = RetryConfig(firstDelay = 1.milli, maxDelay = 5.millis),
    breaker = BreakerConfig(minCalls = 1, openFor = 1.hour)
  )

  private val unavailable = "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno"

  test("a response that opens the breaker is the call's, as it would not be made again") {
    scripted((peer, _) => peer.send(unavailable), quick) { (server, client) =>
      val response = client.get(server.url).await()
      assertEquals((response.status.code, response.text), (503, "no"))
      val streamed = client.service(server.url) // the same host
      intercept[ClientError.BreakerOpen](client.get(server.url).await())
      intercept[ClientError.BreakerOpen](client.await(streamed.get("/").stream))
      val s = client.statistics.head
      assertEquals((server.requests.get, s.attempts, s.retries, s.failures), (1, 1L, 0L, 1L))
      assertEquals((s.breaker, s.inFlight), (BreakerState.Open: BreakerState, 0))
    }
    scripted((peer, _) => peer.send(unavailable), quick) { (server, client) =>
      val text = client.await(client.get(server.url).stream.flatMap { response =>
        response.body.fold(
          ""
        )((text, piece) => text + new String(piece, "US-ASCII")).map(response.status.code -> _)
      })
      assertEquals(text, (503, "no"))
      assertEquals((server.requests.get, client.statistics.head.failures), (1, 1L))
    }
  }

  test("so is that of a probe, which opens it again") {
    @volatile var isProbe = false
    val config            = quick.copy(breaker = BreakerConfig(minCalls = 1, openFor = 50.millis, probes = 1))
    scripted((peer, _) => peer.send(unavailable), config) { (server, client) =>
      assertEquals(client.get(server.url).await().status.code, 503)
      eventually(
        try {
          isProbe = client.get(server.url).await().status.code == 503
          isProbe
        } catch { case _: ClientError.BreakerOpen => false },
        "no probe is let through"
      )
      assertEquals(server.requests.get, 2)
    }
  }

  test("a lost connection that opens the breaker is the call's error") {
    scripted((peer, _) => peer.close(), quick) { (server, client) =>
      val e = intercept[ClientError.ConnectionLost](client.get(server.url).await())
      assert(e.getMessage.contains("the connection ended before the response"), e.getMessage)
      intercept[ClientError.BreakerOpen](client.get(server.url).await())
      assertEquals((server.requests.get, client.statistics.head.retries), (1, 0L))
    }
  }

  test("so is one that others open while the call waits for its next attempt") {
    val config = quick.copy(
      retry = RetryConfig(firstDelay = 2.seconds, maxDelay = 2.seconds),
      breaker = BreakerConfig(minCalls = 2, openFor = 1.hour)
    )
    scripted((peer, _) => peer.close(), config) { (server, client) =>
      val waiting = client.get(server.url).future
      eventually(client.statistics.exists(_.retries == 1), client.statistics)
      intercept[ClientError.ConnectionLost](client.get(server.url).once.await())
      intercept[ClientError.ConnectionLost](await(waiting))
      assertEquals(client.statistics.head.breaker, BreakerState.Open: BreakerState)
    }
  }
}
