package needletail.server.exchange

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.server.failure.ConnectionLost

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** Content of requests and responses: read whole, streamed, unread, broken. */
class BodySuite extends Suite with ContentRequests {
  private val config =
    ServerConfig(maxBody = 100000, maxBodyInMemory = 1000, maxUnreadBody = 5000, log = Log.none)

  private val echo: Handler   = request => Response.ok.stream(request.body.stream)
  private val whole: Handler  = request => request.text.map(text => Response.ok(text))
  private val unread: Handler = _ => Response.ok

  test("a body that comes with its head is there at once") {
    val wire = new FakeWire(whole, config)
    assertEquals(content(wire.send(post(5) + "hello").output), "hello")
    assertEquals(wire.writes, 1)
  }

  test("a body that drips in, fixed and chunked") {
    val wire = new FakeWire(whole, config)
    (post(5) + "hello").foreach(c => wire.send(c.toString))
    assertEquals(content(wire.output), "hello")
    (chunkedPost + "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\nX: y\r\n\r\n").foreach(c => wire.send(c.toString))
    assertEquals(content(wire.output), "hello")
    assert(!wire.isFinished)
  }

  test("a request behind content that is read only after the client's end is answered, too") {
    val framed = Seq(post(5) -> "hello", chunkedPost -> "5\r\nhello\r\n0\r\n\r\n")
    for ((head, content) <- framed; sent <- Seq(content, content.take(3))) {
      val go   = new AsyncPromise[Unit]
      val wire = new FakeWire(
        r => if (r.path == "/x") Response.ok("x") else go.flatMap(_ => r.text).map(Response.ok(_)),
        config
      )
      wire.send(head + sent).after(100.millis)
      wire.send(content.drop(sent.length) + "GET /x HTTP/1.1\r\nHost: a\r\n\r\n").end().after(300.millis)
      go.succeed(())
      assertEquals(wire.turn().statuses, List(200, 200), s"$head$sent")
    }
  }

  test("content that comes later extends the time limit of the request, and of those derived from it") {
    var first: Request        = null
    var derived: Seq[Request] = Nil
    val wire                  = new FakeWire(
      { request =>
        first = request
        val other = request.withHeader("X-A", "b")
        derived = Seq(request.keep, other, other.withBody(MessageBody.empty), other.keep)
        whole(request)
      },
      config
    )
    wire.send(post(3) + "a")
    for (piece <- Seq("b", "c")) {
      wire.after(15.seconds).send(piece)
      if (piece == "b") {
        assertEquals(first.dueNanos, wire.nowNanos + 30.seconds.toNanos)
        assertEquals(derived.map(_.dueNanos).toSet, Set(first.dueNanos))
        assertEquals(derived.map(_.timeLimit.nanos).toSet, Set(first.timeLimit.nanos))
      }
    }
    assertEquals(content(wire.output), "abc")
  }

  test("who stops waiting for a piece may ask for it at once, also behind operators") {
    for (isDirect <- Seq(true, false)) {
      val go   = new AsyncPromise[Option[Array[Byte]]]
      val wire = new FakeWire(
        { request =>
          val body   = request.body.stream
          val stream = if (isDirect) body else body.map(identity).filter(_ => true)
          for {
            _     <- stream.next().race(go)
            piece <- stream.next()
          } yield Response.ok(new String(piece.get))
        },
        config
      )
      wire.send(post(5))
      go.succeed(None)
      assertEquals(content(wire.turn().send("hello").output), "hello")
    }
  }

  test("a stream goes back as it comes") {
    val wire = new FakeWire(echo, config)
    assertEquals(wire.send(post(6)).output, "", "the head waits for the first piece")
    assertEquals(content(wire.send("abc").output), "3\r\nabc\r\n")
    assertEquals(wire.send("def").output, "3\r\ndef\r\n0\r\n\r\n")
    assertEquals(wire.send(post(0)).statuses, List(200))
  }

