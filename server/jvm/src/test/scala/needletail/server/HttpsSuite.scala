package needletail.server

import java.io.IOException
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.nio.file.{Files, Path}
import javax.net.ssl.SSLSocket

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.http.{ByteStream, Handler, Response}
import needletail.io.{Address, Tls, TlsLimits, TlsServerConfig}
import needletail.testing.{Certificate, Suite}

/** Our server over TLS, asked by the JDK's own client and sockets. */
class HttpsSuite extends Suite {
  private val handler: Handler = request =>
    request.path match {
      case "/echo"   => request.body.bytes.map(b => Response.ok.bytes(b))
      case "/secure" => Response.ok(request.connection.isSecure.toString)
      case "/pieces" => Response.ok.stream(ByteStream.fromIterator(Iterator.fill(500)(new Array[Byte](1000))))
      case "/large"  => Response.ok.bytes(new Array[Byte](5000000))
      case path      => Response.ok(path)
    }

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 2,
    log = Log.none,
    tls = Some(Tls.server(TlsServerConfig(Certificate.local.file, Certificate.local.key)))
  )

  private def serving[A](config: ServerConfig = config)(body: RunningServer => A): A =
    ServerFixture.serving(handler, config)(body)

  private def client(certificate: Certificate = Certificate.local): HttpClient =
    HttpClient.newBuilder.sslContext(Certificate.trusting(certificate.file)).build()

  private def uri(server: RunningServer, path: String) = URI.create(s"https://localhost:${server.port}$path")

  private def get(client: HttpClient, server: RunningServer, path: String): Array[Byte] = client.send(
    java.net.http.HttpRequest.newBuilder(uri(server, path)).timeout(java.time.Duration.ofSeconds(10)).build(),
    BodyHandlers.ofByteArray
  ).body

  private def socket(server: RunningServer, version: String): SSLSocket = {
    val socket = Certificate.trusting(Certificate.local.file).getSocketFactory.createSocket(
      "127.0.0.1",
      server.port
    ) match {
      case s: SSLSocket => s
      case other        => fail(s"$other is no SSLSocket")
    }
    socket.setEnabledProtocols(Array(version))
    socket.setSoTimeout(10000)
    socket
  }

  test("requests and answers of all sizes, and the handler knows that they are secured") {
    serving() { server =>
      val c = client()
      assertEquals(server.url, s"https://127.0.0.1:${server.port}")
      assertEquals(new String(get(c, server, "/hello")), "/hello")
      assertEquals(new String(get(c, server, "/secure")), "true")
      assertEquals(get(c, server, "/pieces").length, 500000)
      assertEquals(get(c, server, "/large").length, 5000000)
      for (size <- List(0, 1, 16383, 16384, 16385, 1000000)) {
        val body    = Array.tabulate[Byte](size)(_.toByte)
        val request =
          java.net.http.HttpRequest.newBuilder(uri(server, "/echo")).POST(BodyPublishers.ofByteArray(body))
        val echoed = c.send(request.build(), BodyHandlers.ofByteArray).body
        assert(java.util.Arrays.equals(echoed, body), s"$size bytes")
      }
    }
  }

  test("an RSA key too") {
    val rsa = config.copy(tls = Some(Tls.server(TlsServerConfig(Certificate.rsa.file, Certificate.rsa.key))))
    serving(rsa)(server => assertEquals(new String(get(client(Certificate.rsa), server, "/a")), "/a"))
  }

  for (version <- Seq("TLSv1.2", "TLSv1.3"))
    test(s"$version: requests behind one another, and the end of the connection is told") {
      serving() { server =>
        val s = socket(server, version)
        try {
          val two = "GET https://localhost/one HTTP/1.1\r\nHost: localhost\r\n\r\n" +
            "GET /two HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
          s.getOutputStream.write(two.getBytes)
          val all = new String(s.getInputStream.readAllBytes()) // fails where the end is not told
          assert(all.contains("/one") && all.endsWith("/two"), all)
          assertEquals(s.getSession.getProtocol, version)
        } finally s.close()
      }
    }

  test("bytes of a record that come one by one") {
    serving() { server =>
      // a proxy between client and server that forwards the client's bytes one by one
      val relay = new java.net.ServerSocket(0, 1, java.net.InetAddress.getByName("127.0.0.1"))
      val there = new java.net.Socket("127.0.0.1", server.port)
      there.setTcpNoDelay(true)
      val thread = new Thread(() =>
        try {
          val here = relay.accept()
          val back = new Thread(() =>
            try { there.getInputStream.transferTo(here.getOutputStream); () }
            catch { case _: IOException => () }
          )
          back.setDaemon(true)
          back.start()
          var byte = here.getInputStream.read()
          while (byte >= 0) {
            there.getOutputStream.write(byte)
            byte = here.getInputStream.read()
          }
        } catch { case _: IOException => () }
      )
      thread.setDaemon(true)
      thread.start()
      try {
        val s = Certificate.trusting(Certificate.local.file).getSocketFactory.createSocket(
          "127.0.0.1",
          relay.getLocalPort
        )
        s.setSoTimeout(10000)
        s.getOutputStream.write("GET /slowly HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".getBytes)
        assert(new String(s.getInputStream.readAllBytes()).endsWith("/slowly"))
        s.close()
      } finally {
        relay.close()
        there.close()
      }
    }
  }

  private val impatient = config.copy(tls =
    Some(Tls.server(
      TlsServerConfig(Certificate.local.file, Certificate.local.key).copy(limits =
        TlsLimits(timeout = 300.millis)
      )
    ))
  )

  /** What comes until the server ends the connection, for what it was sent. */
  private def untilEnd(server: RunningServer, rawBytes: Array[Byte]): Array[Byte] = {
    val s = new java.net.Socket("127.0.0.1", server.port)
    try {
      s.setSoTimeout(20000)
      s.getOutputStream.write(rawBytes)
      s.getInputStream.readAllBytes()
    } finally s.close()
  }

  test("who speaks no TLS is told so, and sent away") {
    serving(impatient) { server =>
      val answer = untilEnd(server, "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes)
      assert(new String(answer).startsWith("HTTP/1.1 400 "), new String(answer))
      assertEquals(new String(get(client(), server, "/a")), "/a")
    }
  }

  test("who says nothing is closed") {
    serving(impatient)(server => assertEquals(untilEnd(server, Array.empty).length, 0))
  }

  test("who stops in the middle of the handshake is closed") {
    serving(impatient) { server =>
      untilEnd(server, Array[Byte](22, 3, 1, 2, 0, 1))
      assertEquals(new String(get(client(), server, "/b")), "/b")
    }
  }

  test("a drain finishes what is under way") {
    val server = Server(handler, config).start()
    val c      = client()
    assertEquals(new String(get(c, server, "/a")), "/a")
    Await.result(server.drain(), 10.seconds)
    intercept[IOException](get(c, server, "/b"))
  }

  test("files that are no identity are refused with a reason") {
    def refused(certificates: Path, key: Path): String =
      intercept[IOException](Tls.server(TlsServerConfig(certificates, key))).getMessage
    val (ours, other) = (Certificate.local, Certificate.foreign)
    val none          = Files.createTempFile("none", ".pem")
    try {
      assert(refused(none, ours.key).contains("is empty"))
      assert(refused(ours.file, none).contains("is empty"))
      assert(refused(ours.file, ours.file).contains("has no private key in PEM"))
      assert(refused(ours.file, other.key).contains("is not that of the certificate in"))
      val kinds =
        s"the key of ${ours.key} (EC) is not that of the certificate in ${Certificate.rsa.file} (RSA)"
      assertEquals(refused(Certificate.rsa.file, ours.key), kinds)
      assert(refused(ours.file, none.resolveSibling("no-such.pem")).contains("No such file"))
      Files.write(none, "-----BEGIN PRIVATE KEY-----\n!!\nAAAA=AA\n-----END PRIVATE KEY-----\n".getBytes)
      assert(refused(ours.file, none).contains("is damaged"))
    } finally Files.delete(none)
  }
}
