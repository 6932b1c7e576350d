package needletail.tcp

import scala.concurrent.duration._

import needletail.async.Async
import needletail.testing.Suite

/** What counts as the use of a connection: not the greeting, and messages without an answer as well. */
class ConnectionUseSuite extends Suite with WithTestServer {
  private val greeting = new TcpProtocol[String, String](Lines) {
    override def connected(session: TcpSession[String, String]): Async[Unit] =
      session.call("hello").map(_ => ())
  }

  test("a server that greets and hangs up is not called in a circle either") {
    serving { (peer, line) =>
      if (line == "hello") {
        peer.send("welcome\n")
        peer.close()
      }
    } { server =>
      val slow =
        one.copy(keepConnected = true, reconnectDelay = 60.seconds, maxReconnectDelay = 60.seconds)
      calling(server, slow, greeting) { client =>
        for (_ <- 1 to 50) assert(all(client, Seq("a")).head.isLeft)
        assert(server.opened.get < 10, server.opened.get)
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  private val large  = "x" * 32000
  private val config =
    one.copy(
      idleTimeout = 20.millis,
      stallTimeout = 60.seconds,
      maxPendingOutput = 64 * 1024 * 1024,
      requestTimeout = 20.seconds
    )

  /** More than the kernel's buffers hold. */
  private def flood(client: TcpClient[String, String]): Unit =
    await(client.run(Async.all((1 to 600).map(_ => client.send(large))).map(_ => ())))

  test("a connection that has messages to write is not idle") {
    serving((_, _) => ()) { server =>
      server.accepted = { peer =>
        peer.connection.pauseReading()
        peer.later(200.millis)(peer.connection.resumeReading())
      }
      calling(server, config) { client =>
        flood(client)
        eventually(server.lines.get == 600 || server.closed.get > 0, server.lines.get)
        assertEquals((server.lines.get, server.opened.get), (600, 1))
        eventually(client.statistics.open == 0, "idle when all is written")
      }
    }
  }

  test("a server that takes nothing of messages without an answer does not hold up the end of a drain") {
    serving((_, _) => ()) { server =>
      server.accepted = _.connection.pauseReading()
      val kept = config.copy(keepConnected = true, stallTimeout = 100.millis)
      calling(server, kept) { client =>
        flood(client)
        await(client.drain())
        assertEquals(client.statistics.open, 0)
      }
    }
  }
}
