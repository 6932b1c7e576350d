package needletail.server.session

import scala.concurrent.duration._

import needletail.async.AsyncPromise
import needletail.http._
import needletail.testing.Suite

/** Handing a connection over to another protocol (RFC 9110 §7.8). */
class UpgradeSuite extends Suite {
  private def ask(path: String) =
    s"GET $path HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
  private val plain = "GET /plain HTTP/1.1\r\nHost: a\r\n\r\n"

  private val x = new Upgrade {
    def protocol: String                         = "x"
    def accept(request: Request): Upgrade.Answer =
      if (request.path == "/refused") new Upgrade.Refused(Response(Status.Forbidden))
      else new Upgrade.Accepted(
        Headers("Path" -> request.path),
        _ => throw new AssertionError("not called here")
      )
  }

  private var asked = List.empty[String]
  private var later = new AsyncPromise[Response]

  private def wire(canSwitch: Boolean = true) = {
    asked = Nil
    later = new AsyncPromise[Response]
    val handler: Handler = request => {
      asked ::= request.path
      request.path match {
        case "/plain" => Response.ok("plain")
        case "/later" => later
        case "/slow"  => new AsyncPromise[Response]
        case _        => x.response
      }
    }
    new FakeWire(handler, canSwitch = canSwitch)
  }

  test("the response names the protocol, and what follows the request is the protocol's") {
    val w = wire().send(ask("/x") + "GET / HTTP/1.1\r\n\r\n")
    assertEquals(
      w.output,
      "HTTP/1.1 101 Switching Protocols\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n" +
        "Path: /x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n"
    )
    assert(w.switchedTo != null)
    assertEquals(w.leftover, "GET / HTTP/1.1\r\n\r\n")
    assertEquals(asked, List("/x"))
  }

  test("at whatever byte the request is split") {
    val data = ask("/x") + "rest"
    for (cut <- 1 until data.length) {
      val w = wire().send(data.take(cut))
      if (w.switchedTo == null) w.send(data.drop(cut))
      assert(w.switchedTo != null, cut)
      assertEquals(w.statuses, List(101))
    }
  }

  test("requests before it are answered first, and nothing behind it is read as HTTP") {
    val w = wire().send(plain + plain.replace("/plain", "/later") + ask("/x") + plain)
    assertEquals(w.statuses, List(200))
    assert(w.switchedTo == null)
    later.succeed(Response.ok("later"))
    w.turn()
    assertEquals(w.statuses, List(200, 101))
    assertEquals(w.leftover, plain)
    assertEquals(asked, List("/x", "/later", "/plain"))
  }

  test(
    "where memory is short, and what is behind it is dropped, the answer is a 503, and one of HTTP stays as it is"
  ) {
    for (path <- List("/x", "/plain")) {
      val w = wire().send(plain.replace("/plain", "/later") + ask(path) + "rest")
      w.session.relieve()
      later.succeed(Response.ok("later"))
      val output = w.turn().output
      if (path == "/plain") assert(output.endsWith("plain"), output)
      else assert(output.contains("HTTP/1.1 503 ") && output.contains("Overload-Reason: memory\r\n"), output)
      assert(w.isFinished && w.switchedTo == null, output)
      var refused, timed = 0L
      w.context.admission.foreach { state =>
        refused += state.refused(Refusal.Memory)
        timed += state.latencies.count
      }
      assertEquals((refused, timed), if (path == "/plain") (0L, 2L) else (1L, 1L))
    }
  }

  test("what follows a request for an upgrade waits for its answer, also if that is another one") {
    val w = wire().send(ask("/later") + "not HTTP at all" * 10)
    assertEquals(w.output, "")
    assert(w.session.wantsInput) // to notice the client's end
    later.succeed(x.response)
    w.turn()
    assertEquals(w.statuses, List(101))
    assertEquals(w.leftover, "not HTTP at all" * 10)
    val v = wire().send(ask("/plain") + ask("/refused") + plain)
    assertEquals(v.statuses, List(200, 403, 200))
    assert(v.switchedTo == null && !v.isFinished)
  }

