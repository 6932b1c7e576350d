package needletail.client.connection

import scala.concurrent.duration._

import needletail.client.{Misbehaving, Peer}
import needletail.client.error.ClientError
import needletail.http.Method
import needletail.testing.Suite

/** A server closes a connection just as it is used again: what is repeated, and what must not be. */
class StaleConnectionSuite extends Suite with Misbehaving {

  /** Answers the first request of each connection and closes, without a word, on the second. */
  private val once: (Peer, Int) => Unit = (peer, _) => if (peer.served == 1) peer.send(ok) else peer.close()

  test("an idempotent request goes to a fresh connection, unseen by the caller and for free") {
    scripted(once) { (server, client) =>
      for (i <- 1 to 5) assertEquals(client.get(s"${server.url}/$i").await().text, "ok")
      val s = client.statistics.head
      assertEquals((s.calls, s.stale, s.retries, s.failures), (5L, 4L, 0L, 0L))
      assertEquals(s.opened, 5L)
    }
  }

  test("one that is not, and has left, fails: the server may have acted on it") {
    scripted(once) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "ok")
      val e = intercept[ClientError.ConnectionLost](client.post(server.url).body("pay").await())
      assert(e.getMessage.contains("before the response"), e.getMessage)
      assertEquals(server.requests.get, 2)
    }
  }

  test("unless the call says that it may be repeated") {
    scripted(once) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "ok")
      assertEquals(client.post(server.url).body("pay").repeatable.await().text, "ok")
      intercept[ClientError.ConnectionLost](client.get(server.url).once.await())
    }
  }

  test("a connection that the server has closed while it idled is not used at all") {
    scripted((peer, _) => { peer.send(ok); peer.later(20)(peer.close()) }) { (server, client) =>
      for (_ <- 1 to 3) {
        assertEquals(client.call(Method.POST, server.url).await().text, "ok")
        eventually(client.statistics.head.open == 0)
      }
      assertEquals(client.statistics.head.stale, 0L)
    }
  }

  test("an answer that has begun is never asked for again") {
    scripted((peer, _) =>
      if (peer.served == 1) peer.send(ok) else { peer.send("HTTP/1.1 2"); peer.close() }
    ) {
      (server, client) =>
        assertEquals(client.get(server.url).await().text, "ok")
        intercept[ClientError.ConnectionLost](client.get(server.url).await())
        assertEquals(client.statistics.head.stale, 0L)
    }
  }

  test("an unused connection goes after its time") {
    scripted((peer, _) => peer.send(ok), strict.copy(idleTimeout = 100.millis)) { (server, client) =>
      assertEquals(client.get(server.url).await().text, "ok")
      assertEquals(client.statistics.head.idle, 1)
      eventually(server.closed.get == 1 && client.statistics.head.open == 0)
    }
  }
}
