package needletail.server.overload

import needletail.server.session.FakeWire

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise, Rejected}
import needletail.http._
import needletail.http.admission.RouteClass
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** Refusing, as a client sees it: a session without sockets, whose handler asks the limiter as routes do. */
class AdmissionControllerSuite extends Suite {
  private def get(path: String) = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  private val promises = scala.collection.mutable.ListBuffer.empty[AsyncPromise[Response]]
  private var handled  = 0

  /** Routes of two kinds: what each answers comes when the test says so. */
  private val handler: Handler = new Handler {
    private val waits  = new RouteClass("GET", "/waits")
    private val health = new RouteClass("GET", "/health", Priority.Critical)

    private[needletail] override def routeClass: RouteClass = null

    def apply(request: Request): Reply = {
      val route   = if (request.path == "/health") health else waits
      val refusal = request.head.gate.enter(route)
      if (refusal == null) answer(route)
      else if (refusal eq Gate.hold) request.head.gate.later(route, () => answer(route))
      else refusal
    }

    private def answer(route: RouteClass): Reply = {
      handled += 1
      if (route eq health) Response.ok("fine")
      else {
        val promise = new AsyncPromise[Response]
        promises += promise
        promise
      }
    }
  }

  private def wire(overload: OverloadConfig) =
    new FakeWire(
      handler,
      ServerConfig(log = Log.none, overload = overload.copy(grace = Duration.Zero), maxPipelined = 1000)
    )

  private val two = OverloadConfig(maxInFlight = 2)

  test("beyond the server's limit the answer is 503 with Retry-After, and no handler runs") {
    val w = wire(two.copy(retryAfter = 7.seconds))
    handled = 0
    w.send(get("/waits") + get("/waits") + get("/waits"))
    assertEquals(handled, 2)
    promises.foreach(_.succeed(Response.ok))
    val output = w.turn().output
    assert(output.contains("HTTP/1.1 503 ") && output.contains("Retry-After: 7\r\n"), output)
    assert(output.contains("Overload-Reason: server\r\n"), output)
    assert(!output.contains("Connection: close"), output)
    assertEquals(w.send(get("/health")).statuses, List(200))
    assertEquals(w.context.admission.inFlight, 0)
  }

  test("the critical ones are let in at the limit") {
    val w = wire(two)
    w.send(get("/waits") + get("/waits") + get("/health"))
    promises.takeRight(2).foreach(_.succeed(Response.ok))
    assertEquals(w.turn().statuses, List(200, 200, 200))
  }

  test("at a route's own limit one waits until another's answer has come") {
    val w = wire(OverloadConfig(initialInFlight = 2, leastInFlight = 1))
    handled = 0
    promises.clear()
    w.send(get("/waits") + get("/waits") + get("/waits") + get("/health"))
    assertEquals(handled, 3) // two of them, and health
    promises.head.succeed(Response.ok)
    w.turn()
    assertEquals(handled, 4)
    promises.foreach(_.succeed(Response.ok))
    assertEquals(w.turn().statuses, List(200, 200, 200, 200))
  }

  test("who has waited for as long as a burst may take is told so in text, header and metric") {
    val w = wire(OverloadConfig(initialInFlight = 2, leastInFlight = 1))
    promises.clear()
    w.send(get("/waits") + get("/waits") + get("/waits"))
    (1 to 11).foreach { _ =>
      w.after(100.millis)
      w.context.admission.tick()
    }
    w.turn()
    promises.foreach(_.succeed(Response.ok))
    val output = w.turn().output
    assert(output.contains("Overload-Reason: in_flight\r\n"), output)
    assert(
      output.endsWith("server overloaded: this route has reached its limit of requests in flight"),
      output
    )
    assertEquals(reasons(w), Map("in_flight" -> 1L))
  }

  test("a full mailbox and full threads are told apart from that, and counted for their route") {
    List(Rejected.Mailbox -> "mailbox", Rejected.Threads -> "threads", Rejected.Other -> "rejected").foreach {
      case (full, reason) =>
        val w = wire(OverloadConfig(retryAfter = 3.seconds))
        promises.clear()
        w.send(get("/waits"))
        promises.head.fail(new Rejected("full", full))
        val output = w.turn().output
        assert(output.startsWith("HTTP/1.1 503 ") && output.contains("Retry-After: 3\r\n"), output)
        assert(output.contains(s"Overload-Reason: $reason\r\n"), output)
        assertEquals(reasons(w), Map(reason -> 1L))
        var timed = 0L
        w.context.admission.foreach(state => timed += state.latencies.count)
        assertEquals(timed, 0L)
    }
  }

