package needletail.server.operations

import needletail.server.{RawClient, RunningServer, Server, ServerFixture}

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, TimeUnit}

import scala.concurrent.Await
import scala.concurrent.duration._
import scala.jdk.CollectionConverters._
import scala.util.{Success, Try}

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.http.admission.RouteClass
import needletail.io.{Address, EventLoops}
import needletail.metrics.{MetricSource, MetricText}
import needletail.server.config.{AdminConfig, ServerConfig}
import needletail.server.failure.CannotListen
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

  /** What `/late` is not answered before. */
  private val lateEnough = scala.concurrent.Promise[Unit]()

  /** What keeps `/block` blocking. */
  @volatile private var blocks = new CountDownLatch(0)

  /** Some kinds of requests, as routes would be. */
  private val handler: Handler = new Handler {
    private val kinds = Map(
      "/fast"  -> new RouteClass("GET", "/fast/{id}"),
      "/later" -> new RouteClass("GET", "/later"),
      "/watch" -> new RouteClass("GET", "/watch"),
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
        else if (path == "/later")
          Async.sleep(300.millis).flatMap(_ => Async.fromFuture(lateEnough.future)).map(_ =>
            Response.ok("late")
          )
        else if (path == "/watch") Async.sleep(1.second).map(_ => Response.ok("watched"))
        else if (path == "/block") {
          blocks.await(20, TimeUnit.SECONDS)
          Response.ok("blocked")
        } else Response.ok("fast")
      }
    }
  }

  private def serving[A](config: ServerConfig = base)(body: RunningServer => A): A =
    ServerFixture.serving(handler, config)(body)

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

  test("there is no address for administrators unless one is asked for") {
    serving(base.copy(admin = None))(server => assertEquals(server.adminAddress, None))
  }

  test("a server that cannot start, as its operations are another's, does not listen") {
    val operations = new Operations
    val plain      = base.copy(admin = None)
    serving(plain.copy(operations = Some(operations))) { _ =>
      val port = serving(plain)(_.port) // free from here on
      intercept[IllegalStateException](
        Server(handler, plain.withPort(port).copy(operations = Some(operations))).start()
      )
      eventually(
        try serving(plain.withPort(port))(_ => true)
        catch { case _: CannotListen => false }
      )
    }
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
    serving(base.copy(drainDelay = 1.hour)) { server =>
      server.drain()
      assert(admin(server, "/ready").startsWith("HTTP/1.1 503 "))
      assert(admin(server, "/health").startsWith("HTTP/1.1 200 "))
      assert(ask(server.port, "/fast").endsWith("fast"), "new connections are taken until the delay is over")
    }
    serving(base.copy(drainDelay = 100.millis)) { server =>
      server.drain()
      Await.result(server.stopped, 20.seconds)
      val port = adminPort(server)
      eventually(Try(new RawClient(port).close()).isFailure, "it still listens")
    }
  }

  test("a fatal error on the administrators' loop ends the whole server, which says so") {
    val dies: Handler = _ => throw new OutOfMemoryError("none left")
    val server        = Server(handler, base.copy(admin = Some(AdminConfig(0, handler = Some(dies))))).start()
    try {
      val client = new RawClient(server.port)
      assert(new RawClient(adminPort(server)).send(get("/dies")).isEnded)
      val ended = Await.ready(server.stopped, 20.seconds).value
      assertEquals(
        ended.map(_.failed.map(_.getMessage)),
        Some(Success("the event loop needletail-admin-0 has ended"))
      )
      val where = s"http://127.0.0.1:${adminPort(server)}: "
      assert(
        said.asScala.exists(_.startsWith(s"${where}the event loop needletail-admin-0 ends: ")),
        said.toString
      )
      assert(client.isEnded && !server.isReady)
      eventually(Try(new RawClient(server.port).close()).isFailure, "it still listens")
    } finally { server.close(); () }
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
    serving(base.copy(metrics = Seq(source), blockedLoop = 20.seconds)) { server =>
      (1 to 3).foreach(_ => ask(server.port, "/fast"))
      ask(server.port, "/nowhere")
      val late = new RawClient(server.port).send(get("/later"))
      eventually(admin(server, "/metrics").contains(
        "needletail_requests_in_flight{method=\"GET\",route=\"/later\"} 1\n"
      ))
      lateEnough.success(())
      assert(late.readAll().endsWith("late"))
      val text = admin(server, "/metrics")
      List(
        "Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n",
        "needletail_ready 1\n",
        "needletail_requests_total{method=\"GET\",route=\"/fast/{id}\",code=\"200\"} 3\n",
        "needletail_requests_total{method=\"\",route=\"\",code=\"404\"} 1\n",
        "needletail_request_duration_seconds_count{method=\"GET\",route=\"/fast/{id}\"} 3\n",
        "needletail_request_duration_seconds_bucket{method=\"GET\",route=\"/later\",le=\"0.268435456\"} 0\n",
        "needletail_request_duration_seconds_bucket{method=\"GET\",route=\"/later\",le=\"+Inf\"} 1\n",
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
    serving(base.copy(loops = 1)) { server =>
      // the watch begins a second after the start, by a timer of this loop, which is due before that of the request
      assert(ask(server.port, "/watch").endsWith("watched"))
      def found(): Int =
        "needletail_loop_blocked_total\\{loop=\"0\"\\} (\\d+)".r.findFirstMatchIn(admin(server, "/metrics"))
          .fold(0)(_.group(1).toInt)
      for (_ <- 1 to 3) {
        val before = found()
        val block  = new CountDownLatch(1)
        blocks = block
        val blocked = new RawClient(server.port).send(get("/block"))
        eventually(found() > before)
        assert(admin(server, "/metrics").contains("needletail_ready 1\n"))
        block.countDown()
        assert(blocked.readAll().endsWith("blocked"))
        blocked.close()
      }
      val message =
        said.toArray.map(_.toString).find(_.contains(" in GET /block")).getOrElse(fail(said.toString))
      assert(
        message.contains("has been blocked for ") && message.contains(" in GET /block, and its connections"),
        message
      )
      assert(said.size <= 2, clue = said) // of each loop so much is said at most
    }
  }

  test("a loop that waits is not blocked") {
    said.clear()
    val loops = new EventLoops(1, "test", daemon = true)
    try {
      val begun = new CountDownLatch(1)
      val never =
        Async.run(loops(0)) { begun.countDown(); new AsyncPromise[Response] } // a handler that waits
      assert(begun.await(20, TimeUnit.SECONDS))
      // Looks again with a new one if the loop was in a turn: the one of its task, or of a wake-up that came late.
      eventually {
        said.clear()
        val dog = new Watchdog(1, _ => loops(0).presentTurn, _ => loops(0).stackTrace, 1000000L, log, _ => "")
        val now = System.nanoTime()
        (1 to 3).foreach(i => dog.look(now + i.hours.toNanos))
        dog.found(0) == 0 && said.isEmpty
      }
      assert(!never.isCompleted)
    } finally loops.stop()
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