  test("what is behind such a request is read when its answer comes, though nothing more arrives") {
    val w = wire().send(ask("/later") + plain + plain)
    assertEquals(w.output, "")
    later.succeed(Response.ok("no"))
    assertEquals(w.turn().statuses, List(200, 200, 200))
    assertEquals(w.leftover, "")
    val failing = wire().send(ask("/later") + plain)
    later.fail(new RuntimeException)
    assertEquals(failing.turn().statuses, List(500, 200))
  }

  test("a request that did not ask, or cannot, gets an error, and the connection stays HTTP's") {
    assertEquals(wire().send(plain.replace("/plain", "/x")).statuses, List(400))
    assertEquals(wire().send(ask("/x").replace("HTTP/1.1", "HTTP/1.0")).statuses, List(400))
    assertEquals(
      wire().send(ask("/x").replace("Upgrade:", "Content-Length: 1\r\nUpgrade:") + "a").statuses,
      List(400)
    )
    val w = wire().send(plain.replace("/plain", "/x") + plain)
    assertEquals(w.statuses, List(400, 200))
  }

  test("lighttpd's Connection: close, upgrade asks as well, and HTTP ends with another answer") {
    def closing(path: String) = ask(path).replace("Connection: upgrade", "Connection: close, upgrade")
    val w                     = wire().send(closing("/x") + "rest")
    assertEquals(w.statuses, List(101))
    assert(w.switchedTo != null)
    assertEquals(w.leftover, "rest")
    val delayed = wire().send(closing("/later") + plain)
    assertEquals(delayed.output, "")
    later.succeed(x.response)
    assertEquals(delayed.turn().statuses, List(101))
    assertEquals(delayed.leftover, plain)
    for (path <- List("/plain", "/refused", "/later")) {
      val other = wire().send(closing(path) + plain)
      if (path == "/later") {
        later.succeed(Response.ok("no"))
        other.turn()
      }
      val output = other.output
      assertEquals(output.sliding(8).count(_ == "HTTP/1.1"), 1, output)
      assert(output.contains("\r\nConnection: close\r\n"), output)
      assert(other.isFinished && other.switchedTo == null, path)
    }
  }

  test("where the connection cannot be handed over, as behind a web server, the answer is 501") {
    val w = wire(canSwitch = false).send(ask("/x") + plain)
    assertEquals(w.statuses, List(501, 200))
  }

  test("a server that drains answers 503") {
    val w = wire().send(ask("/later"))
    w.session.drain()
    later.succeed(x.response)
    assertEquals(w.turn().statuses, List(503))
    assert(w.isFinished && w.switchedTo == null)
  }

  test("a handler that takes too long is cut off as ever, and the next request is served") {
    val w = wire().send(ask("/slow") + plain).after(31.seconds)
    assertEquals(w.statuses, List(503, 200))
  }

  test("the wrappers of the handler apply to both answers") {
    val handler = Handler((_: Request) => x.response).mapResponse((_, r) => r.header("Seen", "yes"))
    for ((path, status) <- List("/x" -> 101, "/refused" -> 403)) {
      val output = new FakeWire(handler, canSwitch = true).send(ask(path)).output
      assert(output.startsWith(s"HTTP/1.1 $status") && output.contains("\r\nSeen: yes\r\n"), output)
    }
  }

  test("a wrapper that replaces the content makes it a response like any other") {
    val wraps = Seq[Response => Response](
      _.text("other"),
      _.bytes("other".getBytes),
      _.stream(ByteStream.fromIterator(Iterator("other".getBytes))),
      _.stream(ByteStream.fromIterator(Iterator("other".getBytes)), 5)
    )
    for (wrap <- wraps) {
      val handler = Handler((_: Request) => x.response).mapResponse((_, r) => wrap(r))
      val w       = new FakeWire(handler, canSwitch = true).send(ask("/x"))
      val output  = w.output
      assert(w.switchedTo == null && output.startsWith("HTTP/1.1 200 ") && output.contains("other"), output)
    }
  }

  test("a request counts as over once the connection is handed over") {
    val w = wire().send(ask("/x"))
    assertEquals(w.context.counts.requests, 1L)
    assertEquals(w.context.admission.inFlight, 0)
  }
}
