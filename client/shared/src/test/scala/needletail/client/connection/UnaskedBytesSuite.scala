package needletail.client.connection

import needletail.async.Async
import needletail.client.{Client, Misbehaving, Peer}
import needletail.client.call.Call
import needletail.http.Method
import needletail.testing.Suite

/** What a server sends, or does, between two requests while the loop is busy, and so has not read it. */
class UnaskedBytesSuite extends Suite with Misbehaving {
  private val evil = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"

  /** Two calls in one turn, the second after the server has done what it does after the first answer. */
  private def twoInOneTurn(
      client: Client,
      first: Call,
      second: Call
  )(between: () => Boolean): (String, String) =
    await(client.run {
      first.text.flatMap { a =>
        eventually(between(), "the server has done it")
        second.text.map(a -> _)
      }
    })

  test("a second response to the first request is not the answer to the next one") {
    @volatile var isSent = false
    scripted((peer, n) =>
      if (n > 1) peer.send(ok)
      else {
        peer.send(ok)
        peer.later(20) {
          peer.send(evil)
          isSent = true
        }
      }
    ) { (server, client) =>
      assertEquals(
        twoInOneTurn(client, client.get(server.url), client.get(server.url))(() => isSent),
        ("ok", "ok")
      )
      assertEquals(server.opened.get, 2)
      eventually(client.statistics.head.open == 1 && client.statistics.head.inFlight == 0)
    }
  }

  test("a request that may not be repeated goes on a new connection, if the server has closed the idle one") {
    @volatile var isClosed = false
    scripted((peer, n) => {
      peer.send(ok)
      if (n == 1) peer.later(20) {
        peer.connection.close()
        isClosed = true
      }
    }) { (server, client) =>
      val pay = client.call(Method.POST, server.url).body("pay")
      assertEquals(twoInOneTurn(client, client.get(server.url), pay)(() => isClosed), ("ok", "ok"))
      assertEquals((server.opened.get, client.statistics.head.stale), (2, 0L))
    }
  }

  test("with pipelining: a response that came with those before is not for a request added meanwhile") {
    for (isLarge <- List(false, true)) {
      @volatile var first: Peer = null
      scripted(
        (peer, n) => {
          if (n == 1) first = peer
          if (peer ne first) peer.send(ok) else if (peer.served == 2) peer.send(ok + ok + evil)
        },
        strict.copy(connectionsPerHost = 1, pipelining = 2)
      ) { (server, client) =>
        val get   = client.get(server.url)
        val third = if (isLarge) client.put(server.url).body("x" * 100000) else get
        assertEquals(
          client.await(Async.all(Seq(get.text, get.text, third.text))),
          Seq("ok", "ok", "ok"),
          s"large: $isLarge"
        )
        assertEquals(server.opened.get, 2)
        eventually(client.statistics.head.open == 1 && client.statistics.head.inFlight == 0)
      }
    }
  }

  test("nor for one that was added and cancelled meanwhile, whose own response would be the next one's") {
    @volatile var first: Peer = null
    scripted(
      (peer, n) => {
        if (n == 1) first = peer
        if ((peer ne first) || peer.served > 2) peer.send(ok)
        else if (peer.served == 2) peer.send(ok + ok + evil)
      },
      strict.copy(connectionsPerHost = 1, pipelining = 2)
    ) { (server, client) =>
      val get   = client.get(server.url)
      val texts = client.await {
        val one, two = get.text
        one.flatMap { a =>
          get.text.cancel()
          two.flatMap(b => get.text.map(c => Seq(a, b, c)))
        }
      }
      assertEquals(texts, Seq("ok", "ok", "ok"))
      assertEquals((server.opened.get, first.served), (2, 2))
    }
  }
}
