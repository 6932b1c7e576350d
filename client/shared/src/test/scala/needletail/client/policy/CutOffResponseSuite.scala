package needletail.client.policy

import scala.concurrent.duration._

import needletail.client.{Client, Misbehaving, Scripted}
import needletail.client.config.RetryConfig
import needletail.client.error.ClientError
import needletail.testing.Suite

/** Responses that are cut off after their heads: calls whose callers have seen nothing of them are made again. */
class CutOffResponseSuite extends Suite with Misbehaving {
  private val quick = clientConfig.copy(retry = RetryConfig(firstDelay = 1.milli, maxDelay = 5.millis))

  private val fixed   = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\nX-From: first\r\n\r\nabc"
  private val chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"
  private val isRead  = 20.millis.toMillis.toInt // so that the head is read before the end

  /** The first response is cut off, by an end or a reset. */
  private def cutting[A](
      part: String,
      whole: String,
      reset: Boolean = false
  )(body: (Scripted, Client) => A): A =
    scripted(
      (peer, n) =>
        if (n > 1) peer.send(whole)
        else {
          peer.send(part)
          peer.later(isRead)(if (reset) peer.reset() else peer.close())
        },
      quick
    )(body)

  test("a response that is received whole is requested again, and nothing of the first one is left") {
    for {
      part  <- List(fixed, chunked)
      whole <- List(ok, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n")
      reset <- List(false, true)
    } cutting(part, whole, reset) { (server, client) =>
      val response = client.get(server.url).await()
      assertEquals((response.text, response.header("X-From")), ("ok", None))
      assertEquals(server.requests.get, 2)
      val s = client.statistics.head
      assertEquals((s.retries, s.failures, s.stale, s.inFlight), (1L, 1L, 0L, 0))
    }
  }

  test("one that takes longer than an attempt may, too") {
    scripted(
      (peer, n) => peer.send(if (n == 1) fixed else ok),
      quick.copy(attemptTimeout = Some(1.second))
    ) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "ok")
      assertEquals((client.statistics.head.timeouts, client.statistics.head.retries), (1L, 1L))
    }
  }

  test("but not a call that may not be repeated, nor one whose response is streamed") {
    cutting(fixed, ok) { (server, client) =>
      val e = intercept[ClientError.ConnectionLost](client.post(server.url).body("x").await())
      assert(e.getMessage.contains("inside the response's body, 7 bytes before its end"), e.getMessage)
      assertEquals(server.requests.get, 1)
    }
    cutting(fixed, ok) { (server, client) =>
      intercept[ClientError.ConnectionLost](client.get(server.url).once.await())
      assertEquals(server.requests.get, 1)
    }
    cutting(fixed, ok) { (server, client) =>
      val e = intercept[ClientError.ConnectionLost](
        client.await(client.get(server.url).stream.flatMap(_.body.foreach(_ => ())))
      )
      assert(e.getMessage.contains("inside the response's body"), e.getMessage)
      assertEquals(server.requests.get, 1)
    }
  }

  test("nor after a refusal that asks for more time than the client waits") {
    val refusal = "HTTP/1.1 503 Later\r\nRetry-After: 3600\r\nContent-Length: 10\r\n\r\nabc"
    cutting(refusal, ok) { (server, client) =>
      intercept[ClientError.ConnectionLost](client.get(server.url).await())
      assertEquals(server.requests.get, 1)
    }
  }

  test("as often as other failures: the last error is the call's") {
    scripted(
      (peer, _) => {
        peer.send(fixed)
        peer.later(isRead)(peer.close())
      },
      quick
    ) { (server, client) =>
      val e = intercept[ClientError.ConnectionLost](client.get(server.url).await())
      assert(e.getMessage.contains("inside the response's body"), e.getMessage)
      assertEquals(server.requests.get, 3)
    }
  }
}
