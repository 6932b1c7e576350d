package needletail.server.session

import needletail.async.AsyncPromise
import needletail.http._
import needletail.testing.Suite

/** The order of replies, and what may be worked on side by side. */
class ReplyQueueSuite extends Suite {
  private def head(parts: SessionParts, method: String, more: String = ""): RequestView =
    parts.head(s"$method / HTTP/1.1\r\nHost: a\r\n$more\r\n")

  test("replies leave in the order of their requests, and the state knows whether any is owed") {
    val parts = new SessionParts
    val one   = parts.queued()
    val two   = parts.queued()
    assertEquals(parts.queue.length, 2)
    assertEquals(parts.state.server, SessionState.Replying)
    two.response = Response.ok
    assert(!parts.queue.isReady, "the first one has not come")
    one.response = Response.ok
    assert(parts.queue.isReady)
    parts.queue.pop()
    assert(parts.queue.first eq two)
    assertEquals(parts.state.server, SessionState.Replying)
    parts.queue.pop()
    assert(parts.queue.isEmpty)
    assertEquals(parts.state.server, SessionState.Free)
  }

  test("only safe requests go on side by side, and none that waits for 100 (Continue)") {
    val parts = new SessionParts
    assert(!parts.queue.mustWait(head(parts, "POST", "Content-Length: 0\r\n")), "nothing is before it")
    parts.queued("GET")
    assert(!parts.queue.mustWait(head(parts, "GET")))
    assert(parts.queue.mustWait(head(parts, "POST", "Content-Length: 0\r\n")))
    assert(parts.queue.mustWait(head(parts, "GET", "Content-Length: 1\r\nExpect: 100-continue\r\n")))
    parts.queued("POST", "Content-Length: 0\r\n")
    assert(parts.queue.mustWait(head(parts, "GET")), "an unsafe one is before it")
    parts.queue.dropAll()
    assert(!parts.queue.mustWait(head(parts, "GET")))
  }

  test("handlers that are too late are answered for, and only they") {
    val parts  = new SessionParts
    val answer = Response(Status.ServiceUnavailable)
    val late   = parts.queued()
    val later  = parts.queued()
    val done   = parts.queued()
    done.response = Response.ok
    late.listen(new AsyncPromise[Response])
    later.listen(new AsyncPromise[Response])
    later.deadline += 1000
    assertEquals(parts.queue.handlerDeadline, late.deadline)
    assertEquals(parts.queue.expireHandlers(late.deadline, answer), 1)
    assertEquals(late.response.status, Status.ServiceUnavailable)
    assertEquals(parts.queue.handlerDeadline, later.deadline)
    assert(later.response == null)
  }

  test("what is given up is told so, once, and is of no weight any more") {
    var cancelled = 0
    val parts     = new SessionParts
    val never     = new AsyncPromise[Response]
    never.onCancel(() => cancelled += 1)
    parts.queued().listen(never)
    parts.queued()
    assertEquals(parts.context.admission.inFlight, 2)
    parts.queue.dropAll()
    assertEquals(cancelled, 1)
    assertEquals(parts.context.admission.inFlight, 0)
    assertEquals(parts.queue.length, 0)
    assertEquals(parts.state.server, SessionState.Free)
    parts.queue.dropAll()
    assertEquals(cancelled, 1)
  }

  test("the first reply that has not come is given up, and what is behind it") {
    val parts = new SessionParts
    val one   = parts.queued()
    val two   = parts.queued()
    val three = parts.queued()
    one.response = Response.ok
    three.response = Response.ok
    assertEquals(parts.queue.dropUnanswered(), 2)
    assertEquals(parts.queue.length, 1)
    assert(one.next == null)
    assert(two.complete && three.complete && !one.complete)
    assertEquals(parts.queue.dropUnanswered(), 0)
    val next = parts.queued()
    assert(one.next eq next, "the queue goes on behind the one that is left")
  }

  test("the last reply is the only one") {
    val parts = new SessionParts
    val one   = parts.queued()
    val two   = parts.queued()
    parts.queue.dropOthers()
    assertEquals(parts.queue.length, 1)
    assert(two.complete && !one.complete)
  }
}
