package needletail.client

import scala.concurrent.duration._

import needletail.async.Async
import needletail.client.error.ClientError
import needletail.testing.Suite

/** The time limits of calls that share a connection: each has its own. */
class PipelinedTimeoutSuite extends Suite with Misbehaving {
  private val shared = strict.copy(connectionsPerHost = 1, pipelining = 4, requestTimeout = 20.seconds)

  private def answer(target: String) =
    s"HTTP/1.1 200 OK\r\nContent-Length: ${target.length}\r\n\r\n$target"

  /** A server that answers nothing on its first connection by itself, but to what is asked to establish it. */
  private final class Holding {
    @volatile var first: Peer                 = null
    @volatile var asked: Vector[String]       = Vector.empty
    def script(peer: Peer, number: Int): Unit = {
      if (number == 1) first = peer
      if ((peer eq first) && peer.target != "/warm") asked :+= peer.target
      else peer.send(answer(peer.target))
    }

    /** The answers to the requests of the first connection, in their order. */
    def release(targets: String*): Unit =
      first.connection.loop.execute(() => first.send(targets.map(answer).mkString))
  }

  private def timedOut(error: Throwable, text: String): Unit =
    assert(error.isInstanceOf[ClientError.TimedOut] && error.getMessage.endsWith(text), error)

  private val behind = "within 2000 ms: it was waiting for an earlier response on its connection"

  test("a call behind a slower one fails in its own time, and the others get their own answers") {
    val held = new Holding
    scripted(held.script, shared) { (server, client) =>
      val service = client.service(server.url)
      service.get("/warm").await() // connecting takes nothing of the calls' time
      val slow  = service.get("/slow").future
      val short = service.get("/short").timeout(2.seconds).future
      val last  = service.get("/last").future
      timedOut(await(short.failed), behind)
      assert(!slow.isCompleted && !last.isCompleted)
      assertEquals(service.statistics.timeouts, 1L)
      // the connection takes no more
      val next = service.get("/next").future
      eventually(service.statistics.waiting == 1)
      eventually(held.asked.size == 3)
      assertEquals((service.statistics.open, server.closed.get), (1, 0))
      held.release("/slow", "/short", "/last")
      assertEquals(List(slow, last, next).map(await(_).text), List("/slow", "/last", "/next"))
      eventually(server.closed.get == 1)
      assertEquals((server.opened.get, service.statistics.inFlight), (2, 0))
    }
  }

  test("several late calls fail, whatever the order of their limits, and also the first") {
    val held = new Holding
    scripted(held.script, shared) { (server, client) =>
      val service = client.service(server.url)
      service.get("/warm").await()
      val limits = List(4000, 3000, 1500, 2000)
      val calls  = limits.map(ms => service.get(s"/$ms").timeout(ms.millis).future)
      for ((call, ms) <- calls.zip(limits).drop(1))
        timedOut(
          await(call.failed),
          s"within $ms ms: it was waiting for an earlier response on its connection"
        )
      timedOut(await(calls.head.failed), "within 4000 ms: no part of it had arrived")
      eventually(server.closed.get == 1 && service.statistics.open == 0)
      assertEquals((service.statistics.inFlight, service.statistics.timeouts), (0, 4L))
      assertEquals(service.get("/next").await().text, "/next")
    }
  }

  test("calls with the limit of the first one fail as it does") {
    val held = new Holding
    scripted(held.script, shared.copy(requestTimeout = 50.millis)) { (server, client) =>
      val calls = client.await(Async.all((1 to 4).map { i =>
        client.get(s"${server.url}/$i").text.map(_ => null: Throwable).recover { case e => e }
      }))
      calls.foreach(e => assert(e.isInstanceOf[ClientError.TimedOut], e))
      eventually(client.statistics.head.open == 0)
    }
  }

  test("a late call that fails may cancel the others, and close the connection") {
    val held = new Holding
    scripted(held.script, shared) { (server, client) =>
      val service = client.service(server.url)
      client.await {
        val slow  = service.get("/slow").response
        val short = service.get("/short").timeout(50.millis).response
        val third = service.get("/third").timeout(50.millis).response
        short.recover { case _: ClientError.TimedOut =>
          third.cancel()
          slow.cancel()
          null
        }
      }
      eventually(service.statistics.inFlight == 0 || held.asked.size == 3)
      if (service.statistics.open == 1) held.release("/slow", "/short", "/third")
      eventually(service.statistics.open == 0 && service.statistics.inFlight == 0)
      assertEquals(service.get("/next").await().text, "/next")
    }
  }
}
