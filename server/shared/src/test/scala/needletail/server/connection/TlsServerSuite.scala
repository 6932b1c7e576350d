package needletail.server.connection

import needletail.server.{RunningServer, ServerFixture}
import needletail.server.config.ServerConfig
import needletail.server.operations.Log

import java.net.{Socket, SocketTimeoutException}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.http.{Handler, Request, Response}
import needletail.io.{Tls, TlsClientAuth, TlsClientConfig, TlsLimits, TlsServerConfig, TlsTrust}
import needletail.io.tls.HandshakeFailure
import needletail.metrics.MetricText
import needletail.server.operations.TlsMetrics
import needletail.testing.{Suite, TemporaryDirectories}

/** What a server does about TLS beside serving: limits, log, certificates. */
class TlsServerSuite extends Suite with TemporaryDirectories {
  private lazy val authority = newAuthority()
  private lazy val local     = authority.issue("DNS:localhost")
  private val handler        = Handler((_: Request) => Response.ok("x"))

  private def secure(limits: TlsLimits = TlsLimits()): ServerConfig = ServerFixture.loopback.copy(
    tls = Some(Tls.server(TlsServerConfig(local.chain, local.key).copy(limits = limits)))
  )

  private final class Lines extends Log {
    val all                                            = new ConcurrentLinkedQueue[String]
    override def info(message: String): Unit           = { all.add(message); () }
    def warn(message: String): Unit                    = { all.add(message); () }
    def error(message: String, cause: Throwable): Unit = { all.add(message); () }
  }

  private def connected(server: RunningServer): Socket = {
    val socket = new Socket("127.0.0.1", server.port)
    socket.setSoTimeout(20000)
    socket
  }

  /** Whether the server has closed it. */
  private def isAtEnd(socket: Socket): Boolean = {
    socket.setSoTimeout(20)
    try socket.getInputStream.read() < 0
    catch { case _: SocketTimeoutException => false }
  }

  private def asksInPlain(socket: Socket): Unit = {
    socket.getOutputStream.write("GET / HTTP/1.1\r\n\r\n".getBytes)
    assertEquals(socket.getInputStream.read(), 'H'.toInt) // it is told that it does not speak TLS
    socket.close()
  }

  test("connections that have sent nothing are no handshakes, and nobody waits for them") {
    if (Tls.isKnown) {
      val config = secure(TlsLimits(handshakes = 2, timeout = 10.minutes))
      ServerFixture.serving(handler, config) { server =>
        val silent = List.fill(5)(connected(server))
        asksInPlain(connected(server))
        val counts = config.tls.get.counts
        eventually(counts.failed == 1L, "it is not counted")
        assertEquals(counts.present, 0L)
        silent.foreach(_.close())
        eventually(counts.failed == 6L, "not all are counted")
        assertEquals(counts.present, 0L)
      }
    }
  }

  test(
    "of very many connections that have sent nothing, those that are silent longest make room for others"
  ) {
    if (Tls.isKnown) {
      val config = secure(TlsLimits(handshakes = 2, timeout = 10.minutes))
      ServerFixture.serving(handler, config) { server =>
        val silent = List.fill(80)(connected(server))
        asksInPlain(connected(server))
        val counts = config.tls.get.counts
        eventually(counts.failed(HandshakeFailure.Silent) >= 16L && counts.open < 64L, "none is closed")
        assertEquals(counts.present, 0L)
        val closed = counts.failed(HandshakeFailure.Silent).toInt
        assertEquals(silent.map(isAtEnd), List.tabulate(80)(_ < closed), "not those that came first")
        silent.foreach(_.close())
        eventually(counts.failed == 81L && counts.open == 0L, "not all are counted")
      }
    }
  }

