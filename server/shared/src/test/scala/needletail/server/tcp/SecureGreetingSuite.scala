package needletail.server.tcp

import java.net.{Socket, SocketTimeoutException}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.{
  Address,
  Tls,
  TlsCertificate,
  TlsClientAuth,
  TlsClientConfig,
  TlsIdentity,
  TlsLimits,
  TlsServerConfig,
  TlsTrust
}
import needletail.server.{MessageConnection, ServerFixture}
import needletail.server.config.ServerConfig
import needletail.server.connection.SecureClient
import needletail.server.operations.Log
import needletail.testing.{Suite, TemporaryDirectories}

/** Servers of a codec that speak first over TLS: before the client has sent anything but its handshake. */
class SecureGreetingSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()
  private lazy val issued    = authority.issue("DNS:localhost")
  private lazy val client    = new SecureClient(Tls.trusting(authority.file))
  private val patience       = 20.seconds

  private def identity(limits: TlsLimits = TlsLimits(), clients: Option[TlsClientAuth] = None): TlsIdentity =
    Tls.server(TlsServerConfig(issued.chain, issued.key).copy(limits = limits, clients = clients))

  private def serving(tls: => TlsIdentity = identity(), pending: Int = 1024 * 1024)(
      session: MessageConnection[String] => String => Async[Answer[String]]
  )(body: TcpServer => Unit): Unit = if (Tls.isKnown) {
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 2,
      log = Log.none,
      maxPendingOutput = pending,
      tls = Some(tls)
    )
    ServerFixture.serving(TcpServer.serve(Lines, config)(session))(body)
  }

  private def connected(server: TcpServer): Socket = {
    val socket = new Socket("127.0.0.1", server.port)
    socket.setSoTimeout(patience.toMillis.toInt)
    socket
  }

  test("a greeting comes before the client asks, and the answers after it") {
    serving() { connection =>
      assert(connection.send("220 ready"))
      line => if (line.isEmpty) Answer.last("bye") else Answer(s"not $line")
    } { server =>
      for (_ <- 1 to 5) { // also after a resumed handshake
        val (said, _) = client.ask(server.port, after = "220 ready\n")
        assertEquals(said, "220 ready\nnot GET / HTTP/1.1\nnot Host: localhost\nnot Connection: close\nbye\n")
        // who asks at once, within the last message of the handshake, is answered after the greeting, too
        assertEquals(client.ask(server.port)._1, said)
      }
    }
  }

  test("a greeting from another thread while the handshake is not complete, and as much of it as may wait") {
    val taken = Promise[MessageConnection[String]]()
    val sent  = new AtomicInteger
    val long  = "x" * 9999
    serving(pending = 500000) { connection =>
      taken.trySuccess(connection)
      assert(connection.send("first"))
      _ => Answer.last("bye")
    } { server =>
      val silent     = connected(server)
      val connection = Await.result(taken.future, patience)
      while (sent.get < 1000 && connection.send(long)) sent.incrementAndGet()
      assert(sent.get >= 49 && sent.get < 100, sent.get)
      silent.setSoTimeout(200)
      intercept[SocketTimeoutException](silent.getInputStream.read()) // nothing of it is sent in plain text
      silent.close()
    }
    serving(pending = 500000) { connection =>
      while (sent.get < 1000 && connection.send(long))
        sent.incrementAndGet() // on the loop: more than may wait
      _ => Answer.last("bye")
    } { server =>
      sent.set(0)
      val (said, _) = client.ask(server.port, after = long)
      val lines     = said.split('\n')
      assertEquals(lines.count(_ == long), sent.get)
      assertEquals(lines.count(_ == "bye"), 1)
    }
  }

  test("a client's certificate is known when it asks, also where the connection was asked for it before") {
    for (asksEarly <- Seq(true, false))
      serving(identity(clients = Some(TlsClientAuth(authority.file)))) { connection =>
        if (asksEarly) assertEquals((connection.peer, connection.security), (None, None))
        _ => {
          val who = connection.peer.fold("nobody")(_.subject)
          Answer.last(s"$who, ${connection.security.isDefined}, ${connection.peer.isDefined}")
        }
      } { server =>
        val certificate = TlsCertificate(issued.chain, issued.key)
        val known       = Tls.client(TlsClientConfig(TlsTrust.File(authority.file), Some(certificate)))
        assertEquals(new SecureClient(known).ask(server.port)._1, "CN=needletail, true, true\n")
      }
  }

  test("clients that were sent away before their handshakes, and do not go on with them, make room") {
    lazy val tls = identity(TlsLimits(handshakes = 2, timeout = 10.minutes))
    serving(tls) { connection =>
      assert(connection.send("421 too busy"))
      connection.close()
      line => Answer(line)
    } { server =>
      val stalled = List.fill(2)(connected(server))
      stalled.foreach(_.getOutputStream.write(22)) // a record begins
      eventually(tls.counts.present == 2L, "they are no handshakes")
      val silent = connected(server) // when it is accepted, it is seen that handshakes are many
      assertEquals(client.ask(server.port, after = "-")._1, "421 too busy\n")
      (silent :: stalled).foreach(_.close())
    }
  }

  test("a server that greets and closes at once") {
    serving() { connection =>
      assert(connection.send("421 too busy"))
      connection.close()
      line => Answer(line)
    } { server => for (_ <- 1 to 5) assertEquals(client.ask(server.port, after = "-")._1, "421 too busy\n") }
  }

  test("a client without a handshake gets no greeting, and is closed in time") {
    for (closes <- Seq(false, true)) {
      val ended = Promise[Unit]()
      serving(identity(TlsLimits(timeout = 500.millis))) { connection =>
        assert(connection.send("220 ready"))
        connection.closed.foreach { _ => ended.trySuccess(()); () }
        if (closes) connection.close()
        line => Answer(line)
      } { server =>
        val silent = connected(server)
        assertEquals(silent.getInputStream.read(), -1)
        silent.close()
        Await.result(ended.future, patience)
        val plain = connected(server)
        plain.getOutputStream.write("HELO\r\n".getBytes)
        val said = scala.util.Try(plain.getInputStream.read()).getOrElse(-1) // it may be reset
        assert(said != '2'.toInt, said)
        plain.close()
      }
    }
  }
}
