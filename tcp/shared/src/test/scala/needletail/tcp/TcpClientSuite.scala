package needletail.tcp

import needletail.testing.Suite

class TcpClientSuite extends Suite with WithTestServer {
  private val echo: (TestPeer, String) => Unit = (peer, line) => peer.send(s"$line\n")

  test("a request gets its answer, from a loop and from outside") {
    scripted(echo) { (server, client) =>
      assertEquals(await(client.future("a")), "a")
      assertEquals(client.await(client.call("b").flatMap(b => client.call(b + "c"))), "bc")
      assertEquals(server.opened.get, 1)
      eventually(isIdle(client), client.statistics)
    }
  }

  test("many at once are pipelined on one connection, each with its own answer") {
    scripted(echo, one.copy(maxQueued = 10000)) { (server, client) =>
      val requests = (1 to 10000).map(i => s"request $i")
      assertEquals(all(client, requests), requests.map(Right(_)))
      assertEquals((server.opened.get, server.lines.get), (1, 10000))
      eventually(isIdle(client), client.statistics)
    }
  }
}
