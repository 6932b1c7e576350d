package needletail.tcp

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.io.{Address, ProxyHandshake, TunnelProxy}
import needletail.testing.Suite

/** Requests that wait for a connection: they leave the queue when their time is over, and one is opened for them. */
class WaitingRequestsSuite extends Suite with WithTestServer {

  test(
    "a request that has timed out in the queue takes no place in it, and is not sent, when its caller goes on"
  ) {
    for (maxQueued <- Seq(1, 8)) {
      val ready    = new AsyncPromise[Unit] // used on the client's loop
      val protocol = new TcpProtocol[String, String](Lines) {
        override def connected(session: TcpSession[String, String]): Async[Unit] = ready.shield
      }
      @volatile var arrived = Vector.empty[String]
      serving((peer, line) => {
        arrived :+= line
        peer.send(s"$line\n")
      }) { server =>
        calling(server, one.copy(maxQueued = maxQueued), protocol) { client =>
          val answer = client.run(client.call("late", 50.millis).recoverWith {
            case e: TcpClientError.TimedOut if !e.mayHaveArrived =>
              val waiting = client.statistics.waiting
              val again   = client.call("again")
              ready.succeed(())
              again.map(a => s"$a, $waiting")
          })
          assertEquals(await(answer), "again, 0")
          assertEquals(arrived, Vector("again"))
          eventually(isIdle(client), client.statistics)
        }
      }
    }
  }

  test(
    "after a failed attempt another connection is opened for a request that waits, though none comes after it"
  ) {
    var attempts = 0 // used on the client's loop
    val protocol = new TcpProtocol[String, String](Lines) {
      override def connected(session: TcpSession[String, String]): Async[Unit] = {
        attempts += 1
        if (attempts == 2) Async.yieldNow.map(_ => throw new IllegalStateException("the second one fails"))
        else Async.unit
      }
    }
    @volatile var holding: TestPeer = null
    serving((peer, line) =>
      if (line == "held") holding = peer
      else {
        peer.send(s"$line\n")
        holding.send("held\n")
      }
    ) { server =>
      val config = one.copy(
        connections = 2,
        pipelining = 1,
        reconnectDelay = 1.milli,
        maxReconnectDelay = 5.millis
      )
      calling(server, config, protocol) { client =>
        val held = client.future("held")
        eventually(holding != null)
        assertEquals(await(client.future("behind", 10.seconds)), "behind")
        assertEquals(await(held), "held")
        assertEquals((server.opened.get, client.statistics.notOpened), (3, 1L))
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  test("an attempt to connect that ends with an exception is one that has failed: a later one is made") {
    var attempts = 0 // used on the client's loop, but for the first, when the client is made
    serving((peer, line) => peer.send(s"$line\n")) { server =>
      val through = new TunnelProxy {
        def address: Address.Tcp                       = server.at.asInstanceOf[Address.Tcp]
        def handshake(to: Address.Tcp): ProxyHandshake = {
          attempts += 1
          if (attempts == 2) throw new IllegalStateException("not now")
          new ProxyHandshake("open\n".getBytes, 100, to.port) {
            def accepts(bytes: Array[Byte], count: Int) = bytes(count - 1) == '\n'
            def wanted(bytes: Array[Byte], count: Int)  = 1
          }
        }
      }
      val config = one.copy(proxy = Some(through), reconnectDelay = 1.milli, maxReconnectDelay = 5.millis)
      calling(server, config) { client =>
        val e = intercept[TcpClientError.CannotConnect](await(client.future("a")))
        assert(e.getMessage.endsWith("not now"), e.getMessage)
        eventually(client.statistics.open == 0, client.statistics)
        val answer = client.await(Async.sleep(100.millis).flatMap(_ => client.call("b")))
        assertEquals(answer, "b")
        eventually(isIdle(client), client.statistics)
      }
    }
  }

  test(
    "a set-up that fails at once, perhaps as soon as it is connected, fails the request, and is not tried in a circle"
  ) {
    var attempts = 0 // used on the client's loop
    val protocol = new TcpProtocol[String, String](Lines) {
      override def connected(session: TcpSession[String, String]): Async[Unit] = {
        attempts += 1
        if (attempts < 100) Async.fail(new IllegalStateException("never")) else Async.unit
      }
    }
    serving((peer, line) => peer.send(s"$line\n")) { server =>
      val slow = one.copy(connections = 4, reconnectDelay = 60.seconds, maxReconnectDelay = 60.seconds)
      calling(server, slow, protocol) { client =>
        val e = intercept[TcpClientError.CannotConnect](await(client.future("a")))
        assert(e.getMessage.endsWith("never"), e.getMessage)
        assertEquals(client.await(Async.attempt(attempts)), 1)
        eventually(isIdle(client) && client.statistics.open == 0, client.statistics)
      }
    }
  }

  test("failures whose texts throw are told all the same, and what waits behind them goes on") {
    class Mute extends IllegalStateException {
      override def getMessage: String = throw new UnsupportedOperationException
      override def toString: String   = getMessage
    }
    object Picky extends Codec[String, String] {
      def decoder(): Decoder[String]        = Lines.decoder()
      def encode(line: String): Array[Byte] = if (line == "bad") throw new Mute else Lines.encode(line)
    }
    var attempts = 0 // used on the client's loop
    val protocol = new TcpProtocol[String, String](Picky) {
      override def connected(session: TcpSession[String, String]): Async[Unit] = {
        attempts += 1
        if (attempts == 1) Async.fail(new Mute) else Async.unit
      }
    }
    serving((peer, line) => peer.send(s"$line\n")) { server =>
      calling(server, one.copy(reconnectDelay = 1.milli), protocol) { client =>
        all(client, Seq("a", "b")).foreach {
          case Left(e: TcpClientError.CannotConnect) =>
            assert(e.getMessage.contains("whose getMessage throws"), e.getMessage)
          case other => fail(s"$other")
        }
        assertEquals(client.await(Async.sleep(100.millis).flatMap(_ => client.call("c"))), "c")
        all(client, Seq("c", "bad", "d")) match {
          case Seq(Right("c"), Left(e: TcpClientError.NotEncoded), Right("d")) =>
            assert(e.getMessage.contains("whose toString throws"), e.getMessage)
          case other => fail(s"$other")
        }
        eventually(isIdle(client), client.statistics)
      }
    }
  }
}
