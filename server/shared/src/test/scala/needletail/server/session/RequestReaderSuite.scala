package needletail.server.session

import scala.concurrent.duration._

import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** Heads and content from the window, and by when the client must have sent them. */
class RequestReaderSuite extends Suite {
  private val get = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n"

  test("a whole head is found, and its bytes are used only when the session says so") {
    val parts = new SessionParts
    parts.open(get + "rest")
    val parser = parts.reader.readHead()
    assertEquals(parser.view.method, Method.GET)
    assertEquals(parts.reader.headSize, get.length)
    assertEquals(parts.left, get + "rest")
  }

  test("a head in part is remembered, and has a time of its own") {
    val parts = new SessionParts
    parts.open(get.take(10))
    assert(parts.reader.readHead() == null)
    assert(parts.reader.failed == null)
    assert(parts.state.isInHead)
    assert(parts.reader.hasBegunHead)
    val due = parts.nowNanos + parts.context.headNanos
    assertEquals(parts.reader.deadline, due)
    parts.nowNanos += 1000
    parts.open(get.take(15))
    assert(parts.reader.readHead() == null)
    parts.reader.settleDeadline(parts.nowNanos)
    assertEquals(parts.reader.deadline, due, "it does not begin anew")
    parts.open(get)
    assert(parts.reader.readHead() != null)
  }

  test("empty lines before a head are not the begin of one") {
    val parts = new SessionParts
    parts.open("\r\n")
    assert(parts.reader.readHead() == null)
    assert(!parts.reader.hasBegunHead)
  }

  test("what is no request is told with its error") {
    val parts = new SessionParts
    parts.open("GET / HTTP/1.1\r\nHost : a\r\n\r\n")
    assert(parts.reader.readHead() == null)
    assertEquals(parts.reader.failed.error.status, Status.BadRequest)
  }

  test("an idle connection has the idle time, and while draining a short one") {
    val parts = new SessionParts
    assertEquals(parts.reader.deadline, parts.nowNanos + parts.context.idleNanos)
    parts.nowNanos += 5000
    parts.reader.settleDeadline(parts.nowNanos)
    assertEquals(parts.reader.deadline, parts.nowNanos + parts.context.idleNanos)
    parts.context.idleNanos = 7
    parts.reader.idleTimeoutChanged()
    assertEquals(parts.reader.deadline, parts.nowNanos + 7)
    parts.state.isDraining = true
    parts.reader.idleAgain()
    val due = parts.nowNanos + parts.context.config.drainGrace.toNanos
    assertEquals(parts.reader.deadline, due)
    parts.nowNanos += 5000
    parts.reader.settleDeadline(parts.nowNanos)
    assertEquals(parts.reader.deadline, due, "each turn would put it off")
  }

  test("there is no deadline while replies are due, or while the content is not requested") {
    val replying = new SessionParts
    replying.queued()
    replying.reader.settleDeadline(replying.nowNanos)
    assertEquals(replying.reader.deadline, Long.MaxValue)
    val reading = new SessionParts
    reading.content("Content-Length: 5")
    reading.reader.settleDeadline(reading.nowNanos)
    assertEquals(reading.reader.deadline, Long.MaxValue)
  }

  test("requested content must arrive within the body timeout, which restarts with each piece") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5")
    body.stream.next()
    parts.reader.contentWanted()
    assertEquals(parts.reader.deadline, parts.nowNanos + parts.context.bodyNanos)
    parts.nowNanos += 1000
    parts.open("ab")
    assert(parts.reader.feed())
    assertEquals(parts.reader.deadline, parts.nowNanos + parts.context.bodyNanos)
    parts.reader.settleDeadline(parts.nowNanos)
    assertEquals(parts.reader.deadline, Long.MaxValue, "nobody wants more")
  }

  test("content that arrives too slowly fails with 408 and ends the reading") {
    val parts =
      new SessionParts(config = ServerConfig(minBodyRate = 1000, bodyGrace = 1.second, log = Log.none))
    val body = parts.content("Content-Length: 50000")
    val next = body.stream.next()
    parts.reader.contentWanted()
    parts.nowNanos += 2.seconds.toNanos
    body.waitEnds(parts.nowNanos)
    parts.open("ab")
    parts.reader.feed()
    assertEquals(new String(next.resultOrNull.value.get), "ab", "what has come is handed out")
    assert(body.isFailed)
    assert(parts.state.isClosed)
    assertEquals(parts.context.counts.timeouts, 1L)
  }

  test("content that is left is dropped up to a bound, then the reading ends") {
    val parts = new SessionParts(config = ServerConfig(maxUnreadBody = 10, log = Log.none))
    val body  = parts.content("Content-Length: 50")
    parts.reader.leave(body)
    assertEquals(parts.reader.deadline, parts.nowNanos + parts.context.bodyNanos)
    parts.open("x" * 10)
    assert(!parts.reader.drop())
    assert(parts.state.isDropping)
    parts.open("x")
    assert(!parts.reader.drop())
    assert(parts.state.isClosed)
    assert(parts.reader.body == null)
  }

  test("the last request's content is not dropped when it is left: the connection ends") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 50\r\nConnection: close")
    parts.reader.leave(body)
    assert(parts.state.isClosed)
    assert(body.isDropping)
  }

  test("when reading ends, content that has not come can't be read any more") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 50")
    parts.reader.stop()
    assert(parts.reader.body == null)
    assert(body.stream.next().resultOrNull.error.isInstanceOf[IllegalStateException])
  }

  test("an exception releases the content of the last request, in whatever state") {
    val parts = new SessionParts
    val body  = parts.content("Content-Length: 5000")
    body.bytes(5000)
    assert(parts.context.memory.held > 0)
    parts.reader.abort()
    assertEquals(parts.context.memory.held, 0L)
    assertEquals(parts.reader.deadline, Long.MaxValue)
  }
}
