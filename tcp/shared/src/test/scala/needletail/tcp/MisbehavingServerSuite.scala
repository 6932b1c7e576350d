package needletail.tcp

import java.net.ServerSocket
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import scala.concurrent.duration._

import needletail.async.{Async, Loop}
import needletail.io.{Address, EventLoop}
import needletail.io.platform.ConnectionOptions
import needletail.testing.Suite

/** Servers and codecs that break off, break the rules or say nothing: clear errors, no leak, nobody's answer for another. */
class MisbehavingServerSuite extends Suite with WithTestServer {

  private def isClean(server: TestServer, client: TcpClient[String, String]): Unit = {
    eventually(server.closed.get == server.opened.get, "every connection is closed")
    eventually(client.statistics.open == 0 && isIdle(client), client.statistics)
  }

  private def lefts(results: Seq[Either[Throwable, String]]): Seq[TcpClientError] = results.collect {
    case Left(e: TcpClientError) => e
    case other                   => fail(s"$other")
  }

  test("never an answer: each request has its time, and its connection ends when it has stalled") {
    scripted(
      (peer, line) => if (line == "first") peer.send("first\n"),
      one.copy(requestTimeout = 2.seconds, stallTimeout = 3.seconds)
    ) { (server, client) =>
      await(client.future("first", 20.seconds)) // so that connecting takes nothing of the others' time
      lefts(all(client, Seq("a", "b"))).foreach { e =>
        assert(e.isInstanceOf[TcpClientError.TimedOut] && e.mayHaveArrived, e.getMessage)
        assert(e.getMessage.contains("within 2000 ms"), e.getMessage)
      }
      isClean(server, client)
    }
  }

  test("an answer that comes too late is dropped, and the next request has its own") {
    scripted((peer, line) =>
      if (line == "quick") {
        peer.send("slow\n") // when nobody has waited for it any longer for a while
        peer.later(50.millis)(peer.send("quick\n"))
      } else if (line != "slow") peer.send(s"$line\n")
    ) { (server, client) =>
      assertEquals(await(client.future("first")), "first") // connecting takes nothing of the next one's time
      val slow = intercept[TcpClientError.TimedOut](await(client.future("slow", 2.seconds)))
      assert(slow.mayHaveArrived)
      assertEquals(await(client.future("quick")), "quick")
      assertEquals((server.opened.get, client.statistics.skipped), (1, 1L))
      eventually(isIdle(client), client.statistics)
    }
  }

  test("a message that came before the request is not its answer, though the loop had not read it") {
    for (isWithinTurn <- List(true, false)) {
      @volatile var isSent = false
      scripted((peer, line) => {
        peer.send(s"$line\n")
        if (line == "a") peer.later(20.millis) {
          peer.send("evil\n")
          isSent = true
        }
      }) { (server, client) =>
        def rested = if (isWithinTurn) Async.unit else Async.yieldNow
        val both   = await(client.run {
          client.call("a").flatMap(a => rested.map(_ => a)).flatMap { a =>
            eventually(isSent, "the server has sent more")
            client.call("b").map(a -> _)
          }
        })
        assertEquals((both, server.opened.get), (("a", "b"), 2), isWithinTurn)
      }
    }
  }

  test("a request that was cancelled keeps its place as well") {
    scripted((peer, line) => if (line == "behind") peer.send("cancelled\nbehind\n")) { (server, client) =>
      var cancelled: Async[String] = null // on the loop
      client.await(Async.attempt { cancelled = client.call("cancelled") })
      eventually(server.lines.get == 1)
      assertEquals(client.await { cancelled.cancel(); client.call("behind") }, "behind")
      assertEquals((server.opened.get, client.statistics.skipped), (1, 1L))
    }
  }

  test("an answer that drips is no progress") {
    def drip(peer: TestPeer): Unit = if (peer.connection.isOpen) {
      peer.send("x")
      peer.later(10.millis)(drip(peer))
    }
    val config = one.copy(requestTimeout = 2.seconds, stallTimeout = 3.seconds)
    scripted((peer, _) => drip(peer), config) { (server, client) =>
      val e = lefts(all(client, Seq("a"))).head
      assert(e.isInstanceOf[TcpClientError.TimedOut] && e.getMessage.contains("not complete"), e.getMessage)
      isClean(server, client)
    }
  }

