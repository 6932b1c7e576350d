package needletail.client

import java.io.File

import scala.concurrent.Promise
import scala.concurrent.duration._

import needletail.http.{ByteStream, Response}
import needletail.io.{
  Address,
  Connection,
  ConnectionHandler,
  Connector,
  EventLoops,
  Tls,
  TlsClientAuth,
  TlsClientConfig,
  TlsServerConfig,
  TlsTrust
}
import needletail.server.ServerFixture
import needletail.testing.{KernelSockets, Suite, TemporaryDirectories}

/**
 * Servers that require a client's certificate, asked without one: each error names the alert that the server has sent.
 * By TLS 1.3 the client's handshake is complete before the server looks for the certificate, and the server resets the
 * connection with the request unread, so that the alert may be found by a write that fails, or by a read.
 */
class CertificateWantedSuite extends Suite with Serving with OtherPrograms with TemporaryDirectories {
  override def munitTimeout: Duration = 4.minutes // Go compiles its library the first time

  private val calls = 100

  /** What libraries send who has no certificate; RFC 8446 section 6.2 has the first. */
  private val alerts = Seq("certificate required", "bad certificate", "handshake failure")

  private lazy val authority = newAuthority()
  private lazy val issued    = authority.issue("DNS:localhost")
  private lazy val tls       = Tls.client(TlsClientConfig(TlsTrust.File(authority.file)))
  private lazy val config    = clientConfig.copy(
    tls = tls,
    connectTimeout = 20.seconds,
    requestTimeout = 30.seconds,
    retry = RetryConfig(attempts = 1),
    breaker = BreakerConfig(enabled = false)
  )

  private val body = new Array[Byte](1024 * 1024)

  private def pieces: ByteStream = ByteStream.fromIterator(Iterator.fill(64)(new Array[Byte](16 * 1024)))

  /** Calls of all kinds, and connections that are written to only after the server has reset them. */
  private def refusing(port: Int): Unit = {
    val messages = calling(config) { client =>
      val service = client.service(s"https://localhost:$port")
      for (n <- 1 to calls) yield {
        val call = n % 3 match {
          case 0 => service.get("/")
          case 1 => service.post("/").body(body)
          case _ => service.post("/").body(pieces)
        }
        intercept[ClientError](call.await()).getMessage
      }
    } ++ (for (_ <- 1 to 10) yield lateWrite(port))
    messages.foreach { message =>
      val text = message.replace('_', ' ')
      assert(text.contains("alert") && alerts.exists(text.contains), message)
    }
  }

  /** The cause that a connection ends with that is written to, unread, once its server has ended it. */
  private def lateWrite(port: Int): String = {
    val loops = new EventLoops(1, "client", daemon = true)
    val ended = Promise[Throwable]()
    try {
      loops(0).execute { () =>
        Connector.connect(Address.Tcp("127.0.0.1", port), loops(0), tls = tls.to("localhost"))(_ =>
          new ConnectionHandler {
            def onData(bytes: Array[Byte], from: Int, until: Int): Int = until
            def onEnd(): Unit                                          = ()
            def onDrained(): Unit                                      = ()
            def onDeadline(): Unit                                     = ()
            def onClosed(cause: Throwable): Unit                       = { ended.trySuccess(cause); () }
          }
        ).onComplete { result =>
          result.failed.foreach(ended.trySuccess)
          result.foreach { (connection: Connection) =>
            val own = connection.localAddress.split(':').last.toInt
            eventually(!KernelSockets.at(own).exists(s => s.peer == port && s.isEstablished), "it goes on")
            connection.write(body, 0, 1000)
          }
        }
        ()
      }
      String.valueOf(await(ended.future))
    } finally {
      loops.stop()
      await(loops.stopped)
    }
  }

  private def refusingWhile(command: Int => Seq[String]): Unit = {
    assume(Tls.isKnown, "no TLS")
    val port = freePort()
    listening(port, command(port): _*)(refusing(port))
  }

