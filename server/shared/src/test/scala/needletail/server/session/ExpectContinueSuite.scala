package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.operations.Log

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** 100 (Continue), and what follows for the connection where it was not sent: RFC 9110 §10.1.1, RFC 9112 §9.3. */
class ExpectContinueSuite extends Suite {
  private val config   = ServerConfig(log = Log.none)
  private val continue = "HTTP/1.1 100 Continue\r\n\r\n"
  private val get      = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n"

  private def post(framing: String = "Content-Length: 5") =
    s"POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n$framing\r\n\r\n"

  private def bytes(text: String): Option[Array[Byte]] = Some(text.getBytes("ISO-8859-1"))

  /** First what is there, then what `rest` has: a stream that may never come to the second. */
  private def after(first: Async[Option[Array[Byte]]], rest: ByteStream): ByteStream = new ByteStream {
    private var begun                      = false
    def next(): Async[Option[Array[Byte]]] = if (begun) rest.next() else { begun = true; first }
    def cancel(): Unit                     = rest.cancel()
  }

  private def once(f: Request => Reply): Handler = request =>
    if (request.path == "/next") Response.ok("next") else f(request)

  test("fault 2: no 100 (Continue) inside a streamed reply whose first piece did not need the body") {
    for (framing <- List("Content-Length: 5", "Transfer-Encoding: chunked")) {
      val wire =
        new FakeWire(
          once(r => Response.ok.stream(after(Async.value(bytes("one")), r.body.stream))),
          config
        )
      val out = wire.send(post(framing)).output
      assert(out.startsWith("HTTP/1.1 200 ") && out.endsWith("\r\n\r\n3\r\none\r\n"), out)
      assert(out.contains("Connection: close"), out)
      val content = if (framing.contains("chunked")) "5\r\nhello\r\n0\r\n\r\n" else "hello"
      assertEquals(wire.send(content).output, "5\r\nhello\r\n0\r\n\r\n", "a client may send it unasked")
      assert(wire.isFinished)
    }
  }

  test("fault 2: nor when the head has not left the writer yet, nor when the first piece came later") {
    val first = new AsyncPromise[Option[Array[Byte]]]
    val wire  = new FakeWire(once(r => Response.ok.stream(after(first, r.body.stream))), config)
    assertEquals(wire.send(post()).output, "")
    first.succeed(bytes("one"))
    assertEquals(wire.turn().output.split("HTTP/1.1 ", -1).length, 2, "one head")
    assertEquals(wire.send("hello").output, "5\r\nhello\r\n0\r\n\r\n")
  }

  test("fault 2: what is asked for before the final head goes out is invited before it") {
    // the stream's first piece is there, and by then something has asked for the body
    var asked: Async[Option[Array[Byte]]] = null
    val wire                              = new FakeWire(
      once { r =>
        asked = r.body.stream.next()
        val rest = new ByteStream {
          def next(): Async[Option[Array[Byte]]] = { val a = asked; asked = Async.value(None); a }
          def cancel(): Unit                     = ()
        }
        Response.ok.stream(after(Async.value(bytes("one")), rest))
      },
      config
    )
    val out = wire.send(post()).output
    assert(out.startsWith(continue + "HTTP/1.1 200 "), out)
    assert(!out.contains("Connection: close"), out)
    assertEquals(wire.send("hello" + get).statuses, List(200), "the next request's reply")
    assert(!wire.isFinished)
  }

  test("fault 4: a streamed reply that ignores the body ends the connection: nothing after it is a body") {
    for (length <- List(-1L, 3L); framing <- List("Content-Length: 5", "Transfer-Encoding: chunked")) {
      def stream = ByteStream.of("one".getBytes)
      val wire   = new FakeWire(
        once(_ => if (length < 0) Response.ok.stream(stream) else Response.ok.stream(stream, length)),
        config
      )
      val out = wire.send(post(framing)).output
      assert(out.startsWith("HTTP/1.1 200 ") && out.contains("Connection: close"), out)
      assert(wire.isFinished, "the peer is told, and the connection ends")
      assertEquals(wire.send(get).output, "")
    }
  }

  test("fault 4: the same where the stream ends later, and for HEAD") {
    val end  = new AsyncPromise[Option[Array[Byte]]]
    val rest = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = end
      def cancel(): Unit                     = ()
    }
    val wire = new FakeWire(once(_ => Response.ok.stream(after(Async.value(bytes("one")), rest))), config)
    assert(wire.send(post()).output.contains("Connection: close"))
    assert(!wire.session.wantsInput, "a request that comes now is not read as content")
    end.succeed(None)
    assertEquals(wire.send(get).output, "0\r\n\r\n")
    assert(wire.isFinished)
    val head = new FakeWire(once(_ => Response.ok.stream(ByteStream.of("one".getBytes))), config)
    assert(head.send(post().replace("POST", "HEAD")).output.contains("Connection: close"))
    assert(head.isFinished)
  }

  test("fault 4: a body that was invited, or has begun to come, lets the connection live on") {
    // it reads the first piece, and not the rest
    val some: Handler = once { r =>
      Response.ok.stream(new ByteStream {
        private var isGiven                    = false
        def next(): Async[Option[Array[Byte]]] =
          if (isGiven) Async.value(None) else { isGiven = true; r.body.stream.next() }
        def cancel(): Unit = ()
      })
    }
    val invited = new FakeWire(some, config)
    assertEquals(invited.send(post()).output, continue)
    assertEquals(invited.send("he").statuses, List(200))
    assertEquals(invited.send("llo" + get).statuses, List(200))
    assert(!invited.isFinished)
    val eager = new FakeWire(some, config)
    assertEquals(eager.send(post() + "he").statuses, List(200), "no 100")
    assertEquals(eager.send("llo" + get).statuses, List(200))
    assert(!eager.isFinished)
  }

  test("fault 4: the same where all of it has come though nobody invited it, and nobody has read it") {
    val framings = List("Content-Length: 5" -> "hello", "Transfer-Encoding: chunked" -> "0\r\n\r\n")
    for ((framing, whole) <- framings; content <- List(whole, whole.dropRight(1))) {
      val answer = new AsyncPromise[Response]
      val wire   = new FakeWire(once(_ => answer), config)
      assertEquals(wire.send(post(framing) + content).output, "")
      answer.succeed(Response.ok)
      val out = wire.turn().output
      assert(out.startsWith("HTTP/1.1 200 "), out)
      assertEquals(out.contains("Connection: close"), content != whole, content)
      if (content == whole) assertEquals(wire.send(get).statuses, List(200))
    }
  }

  test("fault 4: a streamed reply that fails before its first piece, with an unread body") {
    val wire = new FakeWire(
      once(_ =>
        Response.ok.stream(after(
          Async.fail(HttpError(Status.Forbidden, "no")),
          ByteStream.of(Array.empty[Byte])
        ))
      ),
      config
    )
    val out = wire.send(post()).output
    assert(out.startsWith("HTTP/1.1 403 ") && out.contains("Connection: close"), out)
    assert(wire.isFinished)
  }
}
