package needletail.conformance.webserver

import java.net.URI
import java.net.http.HttpRequest.BodyPublishers
import java.net.http.HttpResponse.BodyHandlers
import java.net.http.{HttpClient, HttpRequest, HttpResponse, WebSocket}
import java.nio.charset.StandardCharsets.ISO_8859_1
import java.nio.file.Path
import java.time.Duration
import java.util.Arrays
import java.util.concurrent.TimeUnit.SECONDS
import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{CompletionStage, LinkedBlockingQueue}

import scala.concurrent.duration.DurationInt

import needletail.conformance.harness.{Background, FirstFailure, Program}
import needletail.testing.Suite

/**
 * The programs behind the web servers in use, each as its users would have it: the same requests, and the answers that
 * the program gives by itself. A server that is not installed is skipped, and said.
 */
abstract class WebServerSuite extends Suite {
  override val munitTimeout: scala.concurrent.duration.Duration = 120.seconds

  private val http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()
  private var made = List.empty[() => Unit]

  protected final def programs: Seq[Path]     = Program.paths
  protected final def native: Seq[Path]       = programs.filter(_.getFileName.toString.endsWith("-native"))
  protected final def nameOf(p: Path): String = p.getFileName.toString
  override def afterAll(): Unit               = made.foreach(_.apply())

  /** A program that serves HTTP. */
  protected final def serving(path: Path): Program = {
    val program = Program.start(path, maxBody = 100000000, more = Seq("--idle-timeout", "60s"), tls = false)
    made ::= (() => program.kill())
    program
  }

  /** A program that listens for a server in front. */
  protected final def listening(path: Path, option: String): Program = {
    val program = Program.start(path, maxBody = 100000000, more = Seq(option, "127.0.0.1:0"), tls = false)
    made ::= (() => program.kill())
    program
  }

