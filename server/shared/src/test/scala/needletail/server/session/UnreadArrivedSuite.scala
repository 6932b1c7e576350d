package needletail.server.session

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** Content that has arrived, and that nobody has read for a while: what is behind it is not lost. */
class UnreadArrivedSuite extends Suite {
  private val config = ServerConfig(log = Log.none, halfCloseGrace = 1.second)
  private val get    = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  private val begin  = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n"
  private val chunks = begin + "0\r\n\r\n"
  private val sized  = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello"

  /** A client that has sent something some time ago, and a handler of its content that goes on when told so. */
  private final class Waiting(sent: String*)(
      read: Request => Async[String],
      limits: ServerConfig = config
  ) {
    val go = new AsyncPromise[Unit]

    private def answer(request: Request): Async[Response] =
      if (request.body.isEmpty) Async.value(Response.ok)
      else go.flatMap(_ => read(request)).map(Response.ok(_))

    val wire = new FakeWire(request => answer(request), limits)
    sent.foreach(wire.send(_).after(100.millis))
  }

  private val unread: Request => Async[String] = _ => Async.value("unread")

  test("requests behind it are served, and the connection is idle then") {
    for (post <- Seq(chunks, sized); reads <- Seq(true, false); behind <- Seq(Nil, Seq(get), Seq(get, get))) {
      val clue = s"$post reads: $reads, ${behind.size} behind"
      val w    = new Waiting((post +: behind)*)(if (reads) _.text else unread)
      w.go.succeed(())
      assertEquals(w.wire.turn().statuses, List.fill(1 + behind.size)(200), clue)
      assert(w.wire.session.isIdle && !w.wire.isFinished, clue)
      assertEquals(w.wire.send(get).statuses, List(200), clue)
    }
  }

  test("the same where the client has ended its side meanwhile: the connection ends then") {
    for (post <- Seq(chunks, sized); reads <- Seq(true, false); behind <- Seq(Nil, Seq(get), Seq(get, get))) {
      val clue = s"$post reads: $reads, ${behind.size} behind"
      val w    = new Waiting((post +: behind)*)(if (reads) _.text else unread)
      w.wire.end().after(500.millis)
      w.go.succeed(())
      assertEquals(w.wire.turn().statuses, List.fill(1 + behind.size)(200), clue)
      assert(w.wire.isFinished && !w.wire.isAborted, clue)
    }
  }

  test("what is behind chunks may be the part of a head, and they may not be complete: a 400") {
    val cut = new Waiting(chunks, get.dropRight(2))(_.text)
    cut.wire.end()
    cut.go.succeed(())
    assertEquals(cut.wire.turn().statuses, List(200, 400))
    assert(cut.wire.isFinished)
    for ((reads, status) <- Seq(true -> 400, false -> 200)) {
      val half = new Waiting(begin)(if (reads) _.text else unread)
      half.wire.end()
      half.go.succeed(())
      assertEquals(half.wire.turn().statuses, List(status))
      assert(half.wire.isFinished)
    }
  }

  /** A request with content that is left unread, with or without a length, and allowed or not. */
  private val rejected = Seq(chunks -> 1000L, chunks -> 4L, sized -> 1000L).map { case (post, maxBody) =>
    (post.replace("POST /", "POST /left"), config.copy(maxBody = maxBody))
  }

  private def readUnlessLeft(request: Request): Async[String] =
    if (request.path == "/left") Async.value("left") else request.text

  test("a request that is cut off, behind content that is left unread, is a 400") {
    val small = Seq(sized.replace("5\r\n\r\nhello", "3\r\n\r\nabc"), chunks.replace("5\r\nhello", "3\r\nabc"))
    val whole = get +: small
    for ((left, config) <- rejected; next <- whole; size <- 1 until next.length) {
      val cut = next.take(size)
      for (sent <- Seq(Seq(left + cut), Seq(left, cut)); isEarly <- Seq(true, false)) {
        val clue = s"${sent.mkString(" | ")}, at most ${config.maxBody}, ended early: $isEarly"
        val w    = new Waiting(sent*)(readUnlessLeft, config)
        if (isEarly) w.wire.end().after(500.millis)
        w.go.succeed(())
        if (!isEarly) w.wire.turn().end()
        assertEquals(w.wire.turn().statuses, List(200, 400), clue)
        assert(w.wire.isFinished && !w.wire.isAborted, clue)
      }
    }
  }

  test("requests behind content that is left unread are served, also where that is larger than allowed") {
    for ((left, config) <- rejected; behind <- Seq(Nil, Seq(get), Seq(get, get)); ends <- Seq(true, false)) {
      val w = new Waiting((left +: behind)*)(readUnlessLeft, config)
      if (ends) w.wire.end().after(500.millis)
      w.go.succeed(())
      assertEquals(w.wire.turn().statuses, List.fill(1 + behind.size)(200), s"$left, ${behind.size} behind")
      assertEquals(w.wire.isFinished, ends)
    }
  }

  test("content that is larger than allowed is a 413 where it is read, also after the client's end") {
    val w = new Waiting(chunks, get)(_.text, config.copy(maxBody = 4))
    w.wire.end().after(500.millis)
    w.go.succeed(())
    assertEquals(w.wire.turn().statuses, List(413))
    assert(w.wire.isFinished && !w.wire.isAborted)
  }

  test("a handler that does not go on within the grace is cancelled, and the connection ends") {
    for (post <- Seq(begin, chunks, sized)) { // the end is not noticed while a request waits behind it
      val w = new Waiting(post)(_.text)
      w.wire.end().after(1.second)
      assertEquals(w.wire.output, "", post)
      assert(w.wire.isFinished && !w.wire.isAborted, post)
    }
  }

  test("content behind a reply that was due counts as content of the first request once that is written") {
    val first, last = new AsyncPromise[Response]
    val wire        = new FakeWire(request =>
      if (request.path == "/1") first else request.text.flatMap(_ => last)
    )
    wire.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nabc")
    assert(!wire.session.memory.readsContent)
    first.succeed(Response.ok("1"))
    wire.stuck = true
    assertEquals(wire.turn().statuses, List(200))
    assert(!wire.session.memory.readsContent, "the client has not read the first reply")
    wire.unstick()
    assert(wire.session.memory.readsContent)
  }
}