  test("handshakes that are stalled are closed when there are as many as allowed, and the log has one line") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val config = secure(TlsLimits(handshakes = 2, timeout = 10.minutes)).copy(log = lines)
      ServerFixture.serving(handler, config) { server =>
        val counts = config.tls.get.counts
        for (_ <- 1 to 2) {
          val stalled = List.fill(2)(connected(server))
          stalled.foreach(_.getOutputStream.write(22))
          eventually(counts.present == 2L, "they are no handshakes")
          val silent = connected(server) // when it is accepted, it is seen that they are many
          asksInPlain(connected(server)) // it waits until the stalled ones are closed
          (silent :: stalled).foreach(_.close())
          eventually(counts.present == 0L, "handshakes are under way")
        }
        // beside the line about asksInPlain, which may also come after its answer
        val waits = lines.all.toArray.map(_.toString).filterNot(_.contains("did not use TLS on a TLS port"))
        assertEquals(waits.length, 1)
        val line = waits.head
        assert(line.startsWith(s"${server.url}: new connections wait: 2 of at most 2 TLS handshakes"), line)
      }
    }
  }

  test("the metrics have handshakes by version, and failed ones by reason") {
    if (Tls.isKnown) {
      val config   = secure()
      val identity = config.tls.get
      val client   =
        new SecureClient(Tls.client(TlsClientConfig(TlsTrust.File(authority.file), resume = false)))
      ServerFixture.serving(handler, config) { server =>
        asksInPlain(connected(server))
        client.ask(server.port)
        eventually(identity.counts.failed == 1L, "it is not counted")
        val out = new MetricText
        TlsMetrics.write(out, identity)
        val samples = out.toString.split('\n').filter(_.startsWith("needletail_tls_handshakes_"))
        def count(name: String, labels: String*): Unit =
          assert(
            samples.exists(s =>
              s.startsWith(s"needletail_tls_handshakes_$name{") && labels.forall(s.contains) && s.endsWith(
                " 1"
              )
            ),
            samples.mkString("\n")
          )
        count("total", "version=\"TLSv1.3\"", "result=\"full\"")
        count("failed_total", "reason=\"plain\"")
        assertEquals(samples.count(_.endsWith(" 1")), 2, samples.mkString("\n"))
      }
    }
  }

  test("the log says why a handshake failed, once a minute") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val config = secure().copy(log = lines)
      ServerFixture.serving(handler, config) { server =>
        connected(server).close() // as a health check may do: it is no handshake
        eventually(config.tls.get.counts.failed == 1L, "it is not counted")
        assert(lines.all.isEmpty, lines.all)
        for (n <- 2 to 4) {
          val socket = connected(server)
          // a ClientHello's record that ends in nonsense
          socket.getOutputStream.write(Array[Byte](22, 3, 1, 0, 4, 1, 0, 0, 9) ++ new Array[Byte](60))
          while (socket.getInputStream.read() >= 0) {}
          socket.close()
          eventually(config.tls.get.counts.failed == n.toLong, "it is not counted")
        }
        eventually(!lines.all.isEmpty, "nothing was logged")
        val line = lines.all.peek
        assert(line.startsWith(s"${server.url}: the TLS handshake with 127.0.0.1:"), line)
        assert(line.contains(" failed: ") && !line.endsWith("null"), line)
        assertEquals(lines.all.size, 1)
      }
    }
  }

  test("while many more handshakes are stalled than allowed, a newcomer is served") {
    if (Tls.isKnown) {
      val config = secure(TlsLimits(handshakes = 8, timeout = 10.minutes))
      ServerFixture.serving(handler, config) { server =>
        def stalled(): Socket = {
          val socket = connected(server)
          socket.getOutputStream.write(22)
          socket
        }
        val first = List.fill(8)(stalled())
        eventually(config.tls.get.counts.present == 8L, "they are no handshakes")
        val silent  = connected(server) // when it is accepted, it is seen that they are many
        val waiting = List.fill(300)(stalled())
        asksInPlain(connected(server)) // how soon is for StalledHandshakesSuite, which has its own time
        (silent :: first ::: waiting).foreach(_.close())
      }
    }
  }

  test("nobody waits because too many handshakes are in progress at another server with the same identity") {
    if (Tls.isKnown) {
      val lines  = new Lines
      val config = secure(TlsLimits(handshakes = 8, timeout = 10.minutes))
      ServerFixture.serving(handler, config) { flooded =>
        ServerFixture.serving(handler, config.copy(log = lines)) { server =>
          val stalled = List.fill(8)(connected(flooded))
          stalled.foreach(_.getOutputStream.write(22))
          val counts = config.tls.get.counts // of both
          eventually(counts.present == 8L, "they are no handshakes")
          for (_ <- 1 to 3) asksInPlain(connected(server))
          eventually(counts.failed == 3L, "they are not counted")
          assertEquals(counts.present, 8L)
          assert(!lines.all.toString.contains("new connections wait"), lines.all)
          stalled.foreach(_.close())
        }
      }
    }
  }

  test("of the handshakes that are stalled the oldest is closed first, and no more than needed") {
    if (Tls.isKnown) {
      val config = secure(TlsLimits(handshakes = 3, timeout = 10.minutes))
      ServerFixture.serving(handler, config) { server =>
        val counts  = config.tls.get.counts
        val stalled = for (n <- 1 to 3) yield {
          val socket = connected(server)
          socket.getOutputStream.write(22)
          eventually(counts.present == n.toLong, "it is no handshake")
          socket
        }
        val silent = connected(server) // when it is accepted, it is seen that they are many
        asksInPlain(connected(server))
        eventually(counts.present == 2L, "another one is closed, or none")
        val closed = stalled.head.getInputStream
        while (closed.read() >= 0) () // an alert, and the end
        for (socket <- stalled.tail) {
          socket.setSoTimeout(200)
          intercept[java.net.SocketTimeoutException](socket.getInputStream.read())
        }
        (silent +: stalled).foreach(_.close())
      }
    }
  }

  test("TLS that comes to a plain port gets a 400, and the log has one line, whatever the number of loops") {
    val lines = new Lines
    ServerFixture.serving(handler, ServerFixture.loopback.copy(loops = 3, log = lines)) { server =>
      for (_ <- 1 to 6) {
        val socket = connected(server)
        socket.getOutputStream.write(Array[Byte](22, 3, 1, 2, 0, 1, 0, 1, -4, 3, 3))
        val start = new Array[Byte](12)
        var got   = 0
        while (got < start.length) got += socket.getInputStream.read(start, got, start.length - got)
        assertEquals(new String(start), "HTTP/1.1 400")
        socket.close()
      }
      assertEquals(lines.all.size, 1)
      assert(
        lines.all.peek.startsWith(s"${server.url}: a client used TLS on a plain HTTP port"),
        lines.all.peek
      )
    }
  }

  test("a certificate that is not valid any more, and one that cannot be read again, are in the log") {
    if (Tls.isKnown) {
      val lines   = new Lines
      val expired = authority.issue("DNS:localhost", subject = "old", isExpired = true)
      val config  = secure().copy(
        log = lines,
        tls = Some(Tls.server(TlsServerConfig(expired.chain, expired.key)))
      )
      ServerFixture.serving(handler, config) { server =>
        assertEquals(
          lines.all.poll,
          s"${server.url}: the certificate in ${expired.chain} (localhost, EC) has expired"
        )
        server.reload()
        assertEquals(
          lines.all.poll,
          s"${server.url}: the TLS files have been reloaded; none has changed"
        )
        assertEquals(
          lines.all.poll,
          s"${server.url}: the certificate in ${expired.chain} (localhost, EC) has expired"
        )
        java.nio.file.Files.write(expired.key, Array.emptyByteArray)
        server.reload()
        val line = lines.all.poll
        assert(
          line.startsWith(s"${server.url}: the TLS files were not reloaded") && line.contains(
            expired.key.toString
          ),
          line
        )
      }
    }
  }

  test("a list of revoked certificates that has expired, or will soon, is in the log") {
    if (Tls.isKnown) {
      val lines   = new Lines
      val lists   = newAuthority()
      val clients = TlsClientAuth(lists.file, revoked = Some(lists.revoked))
      lists.expireList()
      val config = secure().copy(
        log = lines,
        tls = Some(Tls.server(TlsServerConfig(local.chain, local.key).copy(clients = Some(clients))))
      )
      ServerFixture.serving(handler, config) { server =>
        val list = s"${server.url}: the revocation list of CN=Test Authority in ${lists.revoked}"
        assertEquals(lines.all.poll, s"$list has expired: its issuer's clients are rejected")
        val reloaded = s"${server.url}: the TLS files have been reloaded; ${lists.revoked} has changed"
        lists.listForHours(7)
        server.reload()
        assertEquals(lines.all.poll, reloaded)
        val soon = lines.all.poll
        assert(
          soon.startsWith(s"$list expires at 20") && soon.endsWith(
            "Z; then its issuer's clients are rejected"
          ),
          soon
        )
        lists.listForHours(48)
        server.reload()
        assertEquals(lines.all.poll, reloaded)
        assertEquals(lines.all.poll, null)
      }
    }
  }
}
