package needletail.server.session

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.exchange.ServerExchange
import needletail.server.operations.Log
import needletail.testing.Suite

/** Replies as they are written: whole, in pieces, and broken off. */
class ReplyWriterSuite extends Suite {
  private def streamed(pieces: Async[Option[Array[Byte]]]*): ByteStream = new ByteStream {
    private var left                       = pieces.toList
    def next(): Async[Option[Array[Byte]]] = left match {
      case piece :: rest => left = rest; piece
      case Nil           => Async.value(None)
    }
    def cancel(): Unit = ()
  }
  private def piece(text: String): Async[Option[Array[Byte]]] = Async.value(Some(text.getBytes))

  /** What the client gets once the turn is over. */
  private def advanced(parts: SessionParts, x: ServerExchange): String = {
    parts.writer.advance(x)
    parts.writer.flush()
    parts.output
  }

  test("a whole reply is counted and released, and the connection stays") {
    val parts   = new SessionParts
    val h       = parts.head("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    val request = new Request(h, h.generation, parts.context.noBody, parts.info)
    val reply   = Response.ok("hi")
    parts.writer.write(request, null, reply, reply.content, h, parts.nowNanos)
    assertEquals(parts.output, "", "it is in the loop's writer")
    parts.writer.flush()
    assert(parts.output.endsWith("\r\n\r\nhi"))
    assertEquals(parts.context.counts.requests, 1L)
    intercept[IllegalStateException](request.path)
    assert(!parts.state.isLastRequest)
  }

  test("a reply that closes is the connection's last") {
    val parts = new SessionParts
    val reply = Response.ok("hi").close
    val h     = parts.head("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    parts.writer.write(null, null, reply, reply.content, h, parts.nowNanos)
    assert(parts.state.isClosed)
  }

  test("a reply that came later is written whole, and its exchange is complete") {
    val parts = new SessionParts
    val x     = parts.queued()
    x.response = Response.ok("later")
    assert(advanced(parts, x).endsWith("\r\n\r\nlater"))
    assert(x.complete)
    assertEquals(x.bytesSent, 5L)
  }

  test("a stream goes out as far as it is there, and on when the rest has come") {
    val parts = new SessionParts
    val x     = parts.queued()
    val rest  = new AsyncPromise[Option[Array[Byte]]]
    x.response = Response.ok.stream(streamed(piece("ab"), rest))
    assert(advanced(parts, x).endsWith("\r\n\r\n2\r\nab\r\n"))
    assert(!x.complete && x.isAwaiting)
    rest.succeed(Some("cde".getBytes))
    assertEquals(parts.reports, List("changed"))
    assertEquals(advanced(parts, x), "3\r\ncde\r\n0\r\n\r\n")
    assert(x.complete)
  }

  test("a stream that fails before anything has left becomes another reply") {
    val parts = new SessionParts
    val x     = parts.queued()
    x.response = Response.ok.stream(streamed(piece("ab"), Async.fail(HttpError(Status.Conflict, "no"))))
    val out = advanced(parts, x)
    assert(out.startsWith("HTTP/1.1 409 "), out)
    assert(!out.contains("200"), out)
    assert(x.complete)
    assert(!parts.state.isLastRequest)
  }

  test("a stream that fails after something has left breaks its reply off, and ends the connection") {
    val parts = new SessionParts
    val x     = parts.queued()
    val rest  = new AsyncPromise[Option[Array[Byte]]]
    x.response = Response.ok.stream(streamed(piece("ab"), rest))
    advanced(parts, x)
    rest.fail(new RuntimeException("gone"))
    assertEquals(advanced(parts, x), "", "the chunks have no end")
    assert(x.complete && parts.queue.isEmpty && parts.state.isClosed)
    assert(!parts.isAborted, "the client can tell by the chunks")
  }

  test("where the end of the connection is the end of the reply, breaking it off resets the connection") {
    val parts   = new SessionParts
    val h       = parts.head("GET / HTTP/1.0\r\n\r\n")
    val request = new Request(h, h.generation, parts.context.noBody, parts.info)
    val x       = ServerExchange(parts, parts.runner, h, request, null, 0, Long.MaxValue)
    parts.runner.detach(request, x)
    parts.queue.add(x)
    val rest = new AsyncPromise[Option[Array[Byte]]]
    x.response = Response.ok.stream(streamed(piece("ab"), rest))
    assert(advanced(parts, x).endsWith("\r\n\r\nab"))
    rest.fail(new RuntimeException("gone"))
    advanced(parts, x)
    assert(parts.isAborted && parts.state.isEnded)
  }

  test("fewer bytes than were announced break the reply off, and so do more") {
    for (length <- List(1L, 3L)) {
      val parts = new SessionParts
      val x     = parts.queued()
      x.response = Response.ok.stream(streamed(piece("ab")), length)
      advanced(parts, x)
      assert(x.complete && parts.queue.isEmpty && parts.state.isClosed, length)
    }
  }

  test("nothing is taken of a stream while the client takes nothing") {
    val parts = new SessionParts(config = ServerConfig(maxPendingOutput = 10, log = Log.none))
    val x     = parts.queued()
    parts.isStuck = true
    x.response = Response.ok.stream(streamed(piece("ab"), piece("cd")))
    parts.writer.advance(x)
    parts.writer.flush()
    assert(!x.complete)
    assert(parts.writer.isBacklogged)
    parts.isStuck = false
    parts.pendingOutput = 0
    assert(advanced(parts, x).contains("cd"))
  }

  test("a stream gets a part of a turn only") {
    val parts  = new SessionParts
    val x      = parts.queued()
    val chunk  = Async.value(Some(new Array[Byte](64 * 1024)): Option[Array[Byte]])
    val pieces = Seq.fill(20)(chunk)
    x.response = Response.ok.stream(streamed(pieces: _*))
    parts.writer.advance(x)
    assertEquals(x.bytesSent, ReplyOutput.TurnLimit.toLong)
    assertEquals(parts.wakes, 1)
  }

  test("a stream of tiny pieces gets a part of a turn only, and goes on in the next") {
    val parts = new SessionParts
    val x     = parts.queued()
    x.response = Response.ok.stream(streamed(Seq.fill(ReplyWriter.PumpPieces + 10)(piece("x")): _*))
    parts.writer.advance(x)
    assertEquals(x.bytesSent, ReplyWriter.PumpPieces.toLong)
    assertEquals(parts.wakes, 1)
    parts.writer.advance(x)
    assertEquals(x.bytesSent, ReplyWriter.PumpPieces + 10L)
    assert(x.complete)
    assertEquals(parts.wakes, 1)
  }

  test("when the server stops, a stream of events that waits is ended") {
    val parts = new SessionParts
    val x     = parts.queued()
    x.response = Response.ok
      .header("Content-Type", "text/event-stream")
      .stream(streamed(piece("ab"), new AsyncPromise[Option[Array[Byte]]]))
    advanced(parts, x)
    parts.state.endsEvents = true
    assertEquals(advanced(parts, x), "0\r\n\r\n")
    assert(x.complete)
  }

  test("and so is one that always has more, after a turn's share of it") {
    val parts  = new SessionParts
    val x      = parts.queued()
    var taken  = 0
    val always = Iterator.continually { taken += 1; "x".getBytes }
    x.response =
      Response.ok.header("Content-Type", "text/event-stream").stream(ByteStream.fromIterator(always))
    advanced(parts, x)
    assert(!x.complete)
    parts.state.endsEvents = true
    val last = advanced(parts, x)
    assertEquals(taken, 2 * ReplyWriter.PumpPieces)
    assert(last.endsWith("1\r\nx\r\n0\r\n\r\n") && x.complete, last)
  }

  test("an invitation is written before the head of a streamed reply, and never after it") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5\r\nExpect: 100-continue")
    body.stream.next()
    parts.writer.invite(body)
    parts.writer.invite(body)
    parts.writer.flush()
    assertEquals(parts.output, "HTTP/1.1 100 Continue\r\n\r\n")
  }
}
