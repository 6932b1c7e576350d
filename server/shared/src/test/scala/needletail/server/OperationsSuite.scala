package needletail.server

import java.util.concurrent.ConcurrentLinkedQueue

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.Async
import needletail.http._
import needletail.io.Address
import needletail.testing.Suite

/** What those who run a server see of it: health, readiness, metrics, and blocked loops in the log. */
class OperationsSuite extends Suite {
  private val said = new ConcurrentLinkedQueue[String]

  private val log = new Log {
    def warn(message: String): Unit                    = { said.add(message); () }
    def error(message: String, cause: Throwable): Unit = { said.add(s"$message: $cause"); () }
  }

  private val base = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 2,
    log = log,
    admin = Some(AdminConfig(0, handler = Some((r: Request) => Response.ok("switch " + r.path))))
  )

  /** Two kinds of requests, as routes would be. */
  private val handler: Handler = new Handler {
    private val kinds = Map(
      "/fast"  -> new RouteClass("GET", "/fast/{id}"),
      "/later" -> new RouteClass("GET", "/later"),
      "/block" -> new RouteClass("GET", "/block")
    )
    private[needletail] override def routeClass: RouteClass = null
    def apply(request: Request): Reply                      = {
      val path = request.path
      val kind = kinds.get(path)
      if (kind.isEmpty) Response.notFound
      else {
        val refusal = request.head.gate.enter(kind.get)
        if (refusal != null) refusal
        else if (path == "/later") Async.sleep(300.millis).map(_ => Response.ok("late"))
        else if (path == "/block") {
          Thread.sleep(500)
          Response.ok("blocked")
        } else Response.ok("fast")
      }
    }
  }

  private def serving[A](config: ServerConfig = base)(body: RunningServer => A): A = {
    val server = Server(handler, config).start()
    try body(server)
    finally Await.result(server.close(), 10.seconds)
  }

  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"

  private def ask(port: Int, path: String): String = {
    val client = new RawClient(port).send(get(path))
    try client.readAll()
    finally client.close()
  }

  private def adminPort(server: RunningServer): Int = server.adminAddress match {
    case Some(Address.Tcp(host, port)) =>
      assertEquals(host, "127.0.0.1")
      port
    case other => fail(s"listens on $other")
  }

  private def admin(server: RunningServer, path: String) = ask(adminPort(server), path)

  private def eventually(what: => Boolean): Unit = {
    val end = System.nanoTime() + 5.seconds.toNanos
    while (!what && System.nanoTime() < end) Thread.sleep(5)
    assert(what)
  }

  test("there is no address for administrators unless one is asked for") {
    serving(base.copy(admin = None))(server => assertEquals(server.adminAddress, None))
  }

  test("health, readiness, what else there is, and nothing else") {
    serving() { server =>
      assert(admin(server, "/health").startsWith("HTTP/1.1 200 "))
      assert(admin(server, "/ready").startsWith("HTTP/1.1 200 "))
      assert(admin(server, "/other").endsWith("switch /other"))
      val client =
        new RawClient(
          adminPort(server)
        ).send("POST /health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
      assert(client.readUntil("\r\n\r\n").startsWith("HTTP/1.1 405 "))
      client.close()
    }
    serving(base.copy(admin = Some(AdminConfig(0)))) { server =>
      assert(admin(server, "/other").startsWith("HTTP/1.1 404 "))
    }
  }

  test("readiness goes first when the server drains, health stays") {
    serving(base.copy(drainDelay = 300.millis)) { server =>
      server.drain()
      assert(admin(server, "/ready").startsWith("HTTP/1.1 503 "))
      assert(admin(server, "/health").startsWith("HTTP/1.1 200 "))
      assert(ask(server.port, "/fast").endsWith("fast"), "new connections are taken until the delay is over")
      Await.result(server.stopped, 10.seconds)
      intercept[java.io.IOException](new RawClient(adminPort(server)))
    }
  }

  test("an address for administrators that is taken is an error, and nothing is left listening") {
    serving() { server =>
      val taken = base.copy(admin = Some(AdminConfig(adminPort(server))))
      intercept[java.io.IOException](Server(handler, taken).start())
    }
  }

  test("metrics name routes by their templates, with status, time, what is in flight and refused") {
    val source = new MetricSource {
      def write(out: MetricText): Unit = {
        out.gauge("shop_orders", "Orders.")
        out.sample(7)
      }
    }
    serving(base.copy(metrics = Seq(source))) { server =>
      (1 to 3).foreach(_ => ask(server.port, "/fast"))
      ask(server.port, "/nowhere")
      val late = new RawClient(server.port).send(get("/later"))
      eventually(admin(server, "/metrics").contains(
        "needletail_requests_in_flight{method=\"GET\",route=\"/later\"} 1\n"
      ))
      assert(late.readAll().endsWith("late"))
      val text = admin(server, "/metrics")
      List(
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n",
        "needletail_ready 1\n",
        "needletail_requests_total{method=\"GET\",route=\"/fast/{id}\",code=\"2xx\"} 3\n",
        "needletail_requests_total{method=\"\",route=\"\",code=\"4xx\"} 1\n",
        "needletail_request_duration_seconds_count{method=\"GET\",route=\"/fast/{id}\"} 3\n",
        "needletail_request_duration_seconds_bucket{method=\"GET\",route=\"/later\",le=\"0.268435456\"} 0\n",
        "needletail_request_duration_seconds_bucket{method=\"GET\",route=\"/later\",le=\"1.073741824\"} 1\n",
        "needletail_requests_in_flight{method=\"GET\",route=\"/later\"} 0\n",
        "needletail_connections_accepted_total 5\n",
        "needletail_loop_blocked_total{loop=\"1\"} 0\n",
        "shop_orders 7\n"
      ).foreach(line => assert(text.contains(line), s"no $line in $text"))
      checkGrammar(text.substring(text.indexOf("\r\n\r\n") + 4))
    }
  }

  test("a source that fails is logged, and the other figures stand") {
    said.clear()
    val source =
      new MetricSource { def write(out: MetricText): Unit = throw new RuntimeException("no figures") }
    serving(base.copy(metrics = Seq(source))) { server =>
      assert(admin(server, "/metrics").contains("needletail_ready 1\n"))
      assert(said.toString.contains("no figures"))
    }
  }

  test("metrics come also while a loop is blocked, and the log names its route, once") {
    said.clear()
    serving() { server =>
      Thread.sleep(1100) // the watch begins a second after the start
      val blocked = new RawClient(server.port).send(get("/block"))
      eventually(!said.isEmpty)
      val message = said.peek
      assert(
        message.contains("has been blocked for ") && message.contains(" in GET /block, and its connections"),
        message
      )
      assert(admin(server, "/metrics").contains("needletail_ready 1\n"))
      assert(blocked.readAll().endsWith("blocked"))
      assert(ask(server.port, "/block").endsWith("blocked"))
      assert(ask(server.port, "/block").endsWith("blocked"))
      val text  = admin(server, "/metrics")
      val total = "needletail_loop_blocked_total\\{loop=\"\\d\"\\} (\\d)".r.findAllMatchIn(
        text
      ).map(_.group(1).toInt).sum
      assertEquals(total, 3)
      assert(said.size <= 2, clue = said) // of each loop so much is said at most
    }
  }

  test("a loop that waits is not blocked") {
    said.clear()
    serving() { server =>
      Thread.sleep(1100)
      assert(ask(server.port, "/later").endsWith("late"))
      Thread.sleep(300)
      assert(said.isEmpty, clue = said)
    }
  }

  // The grammar of the text format, version 0.0.4.
  private val comment = "# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)".r
  private val label   = "[a-zA-Z_][a-zA-Z0-9_]*=\"(?:[^\"\\\\\n]|\\\\[\\\\\"n])*\""
  private val sample  = s"([a-zA-Z_:][a-zA-Z0-9_:]*)(\\{$label(?:,$label)*\\})? ([-+0-9.eE]+|NaN|[-+]Inf)".r

  private def checkGrammar(text: String): Unit = {
    assert(text.endsWith("\n"))
    var name  = ""
    var kind  = ""
    val names = scala.collection.mutable.Set.empty[String]
    val seen  = scala.collection.mutable.Set.empty[String]
    text.linesIterator.foreach {
      case comment("HELP", n, _) =>
        assert(names.add(n), s"$n twice")
        name = n
        kind = ""
      case comment(_, n, k) =>
        assertEquals(n, name)
        assert(Set("counter", "gauge", "histogram")(k))
        assertEquals(k == "counter", n.endsWith("_total"))
        kind = k
      case line @ sample(n, labels, value) =>
        val suffix = n.stripPrefix(name)
        assert(if (kind == "histogram") Set("_bucket", "_sum", "_count")(suffix) else suffix.isEmpty, line)
        assert(seen.add(s"$n$labels"), s"twice: $line")
        assert(kind == "gauge" || value.toDouble >= 0, line)
      case line => throw new AssertionError(s"no line of the format: $line")
    }
  }
}