  test("to HTTP/1.0 a stream goes until the connection's end") {
    val wire = new FakeWire(echo, config)
    val out  = wire.send("POST / HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: 3\r\n\r\nabc").output
    assert(!out.contains("chunked") && out.contains("Connection: close") && out.endsWith("\r\n\r\nabc"), out)
    assert(wire.isFinished)
  }

  test("100 (Continue) is sent when the body is asked for, and not when it is not") {
    val wire = new FakeWire(whole, config)
    assertEquals(wire.send(post(5, "Expect: 100-continue\r\n")).output, "HTTP/1.1 100 Continue\r\n\r\n")
    assertEquals(content(wire.send("hello").output), "hello")
    val early = new FakeWire(unread, config)
    val out   = early.send(post(5, "Expect: 100-continue\r\n")).output
    assert(out.startsWith("HTTP/1.1 200 ") && out.contains("Connection: close"), out)
    assert(early.isFinished)
  }

  test("no 100 (Continue) after the body has begun to come, nor for HTTP/1.0") {
    val wire = new FakeWire(whole, config)
    assertEquals(wire.send(post(5, "Expect: 100-continue\r\n") + "hello").statuses, List(200))
    assertEquals(
      wire.send("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\nhello").statuses,
      List(200)
    )
  }

  test("an unread body is dropped up to a bound") {
    val wire = new FakeWire(unread, config)
    assertEquals(wire.send(post(3) + "abc" + post(0)).statuses, List(200, 200))
    assertEquals(wire.send(chunkedPost + "3\r\nabc\r\n0\r\n\r\n" + post(0)).statuses, List(200, 200))
    val out = wire.send(post(6000)).output
    assert(out.contains("Connection: close"), out)
    assert(wire.isFinished)
  }

  test("an unread chunked body closes the connection when it is beyond the bound") {
    val wire = new FakeWire(unread, config)
    assertEquals(wire.send(chunkedPost + "1770\r\n" + "x" * 5001).statuses, List(200))
    assert(wire.isFinished)
  }

  test("413 by the announced length, by growth, and by what memory may hold") {
    assertEquals(new FakeWire(echo, config).send(post(100001)).statuses, List(413))
    assertEquals(new FakeWire(whole, config).send(post(1001)).statuses, List(413))
    val chunk = "3e8\r\n" + "x" * 1000 + "\r\n"
    assertEquals(new FakeWire(whole, config).send(chunkedPost + chunk + chunk).statuses, List(413))
    val grown = new FakeWire(request => request.body.bytes(Int.MaxValue).map(_ => Response.ok), config)
    assertEquals(grown.send(chunkedPost + chunk * 101).statuses, List(413))
    val announced = new FakeWire(echo, config)
    assertEquals(announced.send(chunkedPost + "186a1\r\n").statuses, List(413), "before any of it comes")
    assert(grown.isFinished)
  }

  test("a malformed chunk is a 400, also when the reply is streamed and its first piece was there") {
    for (handler <- List(whole, echo)) {
      val wire = new FakeWire(handler, config)
      assertEquals(wire.send(chunkedPost + "3\r\nabc\r\nzz\r\n").statuses, List(400))
      assert(wire.isFinished && !wire.isAborted)
    }
  }

  test("a malformed chunk after the reply has begun cuts it off, unlike an orderly end") {
    val wire = new FakeWire(echo, config)
    assertEquals(wire.send(chunkedPost + "3\r\nabc\r\n").statuses, List(200))
    assertEquals(wire.send("zz\r\n").output, "", "no last chunk")
    assert(wire.isFinished)
    val old = new FakeWire(echo, config)
    old.send("POST / HTTP/1.0\r\nContent-Length: 5\r\n\r\nhe").end()
    assert(old.isAborted, "here the end of the connection would be an orderly one")
  }

