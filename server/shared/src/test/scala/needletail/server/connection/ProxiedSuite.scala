package needletail.server.connection

import needletail.server.{RunningServer, Server, ServerFixture}
import needletail.server.operations.Log

import java.net.{Socket, SocketException}
import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.http.{Handler, Https, Request, Response}
import needletail.io.tls.HandshakeFailure
import needletail.io.{Tls, TlsServerConfig}
import needletail.testing.{Suite, TemporaryDirectories}

/** Servers behind proxies that send PROXY headers. */
class ProxiedSuite extends Suite with TemporaryDirectories {
  private val handler =
    Handler((r: Request) => Response.ok(r.connection.remoteAddress + " " + r.connection.localAddress))
  private val behind = ServerFixture.loopback.copy(proxies = Seq("127.0.0.0/8"))

  /** All that comes until the end, or until a reset, as unread input makes of the server's close. */
  private def exchange(server: RunningServer, text: String): String = {
    val socket = new Socket("127.0.0.1", server.port)
    socket.setSoTimeout(20000)
    try {
      socket.getOutputStream.write(text.getBytes("ISO-8859-1"))
      val bytes       = new Array[Byte](4096)
      var got         = ""
      def read(): Int =
        try socket.getInputStream.read(bytes)
        catch { case _: SocketException => -1 }
      var n = read()
      while (n > 0) {
        got += new String(bytes, 0, n, "ISO-8859-1")
        n = read()
      }
      got
    } finally socket.close()
  }

  private val request = "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
  private val header  = "PROXY TCP4 192.0.2.1 198.51.100.2 4711 443\r\n"

  test("the client is the one that a trusted proxy names") {
    ServerFixture.serving(handler, behind) { server =>
      assert(exchange(server, header + request).endsWith("\r\n192.0.2.1:4711 198.51.100.2:443"))
      assert(exchange(server, "PROXY UNKNOWN\r\n" + request).contains("\r\n127.0.0.1:"))
    }
  }

  test("a trusted proxy that sends no header is sent away, and others' headers are not believed") {
    ServerFixture.serving(handler, behind.copy(log = Log.none)) { server =>
      assertEquals(exchange(server, request), "")
    }
    ServerFixture.serving(handler, ServerFixture.loopback.copy(proxies = Seq("10.0.0.0/8"))) { server =>
      assert(exchange(server, request).contains("\r\n127.0.0.1:"))
      assert(exchange(server, header + request).startsWith("HTTP/1.1 400 "))
    }
  }

  test(
    "what is no header is in the log: one line a minute, with the proxy's address and without a stack trace"
  ) {
    val lines = new ConcurrentLinkedQueue[String]
    val log   = new Log {
      def warn(message: String): Unit                    = { lines.add(message); () }
      def error(message: String, cause: Throwable): Unit = { lines.add(s"an error: $message: $cause"); () }
    }
    ServerFixture.serving(handler, behind.copy(log = log, loops = 2)) { server =>
      for (_ <- 1 to 3) assertEquals(exchange(server, request), "")
      assertEquals(exchange(server, "PROXY TCP4 a b c d\r\n"), "")
      val expected = s"${server.url}: a connection from the proxy 127.0.0.1:"
      assertEquals(lines.size, 1, lines)
      assert(lines.peek.startsWith(expected), lines)
      assert(lines.peek.endsWith(" was closed: a proxy sent no PROXY header"), lines)
    }
  }

  test("connections that end without a header, as a balancer's health checks do, are no handshakes") {
    if (Tls.isKnown) {
      val issued   = newAuthority().issue("DNS:localhost")
      val identity = Tls.server(TlsServerConfig(issued.chain, issued.key))
      ServerFixture.serving(handler, behind.copy(log = Log.none, tls = Some(identity))) { server =>
        for (_ <- 1 to 3) new Socket("127.0.0.1", server.port).close()
        eventually(identity.counts.failed(HandshakeFailure.Silent) == 3L, identity.counts.failed)
        assertEquals(identity.counts.open, 0L)
      }
    }
  }

