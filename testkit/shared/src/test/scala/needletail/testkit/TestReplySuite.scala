package needletail.testkit

import scala.concurrent.duration._

import needletail.async.{Async, TimedOut}
import needletail.http.{Handler, Https, MessageBody, Reply}
import needletail.routing._
import needletail.stream.Stream

/** Testing routes without sockets, threads or waiting. */
class TestReplySuite extends needletail.testing.Suite {

  test("status, headers and content of a reply") {
    val reply = (GET / "a" to "hello".created.header("X-A", "b")).test(Request.get("/a"))
    assertEquals(reply.status, Status.Created)
    assertEquals(reply.header("x-a"), Some("b"))
    assertEquals(reply.text, "hello")
    assertEquals(reply.bytes.length, 5)
    assertEquals(reply.failure, None)
  }

  test("a reply can be shown without reading its stream, which may be endless") {
    val endless = Stream.ticks(1.second).map(_ => "tick".getBytes)
    val reply   = (GET / "ticks" to Response.ok.stream(endless)).test(Request.get("/ticks"))
    assertEquals(reply.toString, "TestReply(200 OK, streamed)")
    assertEquals(reply.pieces.next(), Some("tick"))
    assertEquals((GET / "a" to "b".ok).test(Request.get("/a")).toString, "TestReply(200 OK, b)")
  }

  test("an hour's timeout takes no time") {
    val routes = GET / "slow" to Async.sleep(2.hours).map(_ => "done".ok).timeout(1.hour).recover {
      case _: TimedOut =>
        "too slow".withStatus(Status.GatewayTimeout)
    }
    val reply = routes.test(Request.get("/slow"))
    reply.advance(59.minutes)
    assert(!reply.isAnswered)
    reply.advance(1.minute)
    assert(reply.isAnswered)
    assertEquals(reply.status, Status.GatewayTimeout)
    assertEquals(reply.loop.pendingTimers, 0)
  }

  test("tests without timing need not mention time") {
    val routes = GET / "slow" to Async.sleep(2.hours).map(_ => "done".ok)
    assertEquals(routes.test(Request.get("/slow")).text, "done")
  }

  test("two requests on one loop, side by side") {
    val loop   = new ManualLoop
    val routes = GET / "sleep" / arg[Int] to (n => Async.sleep(n.seconds).map(_ => n.toString.ok))
    val long   = routes.test(Request.get("/sleep/2"), loop)
    val short  = routes.test(Request.get("/sleep/1"), loop)
    loop.advance(1.second)
    assertEquals((long.isAnswered, short.isAnswered), (false, true))
    loop.advance(1.second)
    assertEquals((long.isAnswered, short.isAnswered), (true, true))
  }

  test("a streamed answer, piece by piece, with its pauses") {
    def ticks = new ByteStream {
      private var n                          = 0
      def next(): Async[Option[Array[Byte]]] = Async.sleep(1.minute).map { _ =>
        n += 1
        if (n > 3) None else Some(s"tick $n\n".getBytes)
      }
      def cancel(): Unit = n = 3
    }
    val routes = GET / "ticks" to ticks.ok
    val reply  = routes.test(Request.get("/ticks"))
    assertEquals(reply.pieces.next(), Some("tick 1\n"))
    assertEquals(reply.loop.nowNanos, 1.minute.toNanos)
    assertEquals(reply.pieces.next(), Some("tick 2\n"))
    reply.pieces.cancel()
    assertEquals(reply.pieces.next(), None)
    assertEquals(routes.test(Request.get("/ticks")).text, "tick 1\ntick 2\ntick 3\n")
  }

  test("a reply to HEAD has no content, whole or in pieces") {
    val routes = HEAD / "a" to "hello".ok
    assertEquals(routes.test(Request.head("/a")).text, "")
    assertEquals(routes.test(Request.head("/a")).pieces.next(), None)
  }

  /** A stream of minutes that counts how often it was cancelled. */
  private final class Minutes(count: Int) extends ByteStream {
    var cancelled                          = 0
    private var left                       = count
    def next(): Async[Option[Array[Byte]]] = Async.sleep(1.minute).map { _ =>
      left -= 1
      if (left < 0) None else Some("minute".getBytes)
    }
    def cancel(): Unit = {
      left = 0
      cancelled += 1
    }
  }

