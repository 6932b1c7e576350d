package needletail.tcp

import scala.concurrent.duration._

import needletail.async.Async
import needletail.testing.{Pause, Suite}

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

  test("a request that timed out behind output that the server does not read may arrive, and does") {
    @volatile var peer: TestPeer = null
    @volatile var hasArrived     = false
    serving((_, line) => if (line == "late") hasArrived = true) { server =>
      server.accepted = { p =>
        p.connection.pauseReading()
        peer = p
      }
      calling(server, config.copy(keepConnected = true)) { client =>
        flood(client)
        val late = intercept[TcpClientError.TimedOut](await(client.future("late", 100.millis)))
        assert(late.mayHaveArrived, late.getMessage)
        peer.connection.loop.execute(() => peer.connection.resumeReading())
        eventually(hasArrived, server.lines.get)
      }
    }
  }

  test("a request that timed out before its connection got it is never sent") {
    @volatile var arrived = Vector.empty[String]
    scripted((peer, line) => {
      arrived :+= line
      peer.send(s"$line\n")
    }) { (_, client) =>
      assertEquals(await(client.future("first")), "first")
      val results = await(client.run {
        val limits  = Seq("a" -> 20.millis, "bb" -> 20.seconds, "ccc" -> 20.millis, "dd" -> 20.seconds)
        val results = Async.all(limits.map { case (line, limit) =>
          client.call(line, limit).map[Either[Throwable, String]](Right(_)).recover { case e => Left(e) }
        })
        Pause(100.millis) // the loop is blocked: nothing is written before their time is over
        results
      })
      assertEquals(results.collect { case Right(line) => line }, Seq("bb", "dd"))
      results.collect { case Left(e: TcpClientError.TimedOut) => assert(!e.mayHaveArrived, e.getMessage) }
      assertEquals(await(client.future("last")), "last")
      assertEquals(arrived, Vector("first", "bb", "dd", "last"))
      eventually(isIdle(client), client.statistics)
    }
  }

  test(
    "the more time out before they are written, the longer it takes, and not by the square of their number"
  ) {
    val wide  = one.copy(pipelining = 1 << 20, maxPendingOutput = 64 << 20)
    val Count = 150000
    scripted((peer, line) => peer.send(s"$line\n"), wide) { (server, client) =>
      assertEquals(await(client.future("first")), "first")
      val late = await(client.run {
        val calls = (1 to Count).map { i =>
          client.call(s"late $i", 1.milli).map(_ => 0).recover { case _: TcpClientError.TimedOut => 1 }
        }
        Pause(20.millis)
        Async.all(calls).map(_.sum)
      })
      assertEquals(late, Count)
      assertEquals(await(client.future("last")), "last")
      assertEquals(server.lines.get, 2)
    }
  }

  test("behind a request in flight too: what is said not to have arrived never does") {
    @volatile var arrived = Vector.empty[String]
    var answers           = false // used on the server's loop
    scripted((peer, line) => {
      arrived :+= line
      if (answers) peer.send(s"$line\n")
      else if (line == "first") peer.later(300.millis) {
        answers = true
        arrived.foreach(each => peer.send(s"$each\n"))
      }
    }) { (_, client) =>
      val first  = client.future("first")
      val rounds = (1 to 30).map { i =>
        client.run(Async.all(Seq(s"a$i" -> 1.nano, s"bb$i" -> 20.seconds, s"c$i" -> 1.micro).map {
          case (line, limit) =>
            client.call(line, limit).map(_ => line -> true).recover { case e: TcpClientError.TimedOut =>
              line -> e.mayHaveArrived
            }
        }))
      }
      val results = rounds.flatMap(await(_))
      assertEquals(await(first), "first")
      assertEquals(await(client.future("last")), "last")
      val expected = results.collect { case (line, true) => line }
      assertEquals(arrived.filterNot(Set("first", "last")), expected.toVector)
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
