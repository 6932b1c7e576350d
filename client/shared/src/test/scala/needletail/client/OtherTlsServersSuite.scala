package needletail.client

import java.io.File
import java.nio.file.Path

import scala.concurrent.duration._

import needletail.io.{Tls, TlsClientConfig, TlsTrust}
import needletail.testing.{Authority, Suite, TemporaryDirectories}

/** The client's TLS against servers of OpenSSL, Python, Node, Go, Java and nginx, where they are installed. */
class OtherTlsServersSuite extends Suite with Serving with OtherPrograms with TemporaryDirectories {
  override def munitTimeout: Duration = 5.minutes // Go compiles its library the first time

  private lazy val authority = newAuthority()
  private lazy val good      = authority.issue("DNS:localhost")
  private lazy val rsa       = authority.issue("DNS:localhost", "rsa")
  private lazy val weak      = authority.issue("DNS:localhost", "rsa:1024")
  private lazy val misnamed  = authority.issue("DNS:other.example")
  private lazy val expired   = authority.issue("DNS:localhost", isExpired = true)
  private lazy val revoked   = authority.issue("DNS:localhost")
  private lazy val list      = { authority.revoke(revoked); authority.revoked }
  private lazy val trusting  = config()
  private lazy val listing   = config(revoked = Some(list))
  private lazy val wary      = clientConfig.copy(tls = Tls.trusting(newAuthority("Another").file))

  /** What servers need that are to use a key that is too weak, by OpenSSL. */
  private val anyKey = "DEFAULT@SECLEVEL=0"

  private def config(revoked: Option[Path] = None): ClientConfig = {
    val own = TlsClientConfig(TlsTrust.File(authority.file), protocols = Seq("http/1.1"), revoked = revoked)
    clientConfig.copy(tls = Tls.client(own))
  }

