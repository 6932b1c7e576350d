package needletail.client.pool

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.client.{Misbehaving, Peer, Scripted}
import needletail.client.error.ClientError
import needletail.client.url.Url
import needletail.testing.Suite

/** Calls that are under way when their host is forgotten, as others are called more recently. */
class ForgottenHostSuite extends Suite with Misbehaving {
  private val small = strict.copy(connectionsPerHost = 1, maxHosts = 1)

  private def besideAnother[A](body: Scripted => A): A = {
    val other = new Scripted((peer, _) => peer.send(ok))
    try body(other)
    finally other.close()
  }

  test("calls that wait for a connection are sent all the same, and the connection is closed then") {
    besideAnother { other =>
      val asked = new ConcurrentLinkedQueue[Peer]
      scripted(
        (peer, n) =>
          if (n == 1) { asked.add(peer); () }
          else peer.send(ok),
        small
      ) { (server, client) =>
        val calls = List.fill(3)(client.get(server.url).future)
        eventually(asked.size == 1)
        assertEquals(client.get(other.url).await().text, "ok")
        val first = asked.peek()
        first.connection.loop.execute(() => first.send(ok))
        assertEquals(calls.map(await(_).text), List("ok", "ok", "ok"))
        eventually(server.closed.get == server.opened.get)
      }
    }
  }

  test("those that wait fail when the client is closed") {
    besideAnother { other =>
      val asked = new ConcurrentLinkedQueue[Peer]
      scripted((peer, _) => { asked.add(peer); () }, small.copy(queueTimeout = 1.minute)) {
        (server, client) =>
          val calls = List.fill(3)(client.get(server.url).timeout(1.minute).future)
          eventually(asked.size == 1)
          assertEquals(client.get(other.url).await().text, "ok")
          client.close()
          calls.foreach(call => intercept[ClientError](await(call)))
      }
    }
  }

  test("a host that is called again each time that it was forgotten has one set of counts for each loop") {
    besideAnother { other =>
      scripted((peer, _) => peer.send(ok), small.copy(loops = 1)) { (server, client) =>
        val kept = client.service(server.url)
        val host = client.known.head
        for (_ <- 1 to 20) {
          assertEquals(kept.get("/").await().text, "ok")
          assertEquals(client.get(other.url).await().text, "ok")
        }
        assertEquals(kept.get("/").await().text, "ok")
        eventually(host.statistics.open == 1, host.statistics)
        assertEquals((host.counts.size, host.statistics.calls, host.statistics.opened), (1, 21L, 21L))
      }
    }
  }

  test("a call whose connection turns out to be closed is sent again") {
    besideAnother { other =>
      val asked = new ConcurrentLinkedQueue[Peer]
      scripted(
        (peer, n) =>
          if (n == 2) { asked.add(peer); () }
          else peer.send(ok),
        small
      ) { (server, client) =>
        assertEquals(client.get(server.url).await().text, "ok")
        val call = client.get(server.url).future
        eventually(asked.size == 1)
        assertEquals(client.get(other.url).await().text, "ok")
        val second = asked.peek()
        second.connection.loop.execute(() => second.close())
        assertEquals(await(call).text, "ok")
      }
    }
  }

  test("a call by a service whose host is known anew has no other host forgotten") {
    val registry             = new HostRegistry(strict.copy(maxHosts = 2), _ => ())
    def host(origin: String) = registry.of(Url.origin(origin).fold(why => fail(why), identity))
    val old                  = host("http://a.example")
    registry.forget(old)
    val known = List(host("http://a.example"), host("http://b.example"))
    for (_ <- 1 to 3) assert(registry.current(old) eq known.head)
    assertEquals(registry.all, known)
    assertEquals(known.map(_.isForgotten), List(false, false))
  }

  test("a host that is forgotten by one thread while another calls it again is either known or forgotten") {
    val registry = new HostRegistry(strict.copy(maxHosts = 10), _ => ())
    val host     = registry.of(Url.origin("http://a.example").fold(why => fail(why), identity))
    val other    = new Thread(() => for (_ <- 1 to 300000) registry.forget(host))
    other.start()
    while (other.isAlive) { val _ = registry.current(host) }
    other.join()
    assertEquals(registry.all.contains(host), !host.isForgotten)
    for (_ <- 1 to 100) {
      val forgetting = new Thread(() => for (_ <- 1 to 3000) registry.forget(host))
      forgetting.start()
      for (_ <- 1 to 3000) { val _ = registry.current(host) }
      forgetting.join()
      assertEquals(registry.all.contains(host), !host.isForgotten)
    }
  }
}