  test("a client that disconnects cancels the stream of the response, too, once") {
    val stream = new Minutes(3)
    val reply  = (GET / "a" to stream.ok).test(Request.get("/a"))
    assertEquals(reply.pieces.next(), Some("minute"))
    assertEquals(stream.cancelled, 0)
    reply.cancel()
    reply.cancel()
    assertEquals((stream.cancelled, reply.pieces.next()), (1, None))

    val later = new Minutes(3)
    val late  = (GET / "a" to Async.sleep(1.hour).map(_ => later.ok)).test(Request.get("/a"))
    late.advance(1.hour).cancel() // before anything of it is read
    assertEquals(later.cancelled, 1)

    val broken = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = Async.value(None)
      def cancel(): Unit                     = throw new IllegalArgumentException("not now")
    }
    intercept[IllegalArgumentException]((GET / "a" to broken.ok).test(Request.get("/a")).cancel())
  }

  test("a stream that was read to its end, or cancelled before, is not cancelled again") {
    val read  = new Minutes(2)
    val whole = (GET / "a" to read.ok).test(Request.get("/a"))
    assertEquals(whole.text, "minuteminute")
    whole.cancel()
    val pieces = new Minutes(0)
    val ended  = (GET / "a" to pieces.ok).test(Request.get("/a"))
    assertEquals(ended.pieces.next(), None)
    ended.cancel()
    assertEquals((read.cancelled, pieces.cancelled), (0, 0))
    val left  = new Minutes(2)
    val reply = (GET / "a" to left.ok).test(Request.get("/a"))
    reply.pieces.cancel()
    reply.cancel()
    assertEquals(left.cancelled, 1)
  }

  test("a stream that is not sent, for HEAD or for its status, is cancelled") {
    val head  = new Minutes(2)
    val reply = (HEAD / "a" to head.ok).test(Request.head("/a"))
    assertEquals((reply.status, head.cancelled), (Status.Ok, 1))
    assertEquals(reply.text, "")
    val none = new Minutes(2)
    val late = (GET / "a" to Async.sleep(1.hour).map(_ => Response(Status.NoContent).stream(none))).test(
      Request.get("/a")
    )
    assertEquals(none.cancelled, 0)
    assertEquals((late.text, none.cancelled), ("", 1))
    late.cancel()
    assertEquals(none.cancelled, 1)
  }

  test("an answer that never comes is an error of the test, not a hang") {
    val routes = GET / "never" to new needletail.async.AsyncPromise[Response]
    val reply  = routes.test(Request.get("/never"))
    intercept[IllegalStateException](reply.status)
    val ticking = GET / "never" to {
      Stream.ticks(1.hour).drain() // goes on beside it
      new needletail.async.AsyncPromise[Response]
    }
    val e = intercept[IllegalStateException](ticking.test(Request.get("/never")).status)
    assert(e.getMessage.contains("timers go on"), e.getMessage)
  }

  test("any handler can be tested") {
    val handler = Handler((request: Request) => request.target.ok)
    assertEquals(handler.test(Request.get("/x?y")).text, "/x?y")
  }

  test("a handler that returns null, at once or later, or fails with null, is answered as by a server") {
    for (
      handler <- List[Handler](
        _ => null,
        _ => new Reply.Later(Async.value(null: Response)),
        _ => new Reply.Later(Async.sleep(1.second).map(_ => null: Response)),
        _ => new Reply.Later(Async.fail(null))
      )
    ) {
      val reply = handler.test(Request.get("/"))
      assertEquals(reply.status, Status.InternalServerError)
      assert(reply.failure.exists(_.isInstanceOf[NullPointerException]), reply.failure)
    }
  }

  /** Never answered; counts how often that was cancelled. */
  private final class Never {
    var cancelled                   = 0
    def response(): Async[Response] = {
      val promise = new needletail.async.AsyncPromise[Response]
      promise.onCancel(() => cancelled += 1)
      promise
    }
  }

  test("a route's time limit is kept in virtual time, as a server does") {
    val never  = new Never
    val routes = Routes(
      (GET / "slow" to never.response()).timeout(1.second),
      (GET / "left" + request to (r => r.timeLimit.timeLeft.map(_.toMillis).toString.ok)).timeout(1.second),
      GET / "usual" + request to (r => r.timeLimit.timeLeft.map(_.toMillis).toString.ok)
    )
    for (r <- Seq(Request.get("/slow"), Request.get("/slow").withHeader("X-A", "b"))) {
      never.cancelled = 0
      val slow = routes.test(r).advance(999.millis)
      assert(!slow.isAnswered)
      assertEquals(never.cancelled, 0)
      assert(slow.advance(1.millis).isAnswered)
      assertEquals((slow.status, slow.text), (Status.ServiceUnavailable, "the request took too long"))
      assertEquals((never.cancelled, slow.loop.pendingTimers), (1, 0))
    }
    assertEquals(routes.test(Request.get("/left")).text, "Some(1000)")
    assertEquals(routes.test(Request.get("/usual")).text, "None")
    assertEquals(routes.test(Request.get("/left")).loop.pendingTimers, 0)
  }

  test("a request that is tested twice has its route's whole time each time") {
    val asked  = Request.get("/slow")
    val routes = (GET / "slow" to Async.sleep(3.seconds).map(_ => "done".ok)).timeout(2.seconds)
    for (_ <- 1 to 2) {
      val loop = new ManualLoop
      loop.advance(1.minute)
      val reply = routes.test(asked, loop)
      assertEquals(reply.status, Status.ServiceUnavailable)
      assertEquals(loop.nowNanos, 62.seconds.toNanos)
    }
  }

  test("the response of a time limit passes through wrappers; a client that has gone ends it") {
    val never   = new Never
    val routes  = (GET / "slow" to never.response()).timeout(1.second)
    val dressed = routes.mapResponse((_, response) => response.header("X-Server", "one"))
    assertEquals(dressed.test(Request.get("/slow")).header("X-Server"), Some("one"))

    val gone = routes.test(Request.get("/slow"))
    gone.cancel()
    assertEquals((never.cancelled, gone.loop.pendingTimers), (2, 0))
  }

  test("a route's time limit begins anew with content that the handler has waited for") {
    def slow   = MessageBody.streamed(Stream.ticks(3.seconds).take(3).map(_ => "a".getBytes), -1)
    val routes = (POST / "body" + request to { r =>
      r.text.flatMap(text => Async.sleep(1.second).map(_ => text.ok))
    }).timeout(2.seconds)
    val reply = routes.test(Request.post("/body", slow))
    assertEquals((reply.status, reply.text), (Status.Ok, "aaa"))

    val stuck = (POST / "body" + request to { r =>
      r.body.stream.next().flatMap(_ => new needletail.async.AsyncPromise[Response])
    }).timeout(2.seconds).test(Request.post("/body", slow))
    assertEquals(stuck.status, Status.ServiceUnavailable)
    val arrived = stuck.loop.nowNanos - 2.seconds.toNanos
    assert(arrived % 3.seconds.toNanos == 0, arrived)
  }

  test("a read that was given up puts the time limit off by the time in which it has waited") {
    def nothing = MessageBody.streamed(Stream.ticks(1.hour).map(_ => "a".getBytes), -1)
    val routes  = (POST / "body" + request to { r =>
      Async.sleep(1.second)
        .flatMap(_ => r.body.stream.next().map(_ => ()).timeout(5.seconds).recover { case _: TimedOut => () })
        .flatMap(_ => new needletail.async.AsyncPromise[Response])
    }).timeout(2.seconds)
    val reply = routes.test(Request.post("/body", nothing))
    assertEquals((reply.status, reply.loop.nowNanos), (Status.ServiceUnavailable, 7.seconds.toNanos))
    assertEquals(reply.loop.pendingTimers, 0)
  }

  test(
    "a handler that lets the time pass before it returns answers late, or is cancelled if it still waits"
  ) {
    val never  = new Never
    val loop   = new ManualLoop
    val routes = Routes(
      GET / "late" to { loop.advance(3.seconds); "late".ok },
      GET / "later" to { loop.advance(3.seconds); never.response() }
    ).timeout(2.seconds)
    assertEquals(routes.test(Request.get("/late"), loop).text, "late")
    val later = routes.test(Request.get("/later"), loop)
    assertEquals((later.status, never.cancelled), (Status.ServiceUnavailable, 1))
    assertEquals((loop.nowNanos, loop.pendingTimers), (6.seconds.toNanos, 0))
  }

  test("a client that is gone gives its place in a route's limit back") {
    val never  = new Never
    val routes = (GET / "one" to never.response()).limit(inFlight = 1)
    val first  = routes.test(Request.get("/one"))
    assert(!first.isAnswered)
    assertEquals(routes.test(Request.get("/one")).status, Status.ServiceUnavailable)
    first.cancel()
    assert(!routes.test(Request.get("/one")).isAnswered)
  }

  test("what a server knows of the client: address, TLS and certificate") {
    val routes = GET / "who" + request to { r =>
      val c = r.connection
      s"${c.remoteAddress} ${c.isSecure} ${c.peer.map(_.subject)} ${c.security.map(_.version)}".ok
    }
    val asked                         = Request.get("/who")
    def reply(asked: Request): String = routes.test(asked).text
    assertEquals(reply(asked), "127.0.0.1:0 false None None")
    assertEquals(
      reply(asked.withConnection(remoteAddress = "192.0.2.1:4711")),
      "192.0.2.1:4711 false None None"
    )
    assertEquals(reply(asked.withConnection(isSecure = true)), "127.0.0.1:0 true None Some(TLSv1.3)")
    val ann = asked.withConnection(peer = TestPeer("CN=Ann"))
    for (r <- Seq(ann, ann.withHeader("X-A", "b")))
      assertEquals(reply(r), "127.0.0.1:0 true Some(CN=Ann) Some(TLSv1.3)")
  }

  test("HSTS over TLS, and redirects to https without it") {
    val routes =
      (GET / "a" to "a".ok).mapResponse(Https.strict(365.days)).around(Https.only(host = Some("example.com")))
    assertEquals(
      routes.test(Request.get("/a")).header("Location"),
      Some("https://example.com/a")
    )
    val secure = routes.test(Request.get("/a").withConnection(isSecure = true))
    assertEquals(secure.header("Strict-Transport-Security"), Some("max-age=31536000"))
  }
}