  for (version <- Seq("1.2", "1.3")) {
    test(s"OpenSSL's s_server, by TLS $version") {
      val openssl = find("openssl")
      assume(openssl.isDefined, "openssl is not installed")
      refusingWhile(port =>
        Seq(openssl.get, "s_server", "-accept", s"127.0.0.1:$port", "-cert", issued.chain.toString, "-key") ++
          Seq(issued.key.toString, "-CAfile", authority.file.toString, "-Verify", "1", "-www", "-quiet") ++
          Seq(s"-tls${version.replace('.', '_')}")
      )
    }

    test(s"Python, by TLS $version") {
      val python = find("python3")
      assume(python.isDefined, "Python is not installed")
      val script = new File(temporaryDirectory().toFile, "server.py")
      refusingWhile { port =>
        write(
          script,
          s"""import http.server, ssl
             |server = http.server.ThreadingHTTPServer(("127.0.0.1", $port), http.server.SimpleHTTPRequestHandler)
             |context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
             |context.load_cert_chain("${issued.chain}", "${issued.key}")
             |context.load_verify_locations("${authority.file}")
             |context.verify_mode = ssl.CERT_REQUIRED
             |context.minimum_version = context.maximum_version = ssl.TLSVersion.TLSv${version.replace(
              '.',
              '_'
            )}
             |server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
             |server.serve_forever()""".stripMargin
        )
        Seq(python.get, script.getPath)
      }
    }

    test(s"Node, by TLS $version") {
      val node = find("node")
      assume(node.isDefined, "Node is not installed")
      val script = new File(temporaryDirectory().toFile, "server.js")
      refusingWhile { port =>
        write(
          script,
          s"""const fs = require('fs');
             |const options = { key: fs.readFileSync('${issued.key}'), cert: fs.readFileSync('${issued.chain}'),
             |  ca: fs.readFileSync('${authority.file}'), requestCert: true, minVersion: 'TLSv$version',
             |  maxVersion: 'TLSv$version' };
             |require('https').createServer(options, (q, r) => r.end('hello')).listen($port, '127.0.0.1');""".stripMargin
        )
        Seq(node.get, script.getPath)
      }
    }

    test(s"Go, by TLS $version") {
      val go = find("go").orElse(Some("/usr/local/go/bin/go").filter(new File(_).canExecute))
      assume(go.isDefined, "Go is not installed")
      val program = compiled(
        go.get,
        temporaryDirectory().toFile,
        """package main
          |import ("crypto/tls"; "crypto/x509"; "net/http"; "os")
          |func main() {
          |  pem, _ := os.ReadFile(os.Args[5])
          |  pool := x509.NewCertPool()
          |  pool.AppendCertsFromPEM(pem)
          |  version := uint16(tls.VersionTLS13)
          |  if os.Args[4] == "1.2" { version = tls.VersionTLS12 }
          |  server := &http.Server{Addr: "127.0.0.1:" + os.Args[1], TLSConfig: &tls.Config{
          |    ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, MinVersion: version, MaxVersion: version,
          |  }}
          |  panic(server.ListenAndServeTLS(os.Args[2], os.Args[3]))
          |}""".stripMargin
      )
      refusingWhile(port =>
        Seq(program, s"$port", s"${issued.chain}", s"${issued.key}", version, s"${authority.file}")
      )
    }
  }

  test("a server of this platform") {
    assume(Tls.isKnown, "no TLS")
    val own = TlsServerConfig(issued.chain, issued.key).copy(clients = Some(TlsClientAuth(authority.file)))
    ServerFixture.serving(_ => Response.ok("x"), serverConfig.copy(tls = Some(Tls.server(own)))) { server =>
      refusing(server.port)
    }
  }

  test("nginx, which answers 400") {
    val nginx = find("nginx")
    assume(nginx.isDefined, "nginx is not installed")
    assume(Tls.isKnown, "no TLS")
    val port    = freePort()
    val more    = s"ssl_client_certificate ${authority.file}; ssl_verify_client on;"
    val command = tlsNginxCommand(nginx.get, temporaryDirectory().toFile, port, issued, more)
    listening(port, command: _*) {
      calling(config) { client =>
        val service = client.service(s"https://localhost:$port")
        for (n <- 1 to calls) {
          val call     = if (n % 2 == 0) service.get("/") else service.post("/").body(body)
          val response = call.await()
          assertEquals(response.status.code, 400)
          assert(response.text.contains("No required SSL certificate"), response.text)
        }
      }
    }
  }
}