  test("failures that come quickly do not show how long a route takes, whether or not they have waited") {
    val w = wire(OverloadConfig(initialInFlight = 2, leastInFlight = 2))
    promises.clear()
    def allowed = {
      var nanos = 0L
      w.context.admission.foreach(state => if (state.route.template == "/waits") nanos = state.limit.allowed)
      nanos
    }
    w.send(get("/waits"))
    w.after(50.millis)
    promises.last.succeed(Response.ok)
    w.turn()
    val before = allowed
    assert(before >= 75L * 1000 * 1000, before)
    for (i <- 1 to 60) {
      promises.clear()
      w.send(get("/waits") * 3) // one of them waits
      for (_ <- 1 to 3) {
        w.after(5.millis)
        val next = promises.remove(0)
        if (i % 2 == 0) next.fail(new IllegalStateException("refused"))
        else next.succeed(Response(Status.BadGateway))
        w.turn()
      }
      assertEquals(promises.size, 0)
    }
    assertEquals(allowed, before)
  }

  private def reasons(w: FakeWire): Map[String, Long] = {
    val found = scala.collection.mutable.Map.empty[String, Long]
    w.context.admission.foreach { state =>
      if (state.route.template == "/waits")
        state.refused.indices.foreach(i =>
          if (state.refused(i) > 0) found(Refusal.names(i)) = state.refused(i)
        )
    }
    found.toMap
  }

  /** A route that has had 20 requests under way for seconds, each for 20 ms, and so may have 60. */
  private def steady(): FakeWire = {
    val w = wire(OverloadConfig(leastInFlight = 16, initialInFlight = 256))
    (1 to 500).foreach { _ =>
      promises.clear()
      w.send(get("/waits") * 20).after(20.millis)
      promises.foreach(_.succeed(Response.ok))
      assertEquals(w.turn().statuses, List.fill(20)(200))
    }
    promises.clear()
    handled = 0
    w
  }

  test("a burst on a route in steady use waits until it is seen that the first of it are as quick as ever") {
    val w = steady()
    w.send(get("/waits") * 300)
    assert(handled >= 55 && handled <= 70, handled)
    (1 to 4).foreach { _ =>
      w.after(20.millis)
      val ready = promises.toList
      promises.clear()
      ready.foreach(_.succeed(Response.ok))
      w.turn()
    }
    assertEquals(handled, 300)
    promises.foreach(_.succeed(Response.ok))
    assertEquals(w.turn().statuses.count(_ == 200), 300)
    assertEquals(w.context.admission.inFlight, 0)
  }

  test("a burst that is not worked off: who has waited for a second is refused, the newest is let in first") {
    val w = steady()
    w.send(get("/waits") * 200)
    val first = handled
    w.after(60.millis)
    promises.head.succeed(Response.ok) // slower than ever: no more than before are let in
    w.turn()
    assertEquals(handled, first + 1)
    (1 to 10).foreach { _ =>
      w.after(100.millis)
      w.context.admission.tick()
    }
    w.turn()
    promises.foreach(_.succeed(Response.ok))
    val statuses = w.turn().statuses
    assertEquals((statuses.size, statuses.count(_ == 200)), (200, first + 1))
    assertEquals((statuses.last, statuses(first)), (200, 503))
    assertEquals(w.context.admission.inFlight, 0)
  }

  test("a client that goes away leaves the line, and nothing of it runs") {
    val w = steady()
    w.send(get("/waits") * 200)
    val first = handled
    w.session.peerGone()
    w.turn().context.admission.tick()
    w.turn()
    assertEquals(handled, first)
    assertEquals(w.context.admission.inFlight, 0)
  }

  test("soon after the start only maxInFlight and bulkheads limit") {
    val early = OverloadConfig(initialInFlight = 1, leastInFlight = 1, maxInFlight = 3)
    val w     = new FakeWire(handler, ServerConfig(log = Log.none, overload = early))
    w.send(get("/waits") * 4)
    promises.takeRight(3).foreach(_.succeed(Response.ok))
    assertEquals(w.turn().statuses, List(200, 200, 200, 503))
  }