  test("a server that ends does not wait for headers that do not come") {
    val secure = if (Tls.isKnown) {
      val issued = newAuthority().issue("DNS:localhost")
      Seq(Some(Tls.server(TlsServerConfig(issued.chain, issued.key))))
    } else Nil
    val patient = behind.copy(log = Log.none, headTimeout = 60.seconds, drainTimeout = 60.seconds)
    for (tls <- None +: secure; begun <- Seq("", "PROXY TC"); drains <- Seq(false, true)) {
      val config =
        if (begun.isEmpty) patient.copy(drainGrace = 100.millis) else patient.copy(drainTimeout = 500.millis)
      val server = Server(handler, config.copy(tls = tls)).start()
      val socket = new Socket("127.0.0.1", server.port)
      try {
        if (begun.nonEmpty) socket.getOutputStream.write(begun.getBytes) // natively an array needs an element
        eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 1)
        Await.result(if (drains) server.drain() else server.close(), 20.seconds)
      } finally {
        socket.close()
        Await.result(server.close(), 20.seconds)
      }
    }
  }

  test("in a drain, a header that comes within the grace is followed by its request") {
    val server = Server(handler, behind.copy(log = Log.none, drainGrace = 10.seconds)).start()
    val socket = new Socket("127.0.0.1", server.port)
    try {
      socket.setSoTimeout(20000)
      eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 1)
      val drained = server.drain()
      socket.getOutputStream.write((header + request).getBytes)
      val answer = new String(socket.getInputStream.readAllBytes(), "ISO-8859-1")
      assert(answer.endsWith("\r\n192.0.2.1:4711 198.51.100.2:443"), answer)
      Await.result(drained, 20.seconds)
    } finally {
      socket.close()
      Await.result(server.close(), 20.seconds)
    }
  }

  test(
    "a header of somebody who is no known proxy is in the log once a minute, on a plain port and on one with TLS"
  ) {
    val identities = if (Tls.isKnown) {
      val issued = newAuthority().issue("DNS:localhost")
      Seq(None, Some(Tls.server(TlsServerConfig(issued.chain, issued.key))))
    } else Seq(None)
    val second = new String(binary(), "ISO-8859-1")
    // of the second version also the beginning that the parser of HTTP refuses
    for (tls <- identities; sent <- Seq(header + request, second + request, second.take(5))) {
      val lines = new ConcurrentLinkedQueue[String]
      val log   = new Log {
        def warn(message: String): Unit                    = { lines.add(message); () }
        def error(message: String, cause: Throwable): Unit = { lines.add(s"an error: $message: $cause"); () }
      }
      ServerFixture.serving(handler, ServerFixture.loopback.copy(log = log, loops = 2, tls = tls)) { server =>
        for (_ <- 1 to 4) assert(exchange(server, sent).startsWith("HTTP/1.1 400 "))
        // the peer may have the answer before the connection has ended
        eventually(!lines.isEmpty)
        assertEquals(lines.size, 1, lines)
        assert(lines.peek.startsWith(s"${server.url}: 127.0.0.1:"), lines)
        assert(
          lines.peek.endsWith(
            " sent a PROXY header, but is not in ServerConfig.proxies; it was answered with 400"
          ),
          lines
        )
        if (tls.nonEmpty) {
          for (_ <- 1 to 4) assert(exchange(server, request).startsWith("HTTP/1.1 400 "))
          eventually(lines.size == 2, lines)
          assert(
            lines.toArray.last.toString.endsWith(" did not use TLS on a TLS port; it was answered with 400"),
            lines
          )
          // each is counted when it has ended
          eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
          Await.result(server.drain(), 20.seconds)
          for (
            told <- Seq(
              "3 more peers not in ServerConfig.proxies sent a PROXY header since the last one that was logged",
              "3 more TLS handshakes failed since the last one that was logged (reason: plain)"
            )
          )
            assert(lines.toArray.exists(_.toString.endsWith(told)), lines)
        }
      }
    }
  }

  test("the header comes before TLS") {
    if (Tls.isKnown) {
      val issued = newAuthority().issue("DNS:localhost")
      val secure = behind.copy(tls = Some(Tls.server(TlsServerConfig(issued.chain, issued.key))))
      ServerFixture.serving(handler, secure) { server =>
        // plain text after the header is answered as such by the TLS that expects a handshake there
        assert(exchange(server, header + request).contains("this port requires TLS (https)"))
      }
    }
  }

  /** Version 2 of it, with further bytes at its end. */
  private def binary(more: Int*): Array[Byte] =
    (Seq(13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10, 0x21, 0x11, 0, 12 + more.length) ++
      Seq(192, 0, 2, 1, 198, 51, 100, 2, 0x12, 0x67, 1, 0xbb) ++ more).map(_.toByte).toArray

  test("a request names the scheme that its client uses, whether this server's TLS or its proxy's") {
    val absolute           = request.replace("GET / ", "GET https://a/ ").getBytes
    def binary2(bits: Int) = binary(0x20, 0, 5, bits, 0, 0, 0, 0)
    ServerFixture.serving(handler, behind) { server =>
      def status(before: Array[Byte]) =
        exchange(server, new String(before ++ absolute, "ISO-8859-1")).split(' ')(1)
      // one after the other, as they share a parser
      for (_ <- 1 to 2) assertEquals((status(binary2(1)), status(binary2(0))), ("200", "421"))
    }
  }

  test("a handshake follows the header, of either version") {
    if (Tls.isKnown) {
      val authority = newAuthority()
      val issued    = authority.issue("DNS:localhost")
      val client    = new SecureClient(Tls.trusting(authority.file))
      val secure    = behind.copy(tls = Some(Tls.server(TlsServerConfig(issued.chain, issued.key))))
      ServerFixture.serving(handler, secure) { server =>
        for (before <- Seq(header.getBytes, binary())) {
          val (answer, session) = client.ask(server.port, before)
          assertEquals(session.version, "TLSv1.3")
          assert(answer.endsWith("\r\n192.0.2.1:4711 198.51.100.2:443"), answer)
        }
        assertEquals(secure.tls.get.counts.full + secure.tls.get.counts.resumed, 2L)
      }
    }
  }

  test("a trusted proxy that ends TLS says that its client uses it, and nobody else can") {
    val tells     = Handler((r: Request) => Response.ok(s"${r.connection.isSecure} ${r.connection.security}"))
    val usesTls   = new String(binary(0x20, 0, 5, 1, 0, 0, 0, 0), "ISO-8859-1")
    val usesPlain = new String(binary(), "ISO-8859-1")
    ServerFixture.serving(tells, behind) { server =>
      assert(exchange(server, usesTls + request).endsWith("\r\ntrue None"))
      assert(exchange(server, usesPlain + request).endsWith("\r\nfalse None"))
      assert(exchange(server, header + request).endsWith("\r\nfalse None"))
    }
    ServerFixture.serving(tells.around(Https.only()), behind) { server =>
      assert(exchange(server, usesTls + request).endsWith("\r\ntrue None"))
      val redirected = exchange(server, usesPlain + request)
      assert(
        redirected.startsWith("HTTP/1.1 308 ") && redirected.contains("\r\nLocation: https://a/\r\n"),
        redirected
      )
    }
    ServerFixture.serving(tells) { server =>
      assert(exchange(server, usesTls + request).startsWith("HTTP/1.1 400 "))
    }
  }
}
