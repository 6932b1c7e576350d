package needletail.tcp

import java.io.File
import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.ExecutionContext
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._

import needletail.async.Async
import needletail.io.{Address, EventLoops}
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

  test("on somebody else's loop it stays there, with connections of that loop") {
    serving(echo) { server =>
      val loops = new EventLoops(2, "lent", daemon = true)
      try
        calling(server) { client =>
          for (i <- 0 to 1) {
            val (answer, isThere) = await(Async.run(loops(i))(client.call("x").map((_, loops(i).inLoop))))
            assertEquals((answer, isThere), ("x", true))
          }
          assertEquals(server.opened.get, 2)
        }
      finally {
        loops.stop()
        await(loops.stopped)
      }
      eventually(server.closed.get == 2)
    }
  }

  test("elsewhere a call is refused with a word of advice, and await is on a loop") {
    scripted(echo) { (_, client) =>
      val e = intercept[IllegalStateException](client.call("x"))
      assert(e.getMessage.contains("use future"), e.getMessage)
      val blocked = intercept[IllegalStateException](
        client.await(Async.attempt(client.await(client.call("x"))))
      )
      assert(blocked.getMessage.contains("would block"), blocked.getMessage)
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

  test("10,000 at once against a bound: what is over it fails at once, the rest is answered") {
    scripted(echo, one.copy(maxQueued = 100, pipelining = 10)) { (_, client) =>
      val requests = (1 to 10000).map(_.toString)
      val results  = all(client, requests)
      results.zip(requests).foreach {
        case (Right(answer), request)               => assertEquals(answer, request)
        case (Left(e: TcpClientError.QueueFull), _) => assert(!e.mayHaveArrived)
        case (Left(other), _)                       => fail(s"$other")
      }
      val answered = results.count(_.isRight) // with those in flight, if there was a connection at once
      assert(answered >= 100 && answered <= 110, answered)
      eventually(isIdle(client), client.statistics)
    }
  }

  test("no more connections and no more requests in flight than are allowed") {
    val most = new AtomicInteger
    // nothing is answered before all places are taken
    val held                               = new ConcurrentLinkedQueue[(TestPeer, String)]
    val script: (TestPeer, String) => Unit = (peer, line) => {
      held.add((peer, line))
      most.set(math.max(most.get, peer.received))
      if (held.size >= 12) held.asScala.foreach { case (p, l) => p.send(s"$l\n") }
      if (held.size > 12) held.clear()
    }
    val config = one.copy(connections = 3, pipelining = 4)
    serving(script) { server =>
      calling(server, config) { client =>
        val answers = (1 to 12).map(i => client.future(s"$i"))
        answers.zipWithIndex.foreach { case (a, i) => assertEquals(await(a), s"${i + 1}") }
        assertEquals((server.opened.get, most.get), (3, 4))
      }
    }
  }

  test("a message without an answer is sent, and the next answer is the next request's") {
    serving((peer, line) => if (line != "quiet") peer.send(s"$line\n")) { server =>
      calling(server) { client =>
        val answer = client.await(for {
          _ <- client.send("quiet")
          a <- client.call("a")
          _ <- client.send("quiet")
          b <- client.call("b")
        } yield a + b)
        assertEquals((answer, server.lines.get), ("ab", 4))
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  test("messages without an answer, more than may wait to be written, all arrive") {
    val count = new AtomicInteger
    serving((peer, line) => if (line == "end") peer.send("ended\n") else { count.incrementAndGet(); () }) {
      server =>
        calling(server, one.copy(maxPendingOutput = 1, pipelining = 1, maxQueued = 2000)) { client =>
          await(client.run(Async.all((1 to 1000).map(_ => client.send("x" * 100))).flatMap(_ =>
            client.call("end")
          )))
          assertEquals(count.get, 1000)
        }
    }
  }

  test("what the server sends by itself is passed on, between answers and without a request") {
    val seen     = new ConcurrentLinkedQueue[String]
    val protocol = new TcpProtocol[String, String](Lines) {
      override def isPush(message: String, awaited: Option[String]): Boolean = message.startsWith(">")
      override def pushed(session: TcpSession[String, String], message: String): Unit = {
        seen.add(message)
        if (message == ">throw") throw new LinkageError("as it should be")
      }
    }
    serving((peer, line) => peer.send(s">before\n>throw\n$line\n>after\n")) { server =>
      calling(server, protocol = protocol) { client =>
        assertEquals(all(client, Seq("a", "b")), Seq(Right("a"), Right("b")))
        eventually(seen.size == 6, seen)
        assertEquals(seen.asScala.toList, List.fill(2)(List(">before", ">throw", ">after")).flatten)
        assertEquals((server.opened.get, client.statistics.pushed), (1, 6L))
        assert(client.statistics.toString.contains(", pushed = 6, opened = 1, "), client.statistics)
      }
    }
  }

  test("what a protocol does first on a connection comes before every request; if it fails, so do they") {
    val isWrong  = new AtomicBoolean
    val gone     = new AtomicInteger
    val protocol = new TcpProtocol[String, String](Lines) {
      override def connected(session: TcpSession[String, String]): Async[Unit] =
        session.call("hello").flatMap {
          case "welcome" => Async.unit
          case other     => Async.fail(new IllegalStateException(s"the server says $other"))
        }
      override def disconnected(session: TcpSession[String, String]): Unit = { gone.incrementAndGet(); () }
    }
    serving((peer, line) =>
      peer.send(if (line != "hello") s"$line\n" else if (isWrong.get) "no\n" else "welcome\n")
    ) {
      server =>
        calling(server, protocol = protocol) { client =>
          assertEquals(all(client, Seq("a", "b")), Seq(Right("a"), Right("b")))
          assertEquals((server.opened.get, server.lines.get, gone.get), (1, 3, 0))
        }
        assertEquals(gone.get, 1)
        isWrong.set(true)
        calling(server, protocol = protocol) { client =>
          all(client, Seq("a", "b")).foreach {
            case Left(e: TcpClientError.CannotConnect) =>
              assert(e.getMessage.contains("the server says no") && !e.mayHaveArrived, e.getMessage)
            case other => fail(s"$other")
          }
          eventually(server.closed.get == server.opened.get)
          eventually(client.statistics.open == 0 && isIdle(client), client.statistics)
        }
        assertEquals(gone.get, 2)
    }
  }

  test("a connection is opened again without a request, if it is to be kept") {
    val protocol = new TcpProtocol[String, String](Lines) {
      override def connected(session: TcpSession[String, String]): Async[Unit] =
        session.call("hello").map(_ => ())
    }
    val peers = new ConcurrentLinkedQueue[TestPeer]
    serving((peer, line) => { peers.add(peer); echo(peer, line) }) { server =>
      calling(server, one.copy(keepConnected = true, idleTimeout = 1.milli), protocol) { client =>
        client.connect()
        for (i <- 1 to 5) {
          eventually(peers.size == i, s"connection $i")
          val last = peers.asScala.toList.last
          last.connection.loop.execute(() => last.reset())
        }
        eventually(client.statistics.opened >= 5)
      }
    }
  }

  test("an idle connection is closed, and the next request opens another one") {
    scripted(echo, one.copy(idleTimeout = 20.millis)) { (server, client) =>
      for (i <- 1 to 3) {
        assertEquals(await(client.future("a")), "a")
        eventually(server.closed.get == i)
      }
      eventually(client.statistics.open == 0)
      assertEquals((client.statistics.failed, client.statistics.notOpened), (0L, 0L))
    }
  }

  test("a connection that was opened for more requests than there were in the end is closed, too") {
    scripted(echo, one.copy(connections = 2, idleTimeout = 20.millis)) { (server, client) =>
      assertEquals(
        client.await(client.call("a").flatMap(_ => Async.all(Seq("b", "c").map(client.call(_))))),
        Seq("b", "c")
      )
      eventually(server.opened.get == 2, "another one is opened while the first is in use")
      eventually(server.closed.get == 2 && client.statistics.open == 0, client.statistics)
    }
  }

  /** Does not answer `hang`, nor what follows on the same connection. */
  private def hanging: (TestPeer, String) => Unit = {
    val hung = new ConcurrentLinkedQueue[TestPeer]
    (peer, line) => {
      if (line == "hang") hung.add(peer)
      if (!hung.contains(peer)) peer.send(s"$line\n")
    }
  }

  private def timesOut(client: TcpClient[String, String]): Unit = {
    assertEquals(await(client.future("first")), "first") // there is a connection
    val _ = intercept[TcpClientError.TimedOut](await(client.future("hang", 300.millis)))
  }

  test("nothing is sent behind a request that has timed out if another connection can be had") {
    val config = one.copy(connections = 2, pipelining = 10, requestTimeout = 20.seconds)
    scripted(hanging, config) { (server, client) =>
      timesOut(client)
      // the first waits for a connection, the others find one that has more in flight than the one held up
      assertEquals(all(client, (1 to 5).map(_.toString)), (1 to 5).map(i => Right(i.toString)))
      assertEquals((server.opened.get, server.closed.get), (2, 0))
    }
  }

  test("without another connection what is sent behind it shares its fate, at the end of stallTimeout") {
    val config = one.copy(pipelining = 10, requestTimeout = 20.seconds, stallTimeout = 3.seconds)
    scripted(hanging, config) { (server, client) =>
      timesOut(client)
      intercept[TcpClientError.ConnectionLost](await(client.future("a")))
      eventually(server.closed.get == 1)
      assertEquals(await(client.future("b")), "b")
    }
  }

  test("a connection that has one request at a time is closed when that times out") {
    val config = one.copy(pipelining = 1, requestTimeout = 20.seconds, stallTimeout = 1.hour)
    scripted(hanging, config) { (server, client) =>
      timesOut(client)
      assertEquals(await(client.future("a")), "a")
      eventually(server.closed.get == 1)
      assertEquals(server.opened.get, 2)
    }
  }

  test("Unix sockets, and names") {
    val path = File.createTempFile("needletail", ".sock")
    path.delete()
    val unix = new TestServer(Address.Unix(path.getPath))(echo)
    try calling(unix)(client => assertEquals(await(client.future("a")), "a"))
    finally unix.close()
    serving(echo) { server =>
      val port   = server.at match { case Address.Tcp(_, port) => port; case _ => 0 }
      val client = TcpClient(Lines, Address.Tcp("localhost", port))
      try assertEquals(await(client.future("a")), "a")
      finally client.close()
    }
  }

  test("a drain refuses what is new, waits for what is there, in flight and waiting, and ends its loops") {
    val held = new ConcurrentLinkedQueue[(TestPeer, String)]
    serving((peer, line) => { held.add((peer, line)); () }) { server =>
      val client  = TcpClient(TcpProtocol(Lines), server.at, one.copy(pipelining = 2))
      val answers = (1 to 4).map(i => client.future(s"$i"))
      eventually(held.size == 2 && client.statistics.waiting == 2, client.statistics)
      val drained = client.drain()
      intercept[TcpClientError.Closed](await(client.future("late")))
      assert(!drained.isCompleted)
      for (i <- 1 to 4) {
        eventually(!held.isEmpty)
        val (peer, line) = held.poll()
        peer.connection.loop.execute(() => peer.send(s"$line\n"))
        assertEquals(await(answers(i - 1)), s"$i")
      }
      await(drained)
      eventually(server.closed.get == server.opened.get)
      assertEquals(client.statistics.open, 0)
    }
  }

  test("a drain waits for requests that were made before it, also if they are the first on their loop") {
    serving(echo) { server =>
      val loops = new EventLoops(2, "lent", daemon = true)
      try {
        val client = TcpClient(TcpProtocol(Lines), server.at, one, loops)
        val free   = new CountDownLatch(1)
        for (i <- 0 to 1) loops(i).execute(() => free.await())
        val answers = (1 to 4).map(i => client.future(s"$i"))
        val drained = client.drain()
        val late    = client.future("late")
        val again   = client.drain()
        free.countDown()
        assertEquals(answers.map(await(_)), (1 to 4).map(_.toString))
        intercept[TcpClientError.Closed](await(late))
        await(drained)
        await(again)
        intercept[TcpClientError.Closed](await(client.future("later")))
      } finally {
        loops.stop()
        await(loops.stopped)
      }
    }
  }

  test("a caller that repeats at once what is refused lets its loop go on") {
    val loops = new EventLoops(1, "lent", daemon = true)
    try
      serving(echo) { server =>
        val client = TcpClient(Lines, server.at)
        client.close()
        val made = await(Async.run(loops(0)) {
          var isOver                    = false
          def again(n: Int): Async[Int] =
            if (isOver || n == 10000) Async.value(n)
            else client.call("x").map(_ => -1).recoverWith { case _: TcpClientError => again(n + 1) }
          loops(0).execute(() => isOver = true)
          again(0)
        })
        assertEquals(made, 1)
      }
    finally {
      loops.stop()
      await(loops.stopped)
    }
  }

  test("a drain is over when its connections are closed, not before") {
    serving(echo) { server =>
      val hasEnded = new AtomicBoolean
      val protocol = new TcpProtocol[String, String](Lines) {
        override def disconnected(session: TcpSession[String, String]): Unit = hasEnded.set(true)
      }
      calling(server, protocol = protocol) { client =>
        await(client.future("a"))
        assert(await(client.drain().map(_ => hasEnded.get)(ExecutionContext.parasitic)))
      }
    }
  }

  test("closing fails what waits and what is in flight, and says which is which") {
    serving((_, _) => ()) { server =>
      val client = TcpClient(TcpProtocol(Lines), server.at, one.copy(pipelining = 1))
      val first  = client.future("1")
      eventually(server.lines.get == 1)
      val second = client.future("2")
      eventually(client.statistics.waiting == 1)
      client.close()
      assert(intercept[TcpClientError.Closed](await(first)).mayHaveArrived)
      assert(!intercept[TcpClientError.Closed](await(second)).mayHaveArrived)
      intercept[TcpClientError.Closed](await(client.future("3")))
      intercept[TcpClientError.Closed](client.await(client.call("4")))
      eventually(server.closed.get == 1)
    }
  }

  test("closing while it connects leaves nothing open") {
    val protocol = new TcpProtocol[String, String](Lines) {
      override def connected(session: TcpSession[String, String]): Async[Unit] =
        session.call("hello").map(_ => ())
    }
    serving((_, _) => ()) { server =>
      val client = TcpClient(protocol, server.at, one)
      val answer = client.future("1")
      eventually(server.lines.get == 1)
      client.close()
      assert(!intercept[TcpClientError.Closed](await(answer)).mayHaveArrived)
      eventually(server.closed.get == 1)
      assertEquals(client.statistics.open, 0)
    }
  }

  test("settings out of range are refused by name") {
    def refused(name: String)(make: => Any): Unit = {
      val e = intercept[IllegalArgumentException](make)
      assert(e.getMessage.startsWith(s"TcpClientConfig.$name is "), e.getMessage)
    }
    refused("loops")(one.copy(loops = -1))
    refused("connections")(one.copy(connections = 0))
    refused("pipelining")(one.copy(pipelining = 0))
    refused("maxQueued")(one.copy(maxQueued = 0))
    refused("connectTimeout")(one.copy(connectTimeout = Duration.Zero))
    refused("requestTimeout")(one.copy(requestTimeout = Duration.Zero))
    refused("stallTimeout")(one.copy(stallTimeout = Duration.Zero))
    refused("idleTimeout")(one.copy(idleTimeout = Duration.Zero))
    refused("reconnectDelay")(one.copy(reconnectDelay = Duration.Zero))
    refused("maxReconnectDelay")(one.copy(maxReconnectDelay = 1.milli))
    refused("maxMessage")(one.copy(maxMessage = 0))
    refused("maxPendingOutput")(one.copy(maxPendingOutput = 0))
    refused("socket.maxLeftover")(one.copy(socket = one.socket.copy(maxLeftover = 1000)))
    refused("tls")(TcpClient(Lines, Address.Unix("/x"), one.copy(tls = Some(needletail.io.Tls.system))))
  }
}
