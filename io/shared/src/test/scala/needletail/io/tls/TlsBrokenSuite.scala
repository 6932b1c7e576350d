package needletail.io.tls

import java.io.{IOException, InputStream}
import java.net.{InetAddress, ServerSocket, Socket as PlainSocket}
import java.util.concurrent.atomic.{AtomicBoolean, AtomicInteger}

import needletail.io.Tls

/** TLS over a network that splits and cuts, and with peers that do not speak it. */
class TlsBrokenSuite extends TlsPair {

  /**
   * Forwards connections to `port`, `piece` bytes at a time, and cuts each after `limit` bytes of the client's or
   * `back` bytes of the server's, with a reset if `isReset`. Spoils what the client sends while `spoils` is true.
   */
  private def relaying[A](
      port: Int,
      piece: Int,
      limit: Int,
      back: Int,
      isReset: Boolean = false,
      spoils: AtomicBoolean = new AtomicBoolean
  )(body: Int => A): A = {
    val here                         = InetAddress.getByName("127.0.0.1")
    val listener                     = new ServerSocket(0, 50, here)
    def start(work: => Unit): Thread = {
      val thread = new Thread(() =>
        try work
        catch { case _: IOException => () }
      )
      thread.setDaemon(true)
      thread.start()
      thread
    }
    def copy(from: PlainSocket, to: PlainSocket, most: Int, mayBeSpoilt: Boolean): Unit =
      try copyAll(from, to, most, mayBeSpoilt)
      catch { case _: IOException => for (s <- Seq(from, to)) s.close() }
    def copyAll(from: PlainSocket, to: PlainSocket, most: Int, mayBeSpoilt: Boolean): Unit = {
      val in: InputStream = from.getInputStream
      val bytes           = new Array[Byte](piece)
      var left            = most
      var n               = 0
      while (left > 0 && { n = in.read(bytes, 0, math.min(piece, left)); n > 0 }) {
        if (mayBeSpoilt && spoils.get) bytes(n - 1) = (bytes(n - 1) ^ 1).toByte
        to.getOutputStream.write(bytes, 0, n)
        left -= n
      }
      if (left == 0) {
        if (isReset) for (s <- Seq(from, to)) s.setSoLinger(true, 0)
        from.close()
        to.close()
      } else to.shutdownOutput()
    }
    start(while (true) {
      val client = listener.accept()
      val server = new PlainSocket(here, port)
      for (s <- Seq(client, server)) s.setTcpNoDelay(true)
      start(copy(client, server, limit, mayBeSpoilt = true))
      start(copy(server, client, back, mayBeSpoilt = false))
    })
    try body(listener.getLocalPort)
    finally listener.close()
  }

  tlsTest("bytes that come one by one, of the handshake and after it") {
    serving(config) { served =>
      relaying(served.port, piece = 1, limit = Int.MaxValue, back = Int.MaxValue) { port =>
        val (c, kept) = open(served.loop, port)
        roundTrip(served, (c, kept), Array.fill(3000)(7.toByte))
        on(served.loop)(c.closeGracefully(patience.toNanos, 1024))
        assertEquals(served.nextHandler().next(), "end")
        assertEquals(kept.next(), "closed")
      }
    }
  }