  test("a slow request with a limit of its own is not taken for a stall") {
    scripted(
      (peer, line) => peer.later(150.millis)(peer.send(s"$line\n")),
      one.copy(stallTimeout = 20.millis)
    ) {
      (server, client) =>
        assertEquals(await(client.future("a", 20.seconds)), "a")
        assertEquals(server.opened.get, 1)
    }
  }

  test("closed and reset before an answer and in the middle of one: those written fail") {
    for {
      part  <- Seq("", "par")
      reset <- Seq(false, true)
    } scripted { (peer, line) =>
      if (line == "last") {
        peer.send(part)
        if (reset) peer.reset() else peer.close()
      } else if (line != "behind") peer.send(s"$line\n")
    } { (server, client) =>
      val results = all(client, Seq("a", "last", "behind"))
      assertEquals(results.head, Right("a"))
      lefts(results.tail).foreach(e =>
        assert(e.isInstanceOf[TcpClientError.ConnectionLost] && e.mayHaveArrived, e.getMessage)
      )
      isClean(server, client)
      assertEquals(await(client.future("a")), "a", "the next one connects again")
    }
  }

  test("those not written are sent on the next connection") {
    scripted(
      (peer, line) => if (line == "2") peer.reset() else if (line != "1") peer.send(s"$line\n"),
      one.copy(pipelining = 2)
    ) { (server, client) =>
      val results = all(client, (1 to 6).map(_.toString))
      lefts(results.take(2)).foreach(e => assert(e.mayHaveArrived, e.getMessage))
      assertEquals(results.drop(2), (3 to 6).map(i => Right(s"$i")))
      assertEquals(server.opened.get, 2)
      eventually(isIdle(client), client.statistics)
    }
  }