  /**
   * The tests of one combination. Servers and programs start with the first of them and end with the last.
   *
   * @param kind told where to find the program, which has been started
   * @param base the path below which the program is
   * @param isSlow a process is started for each request, on the virtual machine: fewer of them
   * @param isProxy does it speak HTTP with the program, so that WebSockets pass?
   * @param takesChunks does the server take content of unknown length? mod_proxy_scgi answers 411
   */
  protected final def behind(
      title: String,
      server: => WebServer.Kind,
      prepare: Path => Unit = _ => (),
      base: String = "",
      isSlow: Boolean = false,
      takesChunks: Boolean = true,
      isProxy: Boolean = false
  ): Unit = {
    lazy val started = {
      val one = WebServer.start(server, prepare)
      made ::= (() => one.stop())
      one
    }

    def check(name: String)(body: WebServer => Unit): Unit = test(s"$title: $name") {
      assume(server.binary.isDefined, s"${server.name} is not installed: apt-get install ${server.packages}")
      try body(started)
      catch {
        case e: Throwable =>
          System.err.println(s"$title: the server's log:\n${started.log.takeRight(3000)}")
          throw e
      }
    }

    def at(s: WebServer, path: String) =
      HttpRequest.newBuilder(
        URI.create(s"http://127.0.0.1:${s.port}$base$path")
      ).timeout(Duration.ofSeconds(20))

    def send(request: HttpRequest.Builder): HttpResponse[Array[Byte]] =
      http.send(request.build(), BodyHandlers.ofByteArray())

    def text(r: HttpResponse[Array[Byte]]) = new String(r.body, ISO_8859_1)

    check("GET, with its status, its type and its content") { s =>
      val r = send(at(s, "/plaintext"))
      assertEquals((r.statusCode, text(r)), (200, "Hello, World!"))
      assertEquals(r.headers.firstValue("content-type").orElse(""), "text/plain")
      assertEquals(text(send(at(s, "/json"))), """{"message":"Hello, World!"}""")
    }

    check("HEAD has no content") { s =>
      val r = send(at(s, "/plaintext").method("HEAD", BodyPublishers.noBody()))
      assertEquals((r.statusCode, r.body.length), (200, 0))
    }

    check("what does not match is 404, 405 with Allow, or 400 with its reason") { s =>
      assertEquals(send(at(s, "/nowhere")).statusCode, 404)
      val wrong = send(at(s, "/plaintext").DELETE())
      assertEquals(
        (wrong.statusCode, wrong.headers.firstValue("allow").orElse("")),
        (405, "GET, HEAD, OPTIONS")
      )
      val bad = send(at(s, "/status/abc"))
      assertEquals(bad.statusCode, 400)
      assert(text(bad).contains("'abc'"), text(bad))
    }

    check("every status that a handler gives is the client's") { s =>
      for (code <- List(200, 201, 204, 304, 404, 418, 500, 503))
        assertEquals(send(at(s, s"/status/$code")).statusCode, code)
    }

    check("the target with its escapes and its query, the host, the cookie, the client's address") { s =>
      val r = send(at(s, "/request/a%20b%C3%A9?x=1%262&y=").header("Cookie", "a=b"))
      val t = text(r)
      assert(t.startsWith("GET /request/a%20b%C3%A9?x=1%262&y= "), t)
      // Debian's nginx passes the name on without the port
      assert(
        t.contains(s" host=127.0.0.1:${s.port} scheme=http ") || t.contains(" host=127.0.0.1 scheme=http "),
        t
      )
      assert(t.contains(if (isProxy) " script=- " else s" script=$base "), t)
      assert(t.matches(".* remote=127\\.0\\.0\\.1:[1-9]\\d* cookie=b"), t)
    }

    check("a path that the server takes for another one than the program is never served as that") { s =>
      // rules of the server about /request would not see these, as it merges or decodes slashes first
      for (path <- Seq("/request//../json", "/request/..%2Fjson")) {
        val r = send(at(s, path))
        assert(!text(r).startsWith("GET /request"), s"$path: ${r.statusCode} ${text(r)}")
        assert(r.statusCode == 200 || r.statusCode == 400 || r.statusCode == 404, s"$path: ${r.statusCode}")
      }
    }

    check("content there and back, of known length and in chunks") { s =>
      val data = Array.tabulate(if (isSlow) 100000 else 3000000)(i => (i * 31 + i / 777).toByte)
      val sent = List(
        BodyPublishers.ofByteArray(data),
        BodyPublishers.ofInputStream(() => new java.io.ByteArrayInputStream(data))
      )
      for (content <- if (takesChunks) sent else sent.take(1)) {
        val r = send(at(s, "/echo").header("Content-Type", "image/x").POST(content))
        assertEquals((r.statusCode, r.body.length), (200, data.length))
        assert(Arrays.equals(r.body, data), "the echo differs from what was sent")
        assertEquals(r.headers.firstValue("content-type").orElse(""), "image/x")
      }
      assertEquals(send(at(s, "/echo").POST(BodyPublishers.noBody())).body.length, 0)
    }

    check("a long answer arrives whole") { s =>
      val size = if (isSlow) 1000000 else 20000000
      assertEquals(send(at(s, s"/big?bytes=$size")).body.length, size)
    }

    if (isProxy) {
      check("a WebSocket's messages there and back, and its end") { s =>
        val received = new LinkedBlockingQueue[String]
        val socket   = http.newWebSocketBuilder().connectTimeout(Duration.ofSeconds(20)).buildAsync(
          URI.create(s"ws://127.0.0.1:${s.port}/ws"),
          new Texts(received)
        ).get(20, SECONDS)
        for (n <- 1 to 20) {
          socket.sendText(s"message $n", true).get(20, SECONDS)
          assertEquals(received.poll(20, SECONDS), s"message $n")
        }
        socket.sendClose(WebSocket.NORMAL_CLOSURE, "").get(20, SECONDS)
        assertEquals(received.poll(20, SECONDS), "closed 1000")
      }

      check("events, and an escaped slash") { s =>
        val r = send(at(s, "/events?n=20").header("Accept", "text/event-stream"))
        assertEquals(text(r).linesIterator.count(_.startsWith("data:")), 20)
        assert(text(send(at(s, "/request/a%2Fb"))).startsWith("GET /request/a%2Fb "))
      }
    }

    check("many at once, each its own answer") { s =>
      val right   = new AtomicInteger
      val failed  = new FirstFailure
      val each    = if (isSlow) 1 else 50
      val threads = (1 to 8).map { thread =>
        Background.run("many") {
          failed.keep {
            for (i <- 1 to each) {
              val t = text(send(at(s, s"/request/$thread-$i")))
              assert(t.startsWith(s"GET /request/$thread-$i "), t)
              right.incrementAndGet()
            }
          }
        }
      }
      threads.foreach(_.join(60000))
      failed.rethrow()
      assertEquals(right.get, 8 * each)
    }
  }

  /** That a program, asked to end, finishes and ends well. */
  protected final def ends(title: String, program: => Program): Unit =
    test(s"$title: the program ends on SIGTERM with status 0") {
      program.terminate()
      assertEquals(program.exitStatus(20000), Some(0), program.output.takeRight(20).mkString("\n"))
      assertEquals(program.stackTraces.take(10).toList, Nil)
    }
}