  private def asking[A](server: (Int, Authority#Issued) => Seq[String])(
      issued: Authority#Issued,
      config: ClientConfig
  )(body: Service => A): A = {
    val port = freePort()
    listening(port, server(port, issued): _*) {
      calling(config)(client => body(client.service(s"https://localhost:$port")))
    }
  }

  /**
   * Asks a server with good certificates, and with those that the client must refuse.
   *
   * @param expected what the answers to the good ones contain
   */
  private def judged(expected: String = "hello")(server: (Int, Authority#Issued) => Seq[String]): Unit = {
    for ((issued, config) <- Seq(good -> trusting, rsa -> trusting, good -> listing))
      asking(server)(issued, config)(service =>
        for (_ <- 1 to 3) assertContains(service.get("/").await().text, expected)
      )

    def refused(issued: Authority#Issued, config: ClientConfig, reason: String): Unit =
      asking(server)(issued, config)(service =>
        assertContains(intercept[ClientError.CannotConnect](service.get("/").await()).getMessage, reason)
      )
    refused(misnamed, trusting, "the certificate is not for localhost: ")
    refused(expired, trusting, "the certificate of localhost has expired")
    refused(good, wary, "the certificate of localhost is not trusted: its issuer is unknown")
    refused(revoked, listing, "the certificate of localhost was revoked")
    refused(weak, trusting, "the certificate of localhost is too weak")
  }

  private def assertContains(text: String, expected: String): Unit = assert(text.contains(expected), text)

  /** Of a program at that path: skipped if it is not there, or TLS is not. */
  private def peerTest(name: String, program: => Option[String])(body: String => Unit): Unit = test(name) {
    assume(Tls.isKnown, "no TLS")
    assume(program.isDefined, "it is not installed")
    body(program.get)
  }

  private def page(): File = {
    val folder = temporaryDirectory().toFile
    write(new File(folder, "index.html"), "hello\n")
    folder
  }

  peerTest("OpenSSL's s_server", find("openssl")) { openssl =>
    judged("s_server")((port, issued) =>
      Seq(openssl, "s_server", "-accept", s"127.0.0.1:$port", "-cert", issued.chain.toString) ++
        Seq("-key", issued.key.toString, "-cipher", anyKey, "-www", "-quiet")
    )
  }

  for (version <- List("TLSv1_2", "TLSv1_3"))
    peerTest(s"Python, by $version", find("python3")) { python =>
      val folder = page()
      judged() { (port, issued) =>
        val script = new File(folder, "server.py")
        write(
          script,
          s"""import functools, http.server, ssl
             |class Handler(http.server.SimpleHTTPRequestHandler):
             |    protocol_version = "HTTP/1.1"
             |server = http.server.ThreadingHTTPServer(("127.0.0.1", $port), functools.partial(Handler, directory="$folder"))
             |context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
             |context.set_ciphers("$anyKey")
             |context.load_cert_chain("${issued.chain}", "${issued.key}")
             |context.minimum_version = context.maximum_version = ssl.TLSVersion.$version
             |server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
             |server.serve_forever()""".stripMargin
        )
        Seq(python, script.getPath)
      }
    }

  peerTest("Node", find("node")) { node =>
    judged() { (port, issued) =>
      val script = new File(page(), "server.js")
      write(
        script,
        s"""const fs = require('fs');
           |const ciphers = require('tls').DEFAULT_CIPHERS + ':@SECLEVEL=0';
           |const own = { key: fs.readFileSync('${issued.key}'), cert: fs.readFileSync('${issued.chain}'), ciphers };
           |require('https').createServer(own, (q, r) => r.end('hello')).listen($port, '127.0.0.1');""".stripMargin
      )
      Seq(node, script.getPath)
    }
  }

  private def go = find("go").orElse(Some("/usr/local/go/bin/go").filter(new File(_).canExecute))

  peerTest("Go, which says what was negotiated", go) { go =>
    val program = compiled(
      go,
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
    for (version <- Seq("1.2", "1.3")) judged(s"""hello TLS $version "http/1.1" resumed=""")(command(version))
    // Every request has a connection of its own. With TLS 1.2 the JDK resumes no session without an identifier: Go's.
    asking(command("1.3"))(good, trusting) { service =>
      val answers = for (_ <- 1 to 3) yield service.get("/").await().text
      answers.tail.foreach(assertContains(_, "TLS 1.3 \"http/1.1\" resumed=true"))
    }
  }

  for (version <- List("TLSv1.2", "TLSv1.3"))
    peerTest(s"Java, by $version", find("javac").flatMap(_ => find("java"))) { java =>
      val classes = compiledJava(
        find("javac").get,
        temporaryDirectory().toFile,
        """import com.sun.net.httpserver.*;
          |import java.io.FileInputStream;
          |import java.net.InetSocketAddress;
          |import java.security.KeyStore;
          |import java.util.concurrent.Executors;
          |import javax.net.ssl.*;
          |
          |public class Server {
          |  public static void main(String[] arguments) throws Exception {
          |    KeyStore store = KeyStore.getInstance("PKCS12");
          |    store.load(new FileInputStream(arguments[1]), "secret".toCharArray());
          |    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
          |    keys.init(store, "secret".toCharArray());
          |    SSLContext context = SSLContext.getInstance("TLS");
          |    context.init(keys.getKeyManagers(), null, null);
          |    int port = Integer.parseInt(arguments[0]);
          |    HttpsServer server = HttpsServer.create(new InetSocketAddress("127.0.0.1", port), 0);
          |    server.setHttpsConfigurator(new HttpsConfigurator(context) {
          |      @Override public void configure(HttpsParameters parameters) {
          |        parameters.setSSLParameters(new SSLParameters(null, new String[] { arguments[2] }));
          |      }
          |    });
          |    server.createContext("/", exchange -> {
          |      byte[] hello = ("hello " + ((HttpsExchange) exchange).getSSLSession().getProtocol()).getBytes();
          |      exchange.sendResponseHeaders(200, hello.length);
          |      exchange.getResponseBody().write(hello);
          |      exchange.close();
          |    });
          |    server.setExecutor(Executors.newCachedThreadPool());
          |    server.start();
          |  }
          |}""".stripMargin
      )
      judged(s"hello $version") { (port, issued) =>
        val store =
          authority.converted(
            issued.key,
            s"pkcs12 -export -in ${issued.chain} -inkey IN -out OUT -passout pass:secret"
          )
        Seq(java, "-cp", classes.getPath, "Server", port.toString, store.toString, version)
      }
    }

  peerTest("nginx", find("nginx")) { nginx =>
    judged()((port, issued) =>
      tlsNginxCommand(nginx, temporaryDirectory().toFile, port, issued, s"ssl_ciphers $anyKey;")
    )
  }
}