  test("a request of which the kernel took nothing is sent again, one that was begun is not") {
    val reading = new AtomicBoolean(false)
    val small   = ConnectionOptions(sendBuffer = Some(16 * 1024), receiveBuffer = Some(16 * 1024))
    serving((peer, line) => peer.send(s"${line.length}\n"), small) { server =>
      server.accepted = peer => if (!reading.get) peer.connection.pauseReading()
      val config =
        one.copy(pipelining = 1000, maxPendingOutput = 64 * 1024 * 1024, socket = small)
      calling(server, config) { client =>
        // more than both kernels' buffers hold, so that the last ones cannot have been written
        val sizes   = (1 to 60).map(_ => 32 * 1024)
        val results = sizes.map(n => client.future("x" * n))
        eventually(client.statistics.inFlight == sizes.size, client.statistics)
        reading.set(true)
        server.cutAll()
        val outcomes = results.map(f => scala.util.Try(await(f)))
        val errors   = outcomes.collect { case scala.util.Failure(e: TcpClientError) => e }
        assert(errors.nonEmpty && errors.size < sizes.size, s"${errors.size} of ${sizes.size}")
        assert(errors.forall(_.mayHaveArrived), errors)
        assertEquals(client.statistics.resent + errors.size, sizes.size.toLong)
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  test("answers that nothing asked for end the connection, and are nobody's") {
    scripted((peer, line) => peer.send(s"$line\nevil\n")) { (server, client) =>
      for (i <- 1 to 20) {
        val answer = client.await(client.call(s"$i").flatMap(a =>
          client.call(s"after $i").map(b => (a, b)).recover {
            case _: TcpClientError => (a, s"after $i")
          }
        ))
        assertEquals(answer, (s"$i", s"after $i"))
      }
      eventually(server.closed.get >= 20)
      eventually(isIdle(client), client.statistics)
    }
  }

  test(
    "an answer without a request ends the connection; one that began before the request is not its answer"
  ) {
    scripted((peer, line) => { peer.send(s"$line\n"); peer.later(1.milli)(peer.send("evil\n")) }) {
      (server, client) =>
        for (i <- 1 to 3) {
          assertEquals(await(client.future(s"$i")), s"$i")
          eventually(server.closed.get == i)
        }
        isClean(server, client)
    }
    scripted((peer, line) => peer.send(if (line == "a") "a\nev" else s"il\n$line\n")) { (server, client) =>
      val results =
        client.await(client.call("a").flatMap(a => client.call("b").recover { case e => e }.map((a, _))))
      results match {
        case ("a", e: TcpClientError.ConnectionLost) =>
          assert(
            e.mayHaveArrived && e.getMessage.endsWith("the server sent an unsolicited message"),
            e.getMessage
          )
        case other => fail(s"$other")
      }
      isClean(server, client)
    }
  }

  test("a malformed answer ends the connection and fails those waiting for theirs") {
    scripted((peer, line) => if (line == "c") peer.send("!\n") else if (line != "b") peer.send(s"$line\n")) {
      (server, client) =>
        val results = all(client, Seq("a", "b", "c"))
        assertEquals(results.head, Right("a"))
        lefts(results.tail).foreach { e =>
          assert(e.isInstanceOf[TcpClientError.Malformed] && e.mayHaveArrived, e.getMessage)
          assert(e.getMessage.endsWith("a malformed message: a line begins with !"), e.getMessage)
        }
        isClean(server, client)
    }
  }

  test("an answer longer than allowed, at once and in pieces; one just as long is well") {
    val config = one.copy(maxMessage = 100000)
    scripted((peer, line) => peer.send("x" * (line.toInt - 1) + "\n"), config) { (server, client) =>
      for (n <- Seq(1, 16383, 16384, 16385, 65535, 65536, 65537, 99999, 100000))
        assertEquals(await(client.future(s"$n")).length, n - 1)
      for (n <- Seq(100001, 165536, 200000, 1000000)) {
        assertEquals(await(client.future("1")), "") // so that the server is not taken for a broken one
        val e = intercept[TcpClientError.Malformed](await(client.future(s"$n")))
        assert(e.getMessage.contains("longer than 100000 bytes"), e.getMessage)
      }
      isClean(server, client)
    }
  }

  test("a codec that throws, in decode and in encode, returns nonsense, or null") {
    def codec(
        decode: (Array[Byte], Int, Int) => Decoded[String],
        encoded: String => Array[Byte]
    ): Codec[String, String] =
      new Codec[String, String] {
        def decoder(): Decoder[String]        = decode(_, _, _)
        def encode(line: String): Array[Byte] = encoded(line)
      }
    def overflow(n: Int): Int        = 1 + overflow(n + 1)
    val throwing: Seq[() => Nothing] = Seq(
      () => throw new RuntimeException("plain"),
      () => throw new IllegalStateException(s"${overflow(0)}"),
      () => throw new NoClassDefFoundError("a class"),
      () => throw new scala.util.control.ControlThrowable {}
    )
    val wrong: Seq[(Array[Byte], Int, Int) => Decoded[String]] = Seq(
      (_, _, _) => null,
      (_, from, _) => Decoded.Message("x", from),
      (_, _, until) => Decoded.Message("x", until + 1)
    )
    val plain = Lines.decoder()
    serving((peer, line) => peer.send(s"$line\n")) { server =>
      for (decode <- throwing.map(t => (_: Array[Byte], _: Int, _: Int) => t()) ++ wrong)
        calling(server, protocol = TcpProtocol(codec(decode, Lines.encode))) { client =>
          lefts(all(client, Seq("a", "b"))).foreach(e =>
            assert(e.isInstanceOf[TcpClientError.Malformed], e.getMessage)
          )
          isClean(server, client)
        }
      for (encode <- throwing.map(t => (_: String) => t()) :+ ((_: String) => null))
        calling(
          server,
          protocol = TcpProtocol(codec(plain.decode, l => if (l == "bad") encode(l) else Lines.encode(l)))
        ) { client =>
          val results = all(client, Seq("a", "bad", "b"))
          assertEquals((results.head, results(2)), (Right("a"), Right("b")))
          val e = lefts(results.slice(1, 2)).head
          assert(e.isInstanceOf[TcpClientError.NotEncoded] && !e.mayHaveArrived, e.getMessage)
          assertEquals(client.statistics.opened, 1L)
          eventually(isIdle(client), client.statistics)
        }
    }
  }

  test("nobody listens: an error at once, pauses between the attempts, and all is well when somebody does") {
    val free = new ServerSocket(0)
    val port = free.getLocalPort
    free.close()
    val address = Address.Tcp("127.0.0.1", port)
    val client  = TcpClient(
      TcpProtocol(Lines),
      address,
      one.copy(maxReconnectDelay = 60.seconds, reconnectDelay = 60.seconds)
    )
    try {
      for (_ <- 1 to 50) {
        val e = intercept[TcpClientError.CannotConnect](await(client.future("a")))
        assert(!e.mayHaveArrived && e.getMessage.contains("cannot connect"), e.getMessage)
      }
      assert(
        client.statistics.notOpened < 10,
        client.statistics
      ) // a short pause may be drawn, not fifty of them
      assertEquals(client.statistics.open, 0)
    } finally client.close()
    val again =
      TcpClient(TcpProtocol(Lines), address, one.copy(reconnectDelay = 1.milli, maxReconnectDelay = 5.millis))
    try {
      intercept[TcpClientError.CannotConnect](await(again.future("a")))
      val server = new TestServer(address)((peer, line) => peer.send(s"$line\n"))
      try eventually(all(again, Seq("a")) == Seq(Right("a")))
      finally server.close()
    } finally again.close()
  }

  test("a server that accepts and hangs up is not called in a circle") {
    serving((_, _) => ()) { server =>
      server.accepted = _.reset()
      calling(
        server,
        one.copy(reconnectDelay = 60.seconds, maxReconnectDelay = 60.seconds, requestTimeout = 20.seconds)
      ) { client =>
        for (_ <- 1 to 50) lefts(all(client, Seq("a", "b")))
        assert(server.opened.get < 10, server.opened.get)
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  test("a slow connection: the request's time and the connection's are limits") {
    // the queue of this listener is full after a few connections, and the kernel answers no more
    val full = new ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
    try {
      val address = Address.Tcp("127.0.0.1", full.getLocalPort)
      val fillers = (1 to 8).map { _ =>
        val c = TcpClient(TcpProtocol(Lines), address, one)
        c.connect()
        c
      }
      val client = TcpClient(
        TcpProtocol(Lines),
        address,
        one.copy(requestTimeout = 50.millis, connectTimeout = 300.millis, stallTimeout = 300.millis)
      )
      try {
        for (_ <- 1 to 3) {
          val e = intercept[TcpClientError](await(client.future("a")))
          assert(
            e.isInstanceOf[TcpClientError.TimedOut] || e.isInstanceOf[TcpClientError.CannotConnect],
            e.getMessage
          )
        }
        eventually(isIdle(client), client.statistics)
      } finally {
        client.close()
        fillers.foreach(_.close())
      }
    } finally full.close()
  }

  test("connections and timers of a loop are as many as before, after hundreds of faults") {
    val n = new AtomicInteger
    serving { (peer, line) =>
      if (!peer.isMute) n.incrementAndGet() % 7 match {
        case 0 => peer.reset()
        case 1 => peer.send("!\n")
        case 2 =>
          peer.send("half")
          peer.isMute = true
        case 3 => peer.isMute = true
        case 4 => peer.close()
        case _ => peer.send(s"$line\n")
      }
    } { server =>
      val config = one.copy(
        connections = 3,
        requestTimeout = 20.millis,
        stallTimeout = 30.millis,
        idleTimeout = 50.millis,
        reconnectDelay = 1.milli,
        maxReconnectDelay = 2.millis
      )
      calling(server, config) { client =>
        for (round <- 1 to 40) {
          val requests = (1 to 10).map(i => s"$round-$i")
          all(client, requests).zip(requests).foreach {
            case (Right(answer), request)     => assertEquals(answer, request)
            case (Left(_: TcpClientError), _) => ()
            case (Left(other), _)             => fail(s"$other")
          }
        }
        isClean(server, client)
        eventually(
          await(client.run(Async.attempt(Loop.current match {
            case loop: EventLoop => loop.timersSet == 0 && loop.memory.held == 0
            case _               => false
          }))),
          "no timer is left, and nothing is held"
        )
      }
    }
  }
}