  test("a body that stops coming is a 408, one that comes too slowly too") {
    val wire = new FakeWire(whole, config)
    assertEquals(wire.send(post(5) + "he").after(21.seconds).statuses, List(408))
    assert(wire.isFinished)
    val slow = new FakeWire(whole, config)
    slow.send(post(500))
    var seconds = 0
    while (!slow.isFinished && seconds < 300) {
      slow.after(10.seconds).send("x")
      seconds += 10
    }
    assertEquals(slow.statuses, List(408))
    assertEquals(seconds, 40)
  }

  test("a body that ends early is a 400") {
    val wire = new FakeWire(whole, config)
    assertEquals(wire.send(post(5) + "he").end().statuses, List(400))
    assert(wire.isFinished)
  }

  test("nothing of a body is read before it is requested") {
    val go   = new needletail.async.AsyncPromise[Unit]
    val wire = new FakeWire(request => go.flatMap(_ => request.text).map(Response.ok(_)), config)
    wire.send(post(5) + "hel")
    assert(!wire.session.wantsInput)
    go.succeed(())
    wire.turn()
    assert(wire.session.wantsInput)
    assertEquals(content(wire.send("lo").output), "hello")
  }

  test("whoever waits for a body is told when an exception ends the connection") {
    var waits: Async[Option[Array[Byte]]] = null
    val wire                              = new FakeWire(request =>
      if (request.path == "/wait") {
        waits = request.body.stream.next()
        new AsyncPromise[Response]
      } else Response.ok("hi")
    )
    wire.writing = () => throw new IllegalStateException("the kernel has gone mad")
    wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\nPOST /wait HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
    assert(wire.isAborted)
    assert(waits.resultOrNull != null, "it would wait for ever")
    assert(waits.resultOrNull.error.isInstanceOf[ConnectionLost])
  }

  test("a body can't be read once its reply is complete") {
    var body: MessageBody = null
    val wire              = new FakeWire(request => { body = request.body; Response.ok }, config)
    wire.send(post(5) + "he")
    assert(body.stream.next().poll.get.isFailure)
  }

  test("a stream with an announced length has just that") {
    def streaming(rawBytes: Int): Handler =
      _ => Response.ok.stream(ByteStream.of(new Array[Byte](rawBytes)), 5)
    val right = new FakeWire(streaming(5), config)
    assert(right.send(post(0)).output.contains("Content-Length: 5\r\n"))
    assert(!right.isFinished)
    for (wrong <- List(4, 6)) {
      val wire = new FakeWire(streaming(wrong), config)
      assert(content(wire.send(post(0)).output).length < 5, wrong.toString)
      assert(wire.isFinished, wrong.toString)
    }
  }

