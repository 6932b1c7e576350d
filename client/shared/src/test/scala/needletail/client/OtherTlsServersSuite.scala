package needletail.client

import java.io.File

import scala.concurrent.duration._

import needletail.io.{Tls, TlsClientConfig, TlsTrust}
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** The client's TLS against servers of OpenSSL, Python, Node, Go and nginx, where they are installed. */
class OtherTlsServersSuite extends Suite with Serving with OtherPrograms with TemporaryDirectories {
  override def munitTimeout: Duration = 3.minutes // Go compiles its library the first time

  private lazy val authority = newAuthority()
  private lazy val good      = authority.issue("DNS:localhost")
  private lazy val rsa       = authority.issue("DNS:localhost", "rsa")
  private lazy val misnamed  = authority.issue("DNS:other.example")
  private lazy val expired   = authority.issue("DNS:localhost", isExpired = true)
  private lazy val trusting  = clientConfig.copy(tls =
    Tls.client(TlsClientConfig(TlsTrust.File(authority.file), protocols = Seq("http/1.1")))
  )
  private lazy val wary = clientConfig.copy(tls = Tls.trusting(newAuthority("Another").file))

  /**
   * Asks a server with a good certificate.
   *
   * @param expected what the answer contains
   * @param from      the first answer that must contain it
   * @param isRefused whether the same server is asked with bad certificates, too, which the client must refuse
   */
  private def judged(expected: String = "hello", from: Int = 1, isRefused: Boolean = false)(
      server: (Int, Authority#Issued) => Seq[String]
  ): Unit = if (Tls.isKnown) {
    def asking[A](issued: Authority#Issued, config: ClientConfig)(body: Service => A): A = {
      val port = freePort()
      listening(port, server(port, issued): _*) {
        calling(config)(client => body(client.service(s"https://localhost:$port")))
      }
    }
    def refused(issued: Authority#Issued, config: ClientConfig, reasons: String*): Unit = {
      val message = asking(issued, config)(service =>
        intercept[ClientError.CannotConnect](service.get("/").await()).getMessage
      )
      assert(reasons.exists(message.contains), message)
    }

    for (issued <- if (isRefused) List(good, rsa) else List(good))
      asking(issued, trusting) { service =>
        for (n <- 1 to 3) {
          val text = service.get("/").await().text
          assert(n < from || text.contains(expected), text)
        }
      }
    if (isRefused) {
      refused(misnamed, trusting, "name")
      refused(expired, trusting, "expired")
      refused(good, wary, "trust", "issuer")
    }
  }

  private def page(): File = {
    val folder = temporaryDirectory().toFile
    write(new File(folder, "index.html"), "hello\n")
    folder
  }

  test("OpenSSL's s_server") {
    val openssl = find("openssl")
    assume(openssl.isDefined, "openssl is not installed")
    judged("s_server", isRefused = true)((port, issued) =>
      Seq(openssl.get, "s_server", "-accept", s"127.0.0.1:$port", "-cert", issued.chain.toString) ++
        Seq("-key", issued.key.toString, "-www", "-quiet")
    )
  }

  for (version <- List("TLSv1_2", "TLSv1_3"))
    test(s"Python, by $version") {
      val python = find("python3")
      assume(python.isDefined, "Python is not installed")
      val folder = page()
      judged(isRefused = version == "TLSv1_2") { (port, issued) =>
        val script = new File(folder, "server.py")
        write(
          script,
          s"""import functools, http.server, ssl
             |class Handler(http.server.SimpleHTTPRequestHandler):
             |    protocol_version = "HTTP/1.1"
             |server = http.server.ThreadingHTTPServer(("127.0.0.1", $port), functools.partial(Handler, directory="$folder"))
             |context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
             |context.load_cert_chain("${issued.chain}", "${issued.key}")
             |context.minimum_version = context.maximum_version = ssl.TLSVersion.$version
             |server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
             |server.serve_forever()""".stripMargin
        )
        Seq(python.get, script.getPath)
      }
    }

  test("Node") {
    val node = find("node")
    assume(node.isDefined, "Node is not installed")
    judged() { (port, issued) =>
      val script = new File(page(), "server.js")
      write(
        script,
        s"""const fs = require('fs');
           |const files = { key: fs.readFileSync('${issued.key}'), cert: fs.readFileSync('${issued.chain}') };
           |require('https').createServer(files, (q, r) => r.end('hello')).listen($port, '127.0.0.1');""".stripMargin
      )
      Seq(node.get, script.getPath)
    }
  }

  test("Go, which says what was negotiated") {
    val go = find("go").orElse(Some("/usr/local/go/bin/go").filter(new File(_).canExecute))
    assume(go.isDefined, "Go is not installed")
    if (Tls.isKnown) {
      val program = compiled(
        go.get,
        page(),
        """package main
          |import ("crypto/tls"; "fmt"; "net/http"; "os")
          |func main() {
          |  server := &http.Server{Addr: "127.0.0.1:" + os.Args[1], Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
          |    fmt.Fprintf(w, "hello %s %q resumed=%v", tls.VersionName(r.TLS.Version), r.TLS.NegotiatedProtocol, r.TLS.DidResume)
          |  })}
          |  if os.Args[4] == "1.2" { server.TLSConfig = &tls.Config{MaxVersion: tls.VersionTLS12} }
          |  server.SetKeepAlivesEnabled(false)
          |  panic(server.ListenAndServeTLS(os.Args[2], os.Args[3]))
          |}""".stripMargin
      )

      def command(version: String)(port: Int, issued: Authority#Issued) =
        Seq(program, port.toString, issued.chain.toString, issued.key.toString, version)
      for (version <- Seq("1.2", "1.3"))
        judged(s"""hello TLS $version "http/1.1" resumed=""")(command(version))
      // Every request has a connection of its own. With TLS 1.2 the JDK resumes no session without an identifier, as Go's.
      judged("TLS 1.3 \"http/1.1\" resumed=true", from = 2)(command("1.3"))
      judged(isRefused = true)(command("1.3"))
    }
  }

  test("nginx") {
    val nginx = find("nginx")
    assume(nginx.isDefined, "nginx is not installed")
    judged()((port, issued) => tlsNginxCommand(nginx.get, temporaryDirectory().toFile, port, issued))
  }
}
