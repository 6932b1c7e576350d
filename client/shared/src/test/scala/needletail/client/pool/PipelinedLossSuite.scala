package needletail.client.pool

import needletail.async.Async
import needletail.client.{Client, Misbehaving}
import needletail.client.error.ClientError
import needletail.testing.Suite

/** A connection is lost with several requests in flight: how those behind the first are sent again. */
class PipelinedLossSuite extends Suite with Misbehaving {
  private val shared = strict.copy(connectionsPerHost = 1, pipelining = 8)

  /** So many calls at once: the answers, or "lost". */
  private def calls(client: Client, url: String, count: Int): Seq[String] = client.await {
    val service = client.service(url)
    Async.all((1 to count).map(i => service.get(s"/$i").text.recover { case _: ClientError => "lost" }))
  }

  test("once, without a retry: a server that ends every connection is not called again and again") {
    scripted((peer, _) => if (peer.served == 1) peer.close(), shared) { (server, client) =>
      assertEquals(calls(client, server.url, 8), Seq.fill(8)("lost"))
      // the first of the second connection is alone on it, so each of the others has a connection for it
      assert(server.requests.get <= 8 + 7, server.requests.get)
      assertEquals(client.statistics.head.stale, 7L)
      eventually(client.statistics.head.open == 0 && client.statistics.head.inFlight == 0)
    }
  }

  test("the first of them alone, as it may be what the connection was lost by; then the others") {
    scripted((peer, n) => if (n == 1) peer.close() else peer.send(ok), shared) { (server, client) =>
      assertEquals(calls(client, server.url, 8), "lost" +: Seq.fill(7)("ok"))
      assertEquals(server.opened.get, 2)
      val again = server.received.dropWhile(_.contains("GET /1 "))
      assertEquals(again.head.split("GET /", -1).length - 1, 1, again)
    }
  }

  test("as often as the server says that it has not processed them, all at once") {
    val last = ok.replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
    scripted((peer, _) => if (peer.served == 1) { peer.send(last); peer.close() }, shared) {
      (server, client) =>
        assertEquals(calls(client, server.url, 8), Seq.fill(8)("ok"))
        assertEquals(server.opened.get, 8)
    }
  }
}
