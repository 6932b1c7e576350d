package needletail.server.session

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.{AccessLog, Log}
import needletail.testing.Suite

/** Replies, their order and the connection's fate, without a socket. */
class ServerSessionSuite extends Suite {
  private val date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

  private def get(path: String, more: String = "") = s"GET $path HTTP/1.1\r\nHost: a\r\n$more\r\n"
  private def path(f: String => Reply): Handler    = request => f(request.path)
  private val hello: Handler                       = _ => Response.ok("hi")

  private val plainHi =
    s"HTTP/1.1 200 OK\r\n${date}Content-Type: text/plain; charset=utf-8\r\nContent-Length: 2\r\n\r\nhi"

  test("a reply goes out in one write, and the connection stays") {
    val wire = new FakeWire(hello)
    assertEquals(wire.send(get("/")).output, plainHi)
    assertEquals(wire.writes, 1)
    assert(!wire.isFinished)
    assertEquals(wire.send(get("/")).output, plainHi)
    assertEquals(wire.send(get("/")).output, plainHi, "rendered before")
  }

  test("sixteen pipelined requests are answered in one write") {
    val wire = new FakeWire(hello)
    assertEquals(wire.send(get("/") * 16).output, plainHi * 16)
    assertEquals(wire.writes, 1)
  }

  test("a request that drips in byte by byte is answered once") {
    val wire = new FakeWire(hello)
    get("/").foreach(c => wire.send(c.toString))
    assertEquals(wire.output, plainHi)
  }

