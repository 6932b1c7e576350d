package needletail.client.pool

import java.nio.file.Files

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.{Misbehaving, Peer, Scripted}
import needletail.client.config.BreakerConfig
import needletail.client.error.ClientError
import needletail.client.policy.BreakerState
import needletail.http._
import needletail.io.Address
import needletail.testing.{Pause, TemporaryDirectories}

/** Calls that wait for a connection: what their end says of the host, and which connection they get. */
class CrowdedPoolSuite extends TemporaryDirectories with Misbehaving {
  override def munitTimeout: Duration = 2.minutes

  private val judged = strict.copy(connectionsPerHost = 2, breaker = BreakerConfig(minCalls = 3))

  test("calls that time out in this client's queue say nothing of the host") {
    @volatile var held = 0
    serving(_ => { held += 1; new AsyncPromise[Response] }, judged) { (server, client) =>
      val service = client.service(server.url)
      List.fill(2)(service.get("/").future)
      eventually(held == 2)
      for (_ <- 1 to 5) intercept[ClientError.TimedOut](service.get("/").timeout(30.millis).await())
      val statistics = service.statistics
      assertEquals((statistics.failures, statistics.timeouts), (0L, 0L))
      assertEquals(statistics.breaker, BreakerState.Closed: BreakerState)
    }
  }

  test("calls that time out while their connection is not established do") {
    // it answers no handshake, and it is the calls' time that ends
    scripted((_, _) => (), judged.copy(connectTimeout = 1.minute)) { (server, client) =>
      val url = s"https://127.0.0.1:${server.port}"
      for (_ <- 1 to 3) intercept[ClientError.TimedOut](client.get(url).timeout(1.second).await())
      intercept[ClientError.BreakerOpen](client.get(url).await())
    }
  }

  test("however many calls wait for a server that is gone, each of them ends") {
    val path   = temporaryDirectory().resolve("socket")
    val server = new Scripted((_, _) => (), Address.Unix(path.toString))
    try
      calling(strict.copy(
        connectionsPerHost = 1,
        maxQueued = 40000,
        queueTimeout = 2.minutes,
        requestTimeout = 2.minutes
      )) { client =>
        val service = client.service("http://crowded", Address.Unix(path.toString))
        val calls   = client.run(Async.all(List.fill(40000)(
          service.get("/").response.map[Throwable](_ => null).recover { case e => e }
        )))
        eventually(server.requests.get == 1)
        Files.deleteIfExists(path)
        server.close()
        assert(Await.result(calls, 60.seconds).forall(_.isInstanceOf[ClientError]))
        eventually(service.statistics.open == 0 && service.statistics.waiting == 0, service.statistics)
      }
    finally server.close()
  }

  test("a call that lost a stale connection gets a new one, though another is free before") {
    for (_ <- 1 to 10) {
      var waiting                = List.empty[Peer] // used on the server's loop, as are the others
      var stale, slow: Peer      = null
      @volatile var repeatedAsNo = 0
      def bothHere(): Unit       = if (stale != null && slow != null) {
        stale.close()
        slow.send(ok)
      }
      scripted(
        (peer, _) =>
          peer.target match {
            case "/warm" =>
              waiting ::= peer
              if (waiting.size == 2) waiting.foreach(_.send(ok))
            case "/slow" =>
              slow = peer
              bothHere()
            case _ if stale != null =>
              repeatedAsNo = peer.served
              peer.send(ok)
            case _ =>
              stale = peer
              bothHere()
          },
        strict.copy(connectionsPerHost = 2)
      ) { (server, client) =>
        def get(target: String) = client.get(server.url + target).text
        client.await(get("/warm") zip get("/warm"))
        val texts = client.await {
          val both = get("/stale") zip get("/slow")
          Pause(50.millis) // the loop learns of both ends in one turn
          both
        }
        assertEquals(texts, ("ok", "ok"))
        assertEquals(repeatedAsNo, 1)
      }
    }
  }

  test("with all connections in use, one that is free makes room for it") {
    val target = "/stale"
    var isLost = false // used on the server's loop
    scripted(
      (peer, _) =>
        if (peer.target != target || isLost) peer.later(1)(peer.send(ok))
        else if (peer.served == 1) peer.send(ok)
        else {
          isLost = true
          peer.close()
        },
      strict.copy(connectionsPerHost = 1)
    ) { (server, client) =>
      def get(target: String) = client.get(server.url + target).text
      client.await(get(target))
      assertEquals(client.await(Async.all((target +: List.fill(20)("/other")).map(get))), List.fill(21)("ok"))
      eventually(client.statistics.head.open == 1, client.statistics)
      assertEquals(client.statistics.head.stale, 1L)
    }
  }
}
