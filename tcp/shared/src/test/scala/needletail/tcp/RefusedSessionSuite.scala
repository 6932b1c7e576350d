package needletail.tcp

import java.util.concurrent.atomic.AtomicInteger

import needletail.async.Async
import needletail.io.EventLoops
import needletail.testing.Suite

/** What one connection refuses at once, of callers that try again at once. */
class RefusedSessionSuite extends Suite with WithTestServer {

  /** With a session whose only request in flight is not answered, on a loop of its own. */
  private def withSession(body: (EventLoops, TcpSession[String, String]) => Unit): Unit = {
    @volatile var session = null: TcpSession[String, String]
    val protocol          = new TcpProtocol[String, String](Lines) {
      override def connected(on: TcpSession[String, String]): Async[Unit] = {
        session = on
        Async.unit
      }
    }
    val loops = new EventLoops(1, "lent", daemon = true)
    try
      serving((_, _) => ()) { server =>
        val client = TcpClient(protocol, server.at, one.copy(pipelining = 1), loops)
        val first  = client.future("first")
        eventually(server.lines.get == 1)
        body(loops, session)
        client.close()
        val _ = intercept[TcpClientError](await(first))
      }
    finally {
      loops.stop()
      await(loops.stopped)
    }
  }

  /** How often it was made, one after the other, before a task that was queued at the beginning had run. */
  private def repeats(loops: EventLoops)(make: => Async[Any]): Int = await(Async.run(loops(0)) {
    var isOver                    = false
    def again(n: Int): Async[Int] =
      if (isOver || n == 10000) Async.value(n)
      else make.map(_ => -1).recoverWith { case _: TcpClientError => again(n + 1) }
    loops(0).execute(() => isOver = true)
    again(0)
  })

  test("a call or a message that finds no room is refused in the next turn") {
    withSession { (loops, session) =>
      assertEquals(repeats(loops)(session.call("x")), 1)
      assertEquals(repeats(loops)(session.send("x")), 1)
    }
  }

  test("one on a connection that has ended is refused in the next turn") {
    withSession { (loops, session) =>
      await(Async.run(loops(0))(Async.attempt(session.close())))
      assertEquals(repeats(loops)(session.call("x")), 1)
      assertEquals(repeats(loops)(session.send("x")), 1)
    }
  }

  /** A client whose decoder closes its own connection at the message "close", or when it has seen that much of one. */
  private def withClosingDecoder(
      body: (TcpClient[String, String], EventLoops, AtomicInteger, AtomicInteger) => Unit
  ): Unit = {
    @volatile var session = null: TcpSession[String, String]
    val (pushes, ends)    = (new AtomicInteger, new AtomicInteger)
    val closing           = new Codec[String, String] {
      def decoder(): Decoder[String] = {
        val lines = Lines.decoder()
        (bytes, from, until) => {
          val decoded = lines.decode(bytes, from, until)
          decoded match {
            case Decoded.Message("close", _)                           => session.close()
            case Decoded.More if until - from >= MessageReader.Collect => session.close()
            case _                                                     => ()
          }
          decoded
        }
      }
      def encode(line: String): Array[Byte] = Lines.encode(line)
    }
    val protocol = new TcpProtocol[String, String](closing) {
      override def connected(on: TcpSession[String, String]): Async[Unit] = {
        session = on
        Async.unit
      }
      override def isPush(message: String, awaited: Option[String]): Boolean     = message == "close"
      override def pushed(on: TcpSession[String, String], message: String): Unit = {
        pushes.incrementAndGet()
        ()
      }
      override def disconnected(on: TcpSession[String, String]): Unit = {
        ends.incrementAndGet()
        ()
      }
    }
    val loops = new EventLoops(1, "lent", daemon = true)
    try
      serving((peer, line) =>
        peer.send(if (line == "long") "x" * (MessageReader.Collect + 1) else s"$line\n")
      ) {
        server =>
          val client = TcpClient(protocol, server.at, one, loops)
          try body(client, loops, pushes, ends)
          finally client.close()
      }
    finally {
      loops.stop()
      await(loops.stopped)
    }
  }

  test("a message whose decoder closes its own connection is passed to nobody") {
    withClosingDecoder { (client, _, pushes, ends) =>
      val _ = intercept[TcpClientError.ConnectionLost](await(client.future("close")))
      assertEquals((pushes.get, ends.get), (0, 1))
      assertEquals(await(client.future("b")), "b")
      assertEquals(pushes.get, 0)
    }
  }

  test("a decoder that closes its own connection in the middle of a long message leaves no memory of it") {
    withClosingDecoder { (client, loops, _, _) =>
      val _ = intercept[TcpClientError.ConnectionLost](await(client.future("long")))
      eventually(await(Async.run(loops(0))(Async.attempt(loops(0).memory.held))) == 0L)
    }
  }

  test("a request whose encoding closes its own connection fails at once, and was not sent") {
    @volatile var session = null: TcpSession[String, String]
    val closing           = new Codec[String, String] {
      def decoder(): Decoder[String]        = Lines.decoder()
      def encode(line: String): Array[Byte] = {
        if (line == "close") session.close()
        Lines.encode(line)
      }
    }
    val protocol = new TcpProtocol[String, String](closing) {
      override def connected(on: TcpSession[String, String]): Async[Unit] = {
        session = on
        Async.unit
      }
    }
    serving((peer, line) => peer.send(s"$line\n")) { server =>
      calling(server, protocol = protocol) { client =>
        assertEquals(await(client.future("a")), "a")
        val e = intercept[TcpClientError.ConnectionLost](await(client.future("close")))
        assert(!e.mayHaveArrived, e.getMessage)
        assertEquals(await(client.future("b")), "b")
        eventually(isIdle(client), client.statistics)
      }
    }
  }
}