  test("HEAD has the fields of GET and no content") {
    val wire = new FakeWire(hello)
    assertEquals(wire.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").output, plainHi.dropRight(2))
  }

  test("replies that come later keep the order of their requests") {
    val one, two = new AsyncPromise[Response]
    val wire     = new FakeWire(path { case "/1" => one; case "/2" => two; case p => Response.ok(p) })
    wire.send(get("/1") + get("/2") + get("/3"))
    assertEquals(wire.output, "")
    two.succeed(Response.ok("two"))
    assertEquals(wire.turn().output, "")
    one.succeed(Response.ok("one"))
    val all = wire.turn().output
    assert(all.indexOf("one") < all.indexOf("two") && all.indexOf("two") < all.indexOf("/3"), all)
    assertEquals(wire.writes, 1)
  }

  test("an unsafe request waits for those before it, and those behind wait for it") {
    val first = new AsyncPromise[Response]
    var seen  = List.empty[String]
    val wire  =
      new FakeWire(request => { seen ::= request.path; if (request.path == "/1") first else Response.ok })
    wire.send(get("/1") + "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n" + get("/3"))
    assertEquals(seen, List("/1"))
    first.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200, 200, 200))
    assertEquals(seen, List("/3", "/2", "/1"))
  }

  test("no more requests are in progress than the bound allows") {
    val waiting = scala.collection.mutable.ListBuffer.empty[AsyncPromise[Response]]
    val wire    = new FakeWire(
      _ => { val p = new AsyncPromise[Response]; waiting += p; p },
      ServerConfig(maxPipelined = 4, log = Log.none)
    )
    wire.send(get("/") * 10)
    assertEquals(waiting.length, 4)
    assert(!wire.session.wantsInput)
    waiting.head.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200))
    assertEquals(waiting.length, 5)
  }

  test("a request kept after its answer shows nothing of the next one") {
    var kept: Request = null
    var copy: Request = null
    val wire          = new FakeWire(request => {
      if (kept == null) { kept = request; copy = request.keep }
      Response.ok
    })
    wire.send(get("/first") + get("/second"))
    intercept[IllegalStateException](kept.path)
    assertEquals(copy.path, "/first")
  }

  test("a request whose reply comes later stays readable until then") {
    val reply         = new AsyncPromise[Response]
    var kept: Request = null
    val wire          = new FakeWire(request => {
      if (kept == null) { kept = request; reply }
      else Response.ok
    })
    wire.send(get("/first") + get("/second"))
    assertEquals(kept.path, "/first")
    reply.succeed(Response.ok)
    wire.turn()
    intercept[IllegalStateException](kept.path)
  }

  test("a handler's exception is a 500 that says nothing of it, and the connection stays") {
    val wire =
      new FakeWire(path { case "/bad" => throw new RuntimeException("secret"); case _ => Response.ok })
    val out = wire.send(get("/bad") + get("/")).output
    assert(out.startsWith("HTTP/1.1 500 ") && out.contains("HTTP/1.1 200 ") && !out.contains("secret"), out)
  }

  test("an HttpError, thrown or failed with, has the status it says") {
    val teapot = HttpError(Status(418), "short and stout")
    val wire   = new FakeWire(path { case "/throw" => throw teapot; case _ => Async.fail(teapot) })
    assertEquals(wire.send(get("/throw") + get("/fail")).statuses, List(418, 418))
  }

  test("a handler that takes too long is answered for, and what it waits for is cancelled") {
    var cancelled = false
    val never     = new AsyncPromise[Response]
    never.onCancel(() => cancelled = true)
    val wire = new FakeWire(path { case "/slow" => never; case _ => Response.ok })
    wire.send(get("/slow"))
    assertEquals(wire.after(29.seconds).output, "")
    assertEquals(wire.after(2.seconds).statuses, List(503))
    assert(cancelled)
    assertEquals(wire.send(get("/")).statuses, List(200))
  }

  test("a client that goes away cancels what its handler waits for") {
    var cancelled = false
    val never     = new AsyncPromise[Response]
    never.onCancel(() => cancelled = true)
    val wire = new FakeWire(_ => never)
    wire.send(get("/"))
    wire.session.peerGone()
    assert(cancelled)
  }

  test("close ends the connection after its reply; what follows is not answered") {
    val wire = new FakeWire(hello)
    val out  = wire.send(get("/", "Connection: close\r\n") + get("/")).output
    assertEquals(out, plainHi.replace(date, s"${date}Connection: close\r\n"))
    assert(wire.isFinished)
  }

  test("HTTP/1.0 is answered and closed, unless it asks to keep") {
    val wire = new FakeWire(hello)
    assert(wire.send(
      "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"
    ).output.contains("Connection: keep-alive\r\n"))
    assert(!wire.isFinished)
    wire.send("GET / HTTP/1.0\r\n\r\n")
    assert(wire.isFinished)
  }

  test("what is no request gets one 400, and nothing after it is answered") {
    val wire = new FakeWire(hello)
    assertEquals(wire.send("GET / HTTP/1.1\r\nHost : a\r\n\r\n" + get("/")).statuses, List(400))
    assert(wire.isFinished)
  }

  test("a head that takes too long gets 408, an idle connection nothing") {
    val slow = new FakeWire(hello)
    slow.send("GET / HT")
    assertEquals(slow.after(5.seconds).output, "")
    assertEquals(slow.send("TP").after(6.seconds).statuses, List(408))
    assert(slow.isFinished)
    val idle = new FakeWire(hello)
    assertEquals(idle.send(get("/")).statuses, List(200))
    assertEquals(idle.after(76.seconds).output, "")
    assert(idle.isFinished)
  }

  test(
    "while draining every reply is the last, and an idle connection has a little time for a request on its way"
  ) {
    val busy = new FakeWire(hello)
    busy.session.drain()
    assert(busy.send(get("/")).output.contains("Connection: close"))
    assert(busy.isFinished)
    val idle = new FakeWire(hello)
    idle.session.drain()
    assert(!idle.after(400.millis).isFinished)
    assert(idle.after(200.millis).isFinished)
  }

  test("a connection is not idle while its TLS handshake proceeds, and then has time for a request") {
    for (draining <- List(true, false)) {
      val wire = new FakeWire(hello)
      wire.handshake = Iterator(true, true, true, false)
      if (draining) wire.session.drain() else assert(wire.handshakeProceeds())
      for (_ <- 1 to 2) assert(!wire.after(if (draining) 600.millis else 80.seconds).isFinished)
      assert(!wire.after(400.millis).isFinished)
      assert(wire.after(80.seconds).isFinished)
    }
  }

  test("a peer that has ended is still answered") {
    val later = new AsyncPromise[Response]
    val wire  = new FakeWire(_ => later)
    wire.send(get("/")).end()
    assert(!wire.isFinished)
    later.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200))
    assert(wire.isFinished)
  }

  test("a peer that does not read stops us answering it") {
    val wire =
      new FakeWire(_ => Response.ok("x" * 10000), ServerConfig(maxPendingOutput = 50000, log = Log.none))
    wire.stuck = true
    wire.send(get("/") * 100)
    val first = wire.statuses.length
    assert(first < 10, first.toString)
    assert(!wire.session.wantsInput)
    assertEquals(wire.unstick().statuses.length, 100 - first)
  }

  /** A connection on which a part of a head has come, and whose client has then been sent more than it takes. */
  private def withLargeReplyBehind(part: String): FakeWire = {
    val large = new AsyncPromise[Response]
    val wire  = new FakeWire(
      request => if (request.path == "/large") large else Response.ok,
      ServerConfig(maxPendingOutput = 5000, headTimeout = 10.seconds, log = Log.none)
    )
    wire.send(get("/large") + part)
    wire.stuck = true
    large.succeed(Response.ok("x" * 10000))
    assertEquals(wire.turn().statuses, List(200))
    assert(!wire.session.wantsInput)
    wire
  }

  test("a head is not too late while it is not read, as its client has replies to take") {
    val wire = withLargeReplyBehind("GET / HT")
    wire.send("TP/1.1\r\nHost: a\r\n\r\n").after(10.seconds).after(10.seconds)
    assert(!wire.isFinished)
    assertEquals(wire.unstick().statuses, List(200))
    // one that is read, and does not come, has its time
    wire.send("GET / HT").after(9.seconds)
    assert(!wire.isFinished)
    assertEquals(wire.after(1.second).statuses, List(408))
  }

  test("a head that was put off has its whole time when it is read again") {
    val wire = withLargeReplyBehind("GET / HT").after(10.seconds)
    wire.unstick()
    wire.after(9.seconds)
    assert(!wire.isFinished)
    assertEquals(wire.after(1.second).statuses, List(408))
    assert(wire.isFinished)
  }

  test("in a drain, a request may follow a reply that had said so before, for the drain's grace") {
    for (late <- Seq(false, true)) {
      val end    = new AsyncPromise[Option[Array[Byte]]]
      val stream = new ByteStream {
        private var pieces = List[Async[Option[Array[Byte]]]](Async.value(Some("one".getBytes)), end)
        def next(): Async[Option[Array[Byte]]] = {
          val piece = pieces.head
          pieces = pieces.tail
          piece
        }
        def cancel(): Unit = ()
      }
      val wire = new FakeWire(
        request => if (request.path == "/stream") Response.ok.stream(stream) else Response.ok,
        ServerConfig(drainGrace = 2.seconds, log = Log.none)
      )
      wire.send(get("/stream")).after(5.seconds)
      wire.session.drain()
      wire.after(5.seconds)
      end.succeed(None)
      assert(wire.turn().output.endsWith("0\r\n\r\n"))
      wire.after(1900.millis)
      assert(!wire.isFinished)
      if (late) assert(wire.after(100.millis).isFinished)
      else {
        assertEquals(wire.send(get("/")).statuses, List(200))
        assert(wire.isFinished)
      }
    }
  }

  test("a drain lets all requests in progress end, in their order, and then the connection") {
    var asked = Vector.empty[AsyncPromise[Response]]
    val wire  = new FakeWire(_ => {
      asked :+= new AsyncPromise[Response]
      new Reply.Later(asked.last)
    })
    wire.send(get("/1") + get("/2") + get("/3"))
    wire.session.drain()
    asked(1).succeed(Response.ok("two"))
    assertEquals(wire.turn().output, "")
    asked(0).succeed(Response.ok("one"))
    val first = wire.turn().output
    assert(first.endsWith("two") && !first.contains("Connection: close"), first)
    assert(!asked(2).isCompleted && !wire.isFinished)
    asked(2).succeed(Response.ok("three"))
    val last = wire.turn().output
    assert(last.contains("Connection: close") && last.endsWith("three"), last)
    assert(wire.isFinished)
  }

  test("of what is pipelined in a drain behind requests in progress, one request is the last") {
    var asked = Vector.empty[AsyncPromise[Response]]
    val wire  = new FakeWire(_ => {
      asked :+= new AsyncPromise[Response]
      new Reply.Later(asked.last)
    })
    wire.send(get("/1"))
    wire.session.drain()
    wire.send(get("/2") + get("/3"))
    assertEquals(asked.size, 2)
    asked.foreach(_.succeed(Response.ok("served")))
    assertEquals(wire.turn().statuses, List(200, 200))
    assert(wire.isFinished)
  }

  test("with the smallest limits of a head, the smallest request is served") {
    val wire = new FakeWire(hello, ServerConfig(maxTarget = 1, maxHead = 64, maxHeaders = 1, log = Log.none))
    val host = "a.example.org"
    assertEquals(wire.send(s"GET / HTTP/1.1\r\nHost: $host\r\n\r\n").statuses, List(200))
    assertEquals(wire.send(s"OPTIONS * HTTP/1.1\r\nHost: $host\r\n\r\n").statuses, List(200))
    val wrong = intercept[IllegalArgumentException](ServerConfig(maxTarget = 1, maxHead = 63))
    assertEquals(wrong.getMessage, "ServerConfig.maxHead is 63, but must be 64 to 49152")
    val other = intercept[IllegalArgumentException](ServerConfig(maxTarget = 100, maxHead = 99))
    assertEquals(other.getMessage, "ServerConfig.maxHead is 99, but must be maxTarget (100) to 49152")
  }

  test("OPTIONS * is answered by the server, CONNECT is refused") {
    val wire = new FakeWire(_ => Response.notFound)
    assertEquals(wire.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n").statuses, List(200))
    assertEquals(wire.send("CONNECT a:1 HTTP/1.1\r\nHost: a:1\r\n\r\n").statuses, List(501))
    assert(wire.isFinished)
  }

  test("a Server header goes out on every reply, and one that would split it is refused when it is set") {
    val wire = new FakeWire(hello, ServerConfig(serverHeader = Some("bird"), log = Log.none))
    assertEquals(wire.send(get("/") + get("/")).output.split("Server: bird\r\n", -1).length, 3)
    intercept[IllegalArgumentException](ServerConfig(serverHeader = Some("a\r\nb: c")))
  }

  test("an access log is told of each reply") {
    var lines          = List.empty[(String, Int, Long)]
    val log: AccessLog = (request, status, bytes, _) =>
      lines ::= ((if (request == null) "-" else request.path, status, bytes))
    val wire = new FakeWire(hello, ServerConfig(accessLog = Some(log), log = Log.none))
    wire.send(get("/a") + "GARBAGE\r\n\r\n")
    assertEquals(lines.reverse.map(_.copy(_3 = 0L)), List(("/a", 200, 0L), ("-", 400, 0L)))
    assertEquals(lines.last._3, 2L)
  }

  test("an access log is told which request's content would have been too large") {
    var lines          = List.empty[(String, String, Int)]
    val log: AccessLog = (request, status, _, _) =>
      lines ::= ((request.path, request.connection.remoteAddress, status))
    val wire = new FakeWire(hello, ServerConfig(accessLog = Some(log), log = Log.none, maxBody = 10))
    val post = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 11\r\n\r\n"
    assertEquals(wire.send(post).statuses, List(413))
    assertEquals(lines, List(("/a", wire.info.remoteAddress, 413)))
  }

  test("an access log is told of a reply that is cut off, and how much of it was sent") {
    var lines          = List.empty[(String, Int, Long)]
    val log: AccessLog = (request, status, bytes, _) => lines ::= ((request.path, status, bytes))
    val endless        = new ByteStream {
      private var pieces                     = List("one", "two")
      def next(): Async[Option[Array[Byte]]] = pieces match {
        case piece :: rest => pieces = rest; Async.value(Some(piece.getBytes))
        case Nil           => new AsyncPromise[Option[Array[Byte]]]
      }
      def cancel(): Unit = ()
    }
    val wire = new FakeWire(
      _ => Response.ok.stream(endless),
      ServerConfig(accessLog = Some(log), log = Log.none)
    )
    wire.send(get("/a"))
    assertEquals(lines, Nil)
    wire.session.peerGone()
    assertEquals(lines, List(("/a", 200, 6L)))
  }
}