  for (isReset <- Seq(false, true))
    tlsTest(s"connections that are cut anywhere, ${if (isReset) "by a reset" else "by an end"}") {
      withLoop { loop =>
        val identity = Tls.server(config)
        val served   = new Served(loop, identity)
        val once     = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), resume = false))
        val opened   = new AtomicInteger
        // The client sends some 300 bytes of greeting and 80 of its end, the server about 900.
        for (
          (limit, back) <- (1 to 700 by 53).map((_, Int.MaxValue)) ++ (1 to 1500 by 97).map((Int.MaxValue, _))
        )
          relaying(served.port, 4096, limit, back, isReset) { port =>
            try {
              val (c, kept) = open(loop, port, once)
              opened.incrementAndGet()
              on(loop)(c.write(new Array[Byte](2000), 0, 2000))
              val end = kept.next()
              assert(end.startsWith("closed by "), s"$end after $limit or $back bytes")
            } catch { case _: IOException => () }
          }
        assert(opened.get > 0, "all were cut in the handshake")
        eventually(identity.counts.present == 0L, "handshakes are under way still")
        eventually(on(loop)(loop.memory.held) == 0L, "memory is held still")
        assertEquals(hello(served, open(loop, served.port)).version, "TLSv1.3")
      }
    }

  tlsTest("whatever becomes of connections, none of their handshakes stays under way") {
    withLoop { loop =>
      val identity = Tls.server(config)
      val served   = new Served(loop, identity)
      val wary     = Tls.trusting(newAuthority("Another").file)
      for (i <- 1 to 30) i % 6 match {
        case 0 => hello(served, open(loop, served.port))
        case 5 => intercept[IOException](open(loop, served.port, wary))
        case k =>
          withClient(served.listener) { client =>
            if (k == 1) send(client, "GET / HTTP/1.1\r\n\r\n")
            if (k == 2) client.getOutputStream.write(Array[Byte](22, 3, 1, 2, 0, 1)) // a part of a record
            if (k == 4) {
              // a whole one, of a greeting that ends in nonsense
              client.getOutputStream.write(Array[Byte](22, 3, 1, 0, 4, 1, 0, 0, 9) ++ new Array[Byte](60))
              while (client.getInputStream.read() >= 0) {}
            }
          }
      }
      eventually(identity.counts.full + identity.counts.resumed == 5L, "not all are complete")
      eventually(identity.counts.failed == 25L, s"${identity.counts.failed} of 25 failed")
      import HandshakeFailure.*
      for (why <- Seq(Plain, Incomplete, Silent, Protocol, Alert))
        assertEquals(identity.counts.failed(why), 5L, why)
      assertEquals(identity.counts.present, 0L)
    }
  }

  tlsTest("who announces a first message that is longer than any of TLS is cut off before it has sent it") {
    serving(config) { served =>
      val header = Array[Byte](1, 2, 0, 0) // of a ClientHello of 128 KiB
      val whole  = Array[Byte](22, 3, 1, 0, 4) ++ header
      for (bytes <- Seq(whole, header.flatMap(Array[Byte](22, 3, 1, 0, 1, _))))
        withClient(served.listener) { client =>
          client.getOutputStream.write(bytes)
          try while (client.getInputStream.read() >= 0) {} // an alert, with the JDK
          catch { case _: IOException => () }
          val end = served.nextHandler().next()
          assert(end.startsWith("closed by no TLS with the client: "), end)
        }
    }
  }

  tlsTest("an end that TLS does not tell of is none: data may be missing") {
    serving(config) { served =>
      val whole = relaying(served.port, 4096, Int.MaxValue, Int.MaxValue) { port =>
        val (c, kept) = open(served.loop, port)
        roundTrip(served, (c, kept), "some".getBytes)
        on(served.loop)(served.connections.peek.abort())
        kept.next()
      }
      assert(whole.contains("data may be missing"), whole)
    }
  }

  tlsTest("bytes that were changed on their way end the connection, whose handshake has not failed") {
    serving(config) { served =>
      val spoils = new AtomicBoolean
      relaying(served.port, 4096, Int.MaxValue, Int.MaxValue, spoils = spoils) { port =>
        val (c, kept) = open(served.loop, port)
        roundTrip(served, (c, kept), "some".getBytes)
        spoils.set(true)
        on(served.loop)(c.write("more".getBytes, 0, 4))
        val end = served.nextHandler().next()
        assert(end.startsWith("closed by ") && !end.contains("no TLS with"), end)
        assert(kept.next().startsWith("closed"))
      }
    }
  }

  private val answer = "HTTP/1.1 400 Bad Request\r\n\r\n"

  tlsTest("who speaks no TLS is told so although it sends more than is read") {
    withLoop { loop =>
      val identity = Tls.server(config)
      val served   = new Served(loop, identity, answer.getBytes)
      withClient(served.listener) { client =>
        send(client, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000000\r\n\r\n")
        for (_ <- 1 to 20) client.getOutputStream.write(new Array[Byte](100000))
        assertEquals(receive(client, answer.length), answer)
        assert(atEnd(client))
        assertEquals(identity.counts.failed, 1L)
        assertEquals(identity.counts.present, 0L) // others may shake hands meanwhile
        val end = served.nextHandler().next() // by itself, as the client stays
        assert(end.contains("the client does not use TLS"), end)
        assertEquals(identity.counts.failed, 1L)
      }
    }
  }

  tlsTest("who is refused by an alert gets to read it although it sends more than is read") {
    withLoop { loop =>
      val identity = Tls.server(config)
      val served   = new Served(loop, identity)
      withClient(served.listener) { client =>
        client.getOutputStream.write(ClientHello(Seq(0x0005))(_ => ())) // RC4, which nobody uses
        for (_ <- 1 to 80) client.getOutputStream.write(new Array[Byte](100000)) // more than the kernel takes
        val alert = receive(client, 7)
        assertEquals(
          (alert(0).toInt, alert(5).toInt, alert(6).toInt),
          (21, 2, 40)
        ) // a fatal handshake_failure
        assert(atEnd(client))
        assertEquals(identity.counts.failed, 1L)
        assertEquals(identity.counts.present, 0L) // others may shake hands meanwhile
        val end = served.nextHandler().next() // by itself, as the client stays
        assert(end.startsWith("closed by ") && !end.contains("reset"), end)
        assertEquals(identity.counts.failed, 1L)
      }
    }
  }

  tlsTest("a record that is no part of a handshake is refused by an alert if it comes first") {
    withLoop { loop =>
      val identity = Tls.server(config)
      val served   = new Served(loop, identity, answer.getBytes)
      for (kind <- Seq(20, 23, 24))
        withClient(served.listener) { client => // of change_cipher_spec, data, a heartbeat
          client.getOutputStream.write(Array[Byte](kind.toByte, 3, 3, 0, 1, 1))
          val alert = receive(client, 7)
          val found = (alert(0).toInt, alert(5).toInt, alert(6).toInt)
          assertEquals(found, (21, 2, 10), kind) // a fatal unexpected_message
          assert(atEnd(client))
          val end = served.nextHandler().next()
          assert(end.startsWith("closed by no TLS with the client: "), end)
        }
      assertEquals(identity.counts.failed(HandshakeFailure.Protocol), 3L)
      assertEquals(identity.counts.present, 0L)
    }
  }

  tlsTest("who is refused by an alert and sends without end is cut off") {
    serving(config) { served =>
      withClient(served.listener) { client =>
        client.getOutputStream.write(ClientHello(Seq(0x0005))(_ => ()))
        intercept[IOException] {
          for (_ <- 1 to 4096) client.getOutputStream.write(new Array[Byte](65536)) // 256 MiB
        }
      }
      val end = served.nextHandler().next()
      assert(end.startsWith("closed by "), end)
    }
  }

  tlsTest("who speaks no TLS and sends without end is cut off") {
    serving(config, answer.getBytes) { served =>
      withClient(served.listener) { client =>
        send(client, "POST / HTTP/1.1\r\n\r\n")
        intercept[IOException] {
          for (_ <- 1 to 4096) client.getOutputStream.write(new Array[Byte](65536)) // 256 MiB
        }
      }
      val end = served.nextHandler().next()
      assert(end.contains("the client does not use TLS"), end)
    }
  }

  tlsTest("who speaks no TLS is told so, and garbage does no harm") {
    serving(config, toPlain = "HTTP/1.1 400 Bad Request\r\n\r\n".getBytes) { served =>
      withClient(served.listener) { client =>
        send(client, "GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assertEquals(receive(client, 28), "HTTP/1.1 400 Bad Request\r\n\r\n")
        assert(atEnd(client))
      }
      val end = served.nextHandler().next()
      assert(end.contains("the client does not use TLS"), end)
      val random = new scala.util.Random(1)
      for (_ <- 1 to 50) withClient(served.listener) { client =>
        val garbage = new Array[Byte](1 + random.nextInt(2000))
        random.nextBytes(garbage)
        garbage(0) = 22
        client.getOutputStream.write(garbage)
        client.shutdownOutput()
        try while (client.getInputStream.read() >= 0) ()
        catch { case _: IOException => () } // a reset
        val end = served.nextHandler().next()
        assert(end.startsWith("closed by "), end)
      }
      assertEquals(hello(served, open(served.loop, served.port)).version, "TLSv1.3")
    }
  }
}