  test("switched off, only maxInFlight limits") {
    val w = wire(OverloadConfig.off.copy(initialInFlight = 1, leastInFlight = 1))
    w.send(get("/waits") * 3)
    promises.takeRight(3).foreach(_.succeed(Response.ok))
    assertEquals(w.turn().statuses, List(200, 200, 200))
  }

  test("a refused request's small body is dropped and the connection goes on") {
    val w = wire(OverloadConfig(maxInFlight = 1))
    w.send(get("/waits"))
    val other = new FakeWire(handler, w.context.config) // a connection of its own, with its own limits
    assertEquals(other.send(get("/health")).statuses, List(200))
    promises.last.succeed(Response.ok)
    w.turn().output
    val busy = refusing()
    busy.send("POST /waits HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
    assertEquals(busy.statuses, List(503))
    assertEquals(busy.send("12345" + get("/health")).statuses, List(200))
  }

  test("after a refusal the connection ends where the body is large, chunked or not sent yet") {
    List(
      "Content-Length: 1000000\r\n",
      "Transfer-Encoding: chunked\r\n",
      "Content-Length: 5\r\nExpect: 100-continue\r\n"
    ).foreach { field =>
      val busy   = refusing()
      val output = busy.send(s"POST /waits HTTP/1.1\r\nHost: a\r\n$field\r\n").output
      assert(output.startsWith("HTTP/1.1 503 ") && output.contains("Connection: close\r\n"), output)
      assert(busy.isFinished)
    }
  }

  /** One whose loop has as much under way as it may. */
  private def refusing(): FakeWire = {
    val w = wire(OverloadConfig(maxInFlight = 1))
    w.context.admission.inFlight = 1
    w
  }

  test("whatever becomes of a request, it is under way no longer") {
    val config = ServerConfig(log = Log.none, handlerTimeout = 1.second)
    val w      = new FakeWire(handler, config)
    w.send(get("/waits"))
    assertEquals(w.context.admission.inFlight, 1)
    assertEquals(w.after(2.seconds).statuses, List(503))
    assertEquals(w.context.admission.inFlight, 0)
    w.send(get("/waits"))
    w.session.peerGone()
    assertEquals(w.context.admission.inFlight, 0)
    val v = new FakeWire(handler, config)
    v.send(get("/waits"))
    promises.last.fail(new RuntimeException("no"))
    assertEquals(v.turn().statuses, List(500))
    assertEquals(v.context.admission.inFlight, 0)
  }

  test("a handler that is no router is limited as one kind, by the priority it is given") {
    def waiting(priority: Priority): Handler =
      Handler("mine", priority)((_: Request) => new AsyncPromise[Response]: Async[Response])
    List(Priority.Normal -> 1, Priority.Critical -> 0).foreach { case (priority, refused) =>
      val w = new FakeWire(
        waiting(priority),
        ServerConfig(log = Log.none, overload = OverloadConfig(maxInFlight = 1))
      )
      w.send(get("/") + get("/"))
      var count = 0L
      w.context.admission.foreach(state => count += state.refused.sum)
      assertEquals(count, refused.toLong)
    }
  }

  test("requests are counted by route, status and time") {
    val w = wire(OverloadConfig())
    w.send(get("/health") * 3)
    w.send(get("/waits"))
    w.nowNanos += 3.millis.toNanos
    promises.last.succeed(Response.notFound)
    w.turn()
    w.send("nonsense\r\n\r\n")
    val seen = scala.collection.mutable.Map.empty[String, (Seq[(Int, Long)], Long)]
    w.context.admission.foreach { s =>
      val counts = s.byStatus.all
      if (counts.nonEmpty) seen(s.route.template) = (counts, s.latencies.count)
    }
    assertEquals(
      seen.toMap,
      Map(
        "/health" -> ((Seq(200 -> 3L), 3L)),
        "/waits"  -> ((Seq(404 -> 1L), 1L)),
        ""        -> ((Seq(400 -> 1L), 1L))
      )
    )
  }

  test("loops share the limit, however large it is") {
    for ((all, loops, each) <- List((1, 4, 1), (4, 4, 1), (5, 4, 2), (Int.MaxValue, 1, Int.MaxValue)))
      assertEquals(AdmissionController.share(all, loops), each)
    assertEquals(AdmissionController.share(Int.MaxValue, 2), 1 << 30)
  }
}
