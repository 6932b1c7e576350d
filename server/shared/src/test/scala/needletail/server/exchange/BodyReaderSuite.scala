package needletail.server.exchange

import needletail.server.session.SessionParts

import needletail.async.Async
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.failure.MemoryExhausted
import needletail.server.operations.Log
import needletail.testing.Suite

/** The content of one request: what is handed out, when, and what its owner is told. */
class BodyReaderSuite extends Suite {
  private def text(piece: Async[Option[Array[Byte]]]): String = piece.resultOrNull match {
    case null            => "waits"
    case r if !r.isValue =>
      r.error match { case e: HttpError => e.status.code.toString; case e => e.toString }
    case r if r.value == None => "end"
    case r                    => new String(r.value.get)
  }

  test("content with a length is handed out as it comes, and its end is told once") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    assertEquals(body.length, 5L)
    parts.open("abc")
    assertEquals(text(body.stream.next()), "abc")
    assertEquals(body.leftKnown, 2L)
    parts.open("deGET")
    assertEquals(text(body.stream.next()), "de")
    assertEquals(parts.left, "GET")
    assert(body.isDone)
    assertEquals(text(body.stream.next()), "end")
    assertEquals(parts.reports, List("ended"))
  }

  test("a waiting reader gets bytes when they arrive") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    val next  = body.stream.next()
    assertEquals(text(next), "waits")
    assert(body.isWanted)
    assertEquals(parts.reports, List("wanted"))
    parts.open("abc")
    assert(body.feed())
    assertEquals(text(next), "abc")
    assert(!body.isWanted)
  }

  test("only one piece can be waited for at a time") {
    val body = new SessionParts().content("Content-Length: 5")
    body.stream.next()
    assert(body.stream.next().resultOrNull.error.isInstanceOf[IllegalStateException])
  }

  test("several chunks at hand are one piece, and trailers are there at the end") {
    val parts = new SessionParts
    val body  = parts.content("Transfer-Encoding: chunked")
    assertEquals(body.length, -1L)
    parts.open("1\r\na\r\n2\r\nbc\r\n0\r\nX-Sum: 3\r\n\r\nGET")
    assertEquals(text(body.stream.next()), "abc")
    assertEquals(parts.left, "GET")
    assertEquals(body.trailers.get("X-Sum"), Some("3"))
    assertEquals(text(body.stream.next()), "end")
  }

  test("chunks that are none end the reading, with 400") {
    val parts = new SessionParts
    val body  = parts.content("Transfer-Encoding: chunked")
    parts.open("x\r\n")
    assertEquals(text(body.stream.next()), "400")
    assertEquals(parts.reports, List("failed"))
    assert(parts.state.isClosed)
  }

  test("a chunk that announces more than is allowed is refused before it comes") {
    val parts = new SessionParts(config = ServerConfig(maxBody = 10, log = Log.none))
    val body  = parts.content("Transfer-Encoding: chunked")
    parts.open("b\r\n")
    assertEquals(text(body.stream.next()), "413")
    assertEquals(parts.reports, List("failed"))
  }

  test("the whole of it, as one array, up to a bound") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    parts.open("abcde")
    assertEquals(new String(body.bytes(5).resultOrNull.value), "abcde")
    val large = new SessionParts().content("Content-Length: 6")
    assertEquals(large.bytes(5).resultOrNull.error.asInstanceOf[HttpError].status, Status.ContentTooLarge)
  }

  test("content that is collected is counted in the loop's memory until the request is over") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 10000")
    body.bytes(10000)
    assert(body.held > 0)
    assertEquals(parts.context.memory.held, body.held)
    body.release()
    assertEquals(parts.context.memory.held, 0L)
  }

  test("without memory for it, it is refused, and the owner counts that") {
    val parts = new SessionParts
    parts.context.memory.setBound(8000, () => ())
    parts.context.memory.add(7000)
    val body = parts.content("Content-Length: 5000")
    assertEquals(body.bytes(6000).resultOrNull.error, MemoryExhausted)
    assertEquals(parts.reports, List("refused"))
  }

  test("unread content is dropped, and reading it fails") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    parts.reader.leave(body)
    assert(parts.state.isDropping)
    assert(body.stream.next().resultOrNull.error.isInstanceOf[IllegalStateException])
    parts.open("abc")
    assert(!body.drop())
    parts.open("deGET")
    assert(body.drop())
    assertEquals(body.droppedBytes, 5L)
    assertEquals(parts.left, "GET")
    assert(parts.state.isIdle)
  }

  test("whoever still waits for content when the reply is complete is told that none will come") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    val next  = body.stream.next()
    parts.reader.leave(body)
    assert(next.resultOrNull != null, "it would wait for ever")
    assert(next.resultOrNull.error.isInstanceOf[IllegalStateException])
    assert(!body.isWanted)
  }

  test("a failure reaches whoever waits, and all who ask later") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    val next  = body.stream.next()
    body.fail(HttpError(Status.RequestTimeout, "too slow"))
    assertEquals(text(next), "408")
    assertEquals(text(body.stream.next()), "408")
    body.fail(HttpError(Status.BadRequest, "again"))
    assertEquals(text(body.stream.next()), "408")
    assertEquals(parts.reports, List("wanted", "failed"))
  }

  test("a client that waits for 100 (Continue) gets it once when the content is read") {
    val body = new SessionParts().content("Content-Length: 5\r\nExpect: 100-continue")
    assert(body.awaitsInvitation)
    assert(!body.takeInvitation(), "nobody has asked for the content")
    body.stream.next()
    assert(body.takeInvitation())
    assert(!body.takeInvitation())
    assert(!body.awaitsInvitation)
  }

  test("no invitation follows the head of the reply, or the first bytes of the content") {
    val answered = new SessionParts().content("Content-Length: 5\r\nExpect: 100-continue")
    answered.headWritten()
    answered.stream.next()
    assert(!answered.takeInvitation())
    val parts = new SessionParts
    val early = parts.content("Content-Length: 5\r\nExpect: 100-continue")
    early.stream.next()
    parts.open("ab")
    early.feed()
    assert(!early.takeInvitation())
  }

  test("it is too slow if less than the minimum rate has arrived in the time it was waited for") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 100000")
    val ten   = 10L * 1000 * 1000 * 1000
    body.stream.next()
    body.waitBegins(1)
    parts.open("x" * 1000)
    body.waitEnds(1 + ten)
    body.feed()
    assert(body.isTooSlow(101, ten - 1))
    assert(!body.isTooSlow(99, ten - 1))
    assert(!body.isTooSlow(101, ten), "within the grace")
    assert(!body.isTooSlow(0, 0), "no rate is asked for")
  }
}
