package needletail.server

import java.net.{Socket, SocketTimeoutException}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.duration._

import needletail.http.{Handler, Request, Response}
import needletail.io.{Tls, TlsLimits, TlsServerConfig}
import needletail.testing.{Authority, Suite}

/** What a server does about TLS beside serving: limits, log, certificates. */
class TlsServerSuite extends Suite {
  private lazy val authority = new Authority
  private lazy val local     = authority.issue("DNS:localhost")
  private val handler        = Handler((_: Request) => Response.ok("x"))

  private def secure(limits: TlsLimits = TlsLimits()): ServerConfig = ServerFixture.loopback.copy(
    tls = Some(Tls.server(TlsServerConfig(local.chain, local.key).copy(limits = limits)))
  )

  private final class Lines extends Log {
    val all                                            = new ConcurrentLinkedQueue[String]
    def warn(message: String): Unit                    = { all.add(message); () }
    def error(message: String, cause: Throwable): Unit = { all.add(message); () }
  }

  private def connected(server: RunningServer): Socket = {
    val socket = new Socket("127.0.0.1", server.port)
    socket.setSoTimeout(20000)
    socket
  }

  test("more handshakes than allowed wait in the backlog, until others are over") {
    if (Tls.isKnown) {
      val config = secure(TlsLimits(handshakes = 2, timeout = 20.seconds))
      ServerFixture.serving(handler, config) { server =>
        val counts = config.tls.get.counts
        val silent = List.fill(2)(connected(server))
        eventually(counts.present == 2L, "the first two are not accepted")
        val third = connected(server)
        third.getOutputStream.write("GET / HTTP/1.1\r\n\r\n".getBytes)
        third.setSoTimeout(300) // it hears nothing meanwhile
        intercept[SocketTimeoutException](third.getInputStream.read())
        assertEquals(counts.present, 2L)
        third.setSoTimeout(20000)
        silent.foreach(_.close())
        // it is told that it does not speak TLS, once it is accepted
        assertEquals(third.getInputStream.read(), 'H'.toInt)
        third.close()
        eventually(counts.failed == 3L, "not all are counted")
      }
    }
  }

  test("TLS that comes to a plain port gets a 400, and the log has one line") {
    val lines = new Lines
    ServerFixture.serving(handler, ServerFixture.loopback.copy(log = lines)) { server =>
      for (_ <- 1 to 3) {
        val socket = connected(server)
        socket.getOutputStream.write(Array[Byte](22, 3, 1, 2, 0, 1, 0, 1, -4, 3, 3))
        val start = new Array[Byte](12)
        var got   = 0
        while (got < start.length) got += socket.getInputStream.read(start, got, start.length - got)
        assertEquals(new String(start), "HTTP/1.1 400")
        socket.close()
      }
      assertEquals(lines.all.size, 1)
      assert(lines.all.peek.contains("spoke TLS to a port that serves http"), lines.all.peek)
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
        assertEquals(lines.all.poll, "the certificate of CN=old has expired")
        java.nio.file.Files.write(expired.key, Array.emptyByteArray)
        server.reload()
        val line = lines.all.poll
        assert(
          line.startsWith("the certificates were not read again") && line.contains(expired.key.toString),
          line
        )
      }
    }
  }
}