  test("a stream that is all there goes out with its head, once, and the connection goes on") {
    def sized: Handler = request => Response.ok.stream(request.body.stream, request.body.length)
    val wire           = new FakeWire(sized, config)
    val out            = wire.send(post(5) + "hello" + post(5) + "again").output
    assertEquals(wire.writes, 1)
    assertEquals(
      "Content-Length: 5\r\n\r\n[a-z]{5}".r.findAllIn(out).map(_.takeRight(5)).toList,
      List("hello", "again")
    )
    assertEquals(content(wire.send(post(5) + "he").send("llo").output), "hello", "in two pieces")
    assert(!wire.isFinished)
    val expecting = new FakeWire(sized, config)
    assertEquals(expecting.send(post(2, "Expect: 100-continue\r\n")).output, "HTTP/1.1 100 Continue\r\n\r\n")
    assertEquals(content(expecting.send("ok").output), "ok")
    val head = new FakeWire(_ => Response.ok.stream(ByteStream.of(new Array[Byte](3)), 3), config)
    assert(head.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").output.endsWith("Content-Length: 3\r\n\r\n"))
  }

  test("a stream whose end comes later, or that throws when it is asked") {
    def end = new needletail.async.AsyncPromise[Option[Array[Byte]]]
    def after(rest: => Async[Option[Array[Byte]]]): Handler = { _ =>
      var first = true
      Response.ok.stream(
        new ByteStream {
          def next(): Async[Option[Array[Byte]]] =
            if (first) { first = false; Async.value(Some("abc".getBytes)) }
            else rest
          def cancel(): Unit = ()
        },
        3
      )
    }
    val wire = new FakeWire(after(end), config)
    assertEquals(content(wire.send(post(0)).output), "abc")
    assertEquals(wire.send(post(0)).statuses, List(200), "all that was announced has been sent")
    assert(!wire.isFinished)
    val throwing = new FakeWire(after(throw new RuntimeException("secret")), config)
    assertEquals(throwing.send(post(0)).statuses, List(500), "nothing had left yet")
    val atOnce = new FakeWire(
      _ =>
        Response.ok.stream(
          new ByteStream {
            def next(): Async[Option[Array[Byte]]] = throw new RuntimeException("secret")
            def cancel(): Unit                     = ()
          },
          3
        ),
      config
    )
    assertEquals(atOnce.send(post(0)).statuses, List(500))
  }

  test("a stream that fails at once is a 500, later it cuts the reply off") {
    def failing(pieces: Int): ByteStream = new ByteStream {
      private var n                          = 0
      def next(): Async[Option[Array[Byte]]] = {
        n += 1
        if (n > pieces) Async.fail(new RuntimeException("secret"))
        else Async.value(Some(new Array[Byte](20000)))
      }
      def cancel(): Unit = ()
    }
    assertEquals(new FakeWire(_ => Response.ok.stream(failing(0)), config).send(post(0)).statuses, List(500))
    val late = new FakeWire(_ => Response.ok.stream(failing(3)), config)
    assert(!late.send(post(0)).output.endsWith("0\r\n\r\n"))
    assert(late.isFinished)
  }

  test("a streamed response stops being made while the peer does not read") {
    var made                = 0
    val endless: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = { made += 1; Async.value(Some(new Array[Byte](10000))) }
      def cancel(): Unit                     = ()
    }
    val wire =
      new FakeWire(_ => Response.ok.stream(endless), ServerConfig(maxPendingOutput = 50000, log = Log.none))
    wire.stuck = true
    wire.send(post(0))
    assert(made < 10, made.toString)
  }

  test("a long stream to a fast reader leaves the loop to others in between") {
    val size = 2000000
    val wire = new FakeWire(_ =>
      Response.ok.stream(
        ByteStream.fromIterator(Iterator.fill(size / 10000)(new Array[Byte](10000))),
        size.toLong
      )
    )
    val in = post(0).getBytes("ISO-8859-1")
    wire.session.receive(in, 0, in.length)
    val first = wire.output.length
    assert(first > 400000 && first < 700000, first.toString)
    assert(wire.turn().output.length > size - 700000)
    assert(!wire.isFinished)
  }

  test("the stream of a reply that is cut off is cancelled") {
    var cancelled           = false
    val waiting: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = new needletail.async.AsyncPromise[Option[Array[Byte]]]
      def cancel(): Unit                     = cancelled = true
    }
    val wire = new FakeWire(_ => Response.ok.stream(waiting), config)
    assertEquals(
      wire.send(post(0)).statuses,
      List(200),
      "the head does not wait for a piece that is not there"
    )
    wire.session.peerGone()
    assert(cancelled)
  }

  test("HEAD, 204 and 304 have no content, streamed or not") {
    val stream = new FakeWire(_ => Response.ok.stream(ByteStream.of(new Array[Byte](3))), config)
    assert(stream.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n").output.endsWith("\r\n\r\n"))
    for (code <- List(204, 304, 205)) {
      val wire = new FakeWire(_ => Response(Status(code)).text("not to be sent"), config)
      val out  = wire.send(post(0)).output
      assert(out.endsWith("\r\n\r\n"), out)
      assertEquals(out.contains("Content-Length: 0"), code == 205, out)
    }
  }
}
