package needletail.client

import java.io.File

import needletail.io.Tls
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** The client's TLS against servers of OpenSSL, Python, Node and nginx, where they are installed. */
class OtherTlsServersSuite extends Suite with Serving with OtherPrograms with TemporaryDirectories {

  private lazy val authority = newAuthority()
  private lazy val good      = authority.issue("DNS:localhost")
  private lazy val rsa       = authority.issue("DNS:localhost", "rsa")
  private lazy val misnamed  = authority.issue("DNS:other.example")
  private lazy val expired   = authority.issue("DNS:localhost", isExpired = true)
  private lazy val trusting  = clientConfig.copy(tls = Tls.trusting(authority.file))
  private lazy val wary      = clientConfig.copy(tls = Tls.trusting(newAuthority("Another").file))

  /**
   * Asks a server with a good certificate.
   *
   * @param expected what the answer contains
   * @param isRefused whether the same server is asked with bad certificates, too, which the client must refuse
   */
  private def judged(expected: String = "hello", isRefused: Boolean = false)(
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
        for (_ <- 1 to 3) assert(service.get("/").await().text.contains(expected))
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

  test("nginx") {
    val nginx = find("nginx")
    assume(nginx.isDefined, "nginx is not installed")
    judged() { (port, issued) =>
      val folder = page()
      val config = new File(folder, "nginx.conf")
      write(
        config,
        s"""daemon off; master_process off; pid $folder/pid; error_log $folder/error.log;
           |events { worker_connections 64; }
           |http {
           |  access_log off; client_body_temp_path $folder/body; proxy_temp_path $folder/p;
           |  fastcgi_temp_path $folder/f; uwsgi_temp_path $folder/u; scgi_temp_path $folder/s;
           |  server {
           |    listen 127.0.0.1:$port ssl; ssl_certificate ${issued.chain}; ssl_certificate_key ${issued.key};
           |    location / { return 200 "hello"; }
           |  }
           |}""".stripMargin
      )
      Seq(nginx.get, "-p", folder.getPath, "-c", config.getPath)
    }
  }
}