/** Texts received, and the status of the end. */
private final class Texts(received: LinkedBlockingQueue[String]) extends WebSocket.Listener {
  override def onText(socket: WebSocket, data: CharSequence, last: Boolean): CompletionStage[_] = {
    received.add(data.toString)
    socket.request(1)
    null
  }
  override def onClose(socket: WebSocket, code: Int, reason: String): CompletionStage[_] = {
    received.add(s"closed $code")
    null
  }
}

/** Apache httpd with mod_cgi, mod_cgid, mod_fcgid, mod_proxy_fcgi and mod_proxy_scgi. */
class ApacheSuite extends WebServerSuite {
  for (path <- programs) {
    val isSlow = !native.contains(path)
    behind(s"mod_cgi, ${nameOf(path)}", Apache.cgi, Scripts.install(path), "/cgi-bin/program", isSlow)
    lazy val fastCgi = listening(path, "--fastcgi")
    behind(s"mod_proxy_fcgi, ${nameOf(path)}", Apache.fastCgi(fastCgi.port))
    behind(s"mod_fcgid, ${nameOf(path)}", Apache.fcgid, Scripts.install(path), "/cgi-bin/program")
    ends(s"mod_proxy_fcgi, ${nameOf(path)}", fastCgi)
  }
  for (path <- native) {
    behind(s"mod_cgid, ${nameOf(path)}", Apache.cgid, Scripts.install(path), "/cgi-bin/program")
    lazy val scgi = listening(path, "--scgi")
    behind(s"mod_proxy_scgi, ${nameOf(path)}", Apache.scgi(scgi.port), takesChunks = false)
    ends(s"mod_proxy_scgi, ${nameOf(path)}", scgi)
  }
}

/** nginx with FastCGI over kept connections, over one for each request, unbuffered; and SCGI. */
class NginxSuite extends WebServerSuite {
  for (path <- programs) {
    lazy val fastCgi = listening(path, "--fastcgi")
    behind(s"FastCGI, kept connections, ${nameOf(path)}", Nginx.fastCgi(fastCgi.port, isKept = true))
    behind(s"FastCGI, a connection each, ${nameOf(path)}", Nginx.fastCgi(fastCgi.port, isKept = false))
    behind(
      s"FastCGI, unbuffered, ${nameOf(path)}",
      Nginx.fastCgi(fastCgi.port, isKept = false, isBuffered = false)
    )
    ends(s"FastCGI, ${nameOf(path)}", fastCgi)
    lazy val scgi = listening(path, "--scgi")
    behind(s"SCGI, ${nameOf(path)}", Nginx.scgi(scgi.port))
    ends(s"SCGI, ${nameOf(path)}", scgi)
  }
}

/** lighttpd with all three, and with a FastCGI program that it starts itself. */
class LighttpdSuite extends WebServerSuite {
  for (path <- programs) {
    lazy val fastCgi = listening(path, "--fastcgi")
    behind(s"FastCGI, ${nameOf(path)}", Lighttpd.fastCgi(fastCgi.port))
    ends(s"FastCGI, ${nameOf(path)}", fastCgi)
    behind(
      s"FastCGI, started by lighttpd, ${nameOf(path)}",
      Lighttpd.spawning(_.resolve("cgi-bin/program")),
      Scripts.install(path)
    )
  }
  for (path <- native) {
    behind(s"CGI, ${nameOf(path)}", Lighttpd.cgi, Scripts.install(path), "/cgi-bin/program")
    lazy val scgi = listening(path, "--scgi")
    behind(s"SCGI, ${nameOf(path)}", Lighttpd.scgi(scgi.port))
    ends(s"SCGI, ${nameOf(path)}", scgi)
  }
}

/** The web servers as proxies for HTTP, by the examples of docs/reverse-proxy.md; with WebSockets and events. */
class ReverseProxySuite extends WebServerSuite {
  private val servers = Seq[(String, Int => WebServer.Kind)](
    "nginx"    -> Nginx.http,
    "Apache"   -> Apache.http,
    "lighttpd" -> Lighttpd.http
  )

  for (path <- programs) {
    lazy val program = serving(path)
    for ((title, kind) <- servers)
      behind(s"$title, HTTP, ${nameOf(path)}", kind(program.port), isProxy = true)
    ends(s"HTTP, ${nameOf(path)}", program)
  }
}
