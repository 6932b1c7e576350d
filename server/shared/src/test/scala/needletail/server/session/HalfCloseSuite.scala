package needletail.server.session

import needletail.server.config.ServerConfig
import needletail.server.{RawClient, Server}
import needletail.server.tcp.{Answer, TcpServer}
import needletail.server.operations.Log

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.io.Address
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite

/** A client that has ended its side of the connection: it may still read, or be gone. */
class HalfCloseSuite extends Suite {
  private val get    = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
  private val config = ServerConfig(log = Log.none, halfCloseGrace = 1.second)

  private final class Waiting(maxPipelined: Int = config.maxPipelined) {
    val promise   = new AsyncPromise[Response]
    var cancelled = false
    promise.onCancel(() => cancelled = true)
    val wire =
      new FakeWire((_: Request) => new Reply.Later(promise), config.copy(maxPipelined = maxPipelined))
  }

  test("an answer that comes within the grace is sent") {
    val w = new Waiting
    w.wire.send(get).end().after(900.millis)
    assert(!w.cancelled && !w.wire.isFinished)
    w.promise.succeed(Response.ok("late"))
    assert(w.wire.turn().output.endsWith("late"))
    assert(w.wire.isFinished)
  }

  test("after it what the handler waits for is cancelled and the connection ends without an answer") {
    val w = new Waiting
    w.wire.send(get).end().after(1.second)
    assert(w.cancelled && w.wire.isFinished && !w.wire.isAborted)
    assertEquals(w.wire.output, "")
    assertEquals(w.wire.context.counts.abandoned, 1L)
  }

  test("what is being streamed goes on, what waits behind it does not") {
    val piece     = new AsyncPromise[Option[Array[Byte]]]
    val behind    = new AsyncPromise[Response]
    var sent      = 0
    var cancelled = false
    behind.onCancel(() => cancelled = true)
    val stream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        sent += 1
        if (sent == 1) Async.value(Some("one".getBytes)) else if (sent == 2) piece else Async.value(None)
      }
      def cancel(): Unit = fail("the stream was cancelled")
    }
    var asked = 0
    val wire  = new FakeWire(
      (_: Request) => {
        asked += 1
        if (asked == 1) Response.ok.stream(stream) else new Reply.Later(behind)
      },
      config
    )
    wire.send(get + get).end().after(5.seconds)
    assert(cancelled && !wire.isFinished)
    piece.succeed(Some("two".getBytes))
    assert(wire.turn().output.endsWith("3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"))
    assert(wire.isFinished)
  }

  test("a stream that has nothing for a client that has ended its side is given up after streamKeepAlive") {
    val pieces    = Vector.fill(3)(new AsyncPromise[Option[Array[Byte]]])
    var cancelled = 0
    var asked     = 0
    val stream    = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = { asked += 1; pieces(asked - 1) }
      def cancel(): Unit                     = cancelled += 1
    }
    val wire = new FakeWire(_ => Response.ok.stream(stream), config)
    wire.send(get).end().after(1.second)
    for (i <- 0 to 1) { // as long as it sends something, the client is taken to read
      wire.after(59.seconds)
      pieces(i).succeed(Some("x".getBytes))
      wire.turn().after(1.second)
      assertEquals((cancelled, wire.isFinished, wire.isAborted), (0, false, false))
    }
    wire.after(59.seconds)
    assertEquals((cancelled, wire.isFinished), (0, false))
    wire.after(1.second)
    assertEquals((cancelled, wire.isAborted), (1, true)) // reset: it must not look complete
    val kept = new FakeWire(_ => Response.ok.stream(stream), config.copy(streamKeepAlive = 0.seconds))
    asked = 2
    assert(!kept.send(get).end().after(1.second).after(1.hour).isAborted)
  }

  test("a stream of events that waits ends after the grace: such a client has gone") {
    val waiting   = new AsyncPromise[Option[Array[Byte]]]
    var cancelled = 0
    var asked     = 0
    val stream    = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = {
        asked += 1
        if (asked == 1) Async.value(Some("data: 1\n\n".getBytes)) else waiting
      }
      def cancel(): Unit = cancelled += 1
    }
    val wire = new FakeWire(_ => Response.ok.contentType("text/event-stream").stream(stream), config)
    wire.send(get).end().after(900.millis)
    assertEquals((cancelled, wire.isFinished), (0, false))
    assert(wire.after(100.millis).turn().output.endsWith("9\r\ndata: 1\n\n\r\n0\r\n\r\n"))
    assertEquals((cancelled, wire.isFinished), (1, true))
  }

  /** By what a client asks that sends nothing else: without `Connection: close`, or a version, another may follow. */
  private val asks = Seq(
    "keep-alive"        -> get,
    "Connection: close" -> "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
    "HTTP/1.0"          -> "GET / HTTP/1.0\r\n\r\n",
    "content that is not read"
      -> "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
    "the same, Connection: close"
      -> "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 5\r\n\r\nhello"
  )

  for ((name, ask) <- asks)
    test(s"$name: the client's end is noticed, its answer is sent if it comes within the grace") {
      val w = new Waiting
      w.wire.send(ask).end().after(900.millis)
      assert(!w.cancelled && !w.wire.isFinished)
      w.promise.succeed(Response.ok("late"))
      val output = w.wire.turn().output
      assert(output.startsWith("HTTP/1.1 200 ") && output.endsWith("late"), output)
      assert(w.wire.isFinished)
      val v = new Waiting
      v.wire.send(ask).end().after(1.second)
      assert(v.cancelled && v.wire.isFinished && !v.wire.isAborted)
      assertEquals(v.wire.output, "")
      assertEquals(v.wire.context.counts.abandoned, 1L)
    }

  test("content that had arrived before the client's end is read after it") {
    for (ask <- Seq(asks(3)._2, asks(4)._2)) {
      val go   = new AsyncPromise[Unit]
      val wire = new FakeWire(request => go.flatMap(_ => request.text).map(Response.ok(_)), config)
      wire.send(ask.dropRight(2)).send("lo").end().after(500.millis)
      go.succeed(())
      val output = wire.turn().output
      assert(output.startsWith("HTTP/1.1 200 ") && output.endsWith("\r\n\r\nhello"), output)
      assert(wire.isFinished)
    }
  }

  test("content that had not all arrived is a 400, as it will not be complete") {
    val go   = new AsyncPromise[Unit]
    val wire = new FakeWire(request => go.flatMap(_ => request.text).map(Response.ok(_)), config)
    wire.send(asks(3)._2.dropRight(1)).end()
    go.succeed(())
    assertEquals(wire.turn().statuses, List(400))
    assert(wire.isFinished)
  }

  test("content that has arrived is read where the client stays, and the next request after it") {
    val go   = new AsyncPromise[Unit]
    val wire = new FakeWire(request => go.flatMap(_ => request.text).map(Response.ok(_)), config)
    wire.send(asks(3)._2)
    assert(wire.session.watchesForEnd(hasUnused = false))
    go.succeed(())
    assertEquals(wire.turn().statuses, List(200))
    assertEquals(wire.send(get).statuses, List(200))
    assert(!wire.isFinished)
  }

  test("what a client sends behind its last request, or behind content that nobody reads, is not read on") {
    for ((name, ask) <- asks.drop(1)) {
      val w = new Waiting
      w.wire.send(ask)
      assert(w.wire.session.watchesForEnd(hasUnused = false), name)
      w.wire.send("more")
      assert(!w.wire.session.wantsInput && !w.wire.session.watchesForEnd(hasUnused = false), name)
    }
  }

  test("a client that has sent as many requests as may be in progress is noticed, too") {
    val w = new Waiting(maxPipelined = 1)
    w.wire.send(get).end().after(900.millis)
    assert(!w.cancelled && !w.wire.isFinished)
    w.promise.succeed(Response.ok("late"))
    assert(w.wire.turn().output.endsWith("late"))
    assert(w.wire.isFinished)
    val two = new Waiting(maxPipelined = 2)
    two.wire.send(get + get).end().after(1.second)
    assert(two.cancelled && two.wire.isFinished && !two.wire.isAborted)
    assertEquals(two.wire.output, "")
  }

  test("a request beyond those waits unread behind its first bytes, and is served after a reply") {
    var asked     = 0
    val promises  = Seq.fill(2)(new AsyncPromise[Response])
    val pipelined = config.copy(maxPipelined = 1)
    val wire      = new FakeWire(
      (_: Request) => {
        asked += 1
        new Reply.Later(promises(asked - 1))
      },
      pipelined
    )
    wire.send(get + get.dropRight(1))
    assert(!wire.session.wantsInput && !wire.session.watchesForEnd(hasUnused = true))
    assertEquals(asked, 1)
    promises(0).succeed(Response.ok("one"))
    assert(wire.turn().output.endsWith("one"))
    assert(wire.session.wantsInput)
    wire.send(get.takeRight(1))
    assertEquals(asked, 2)
    assert(wire.session.watchesForEnd(hasUnused = false))
    promises(1).succeed(Response.ok("two"))
    assert(wire.turn().output.endsWith("two"))
    assert(!wire.isFinished)
  }

  private def post(fields: String) = s"POST / HTTP/1.1\r\nHost: a\r\n$fields\r\n\r\n"
  private val large                =
    Seq(
      "a length" -> post("Content-Length: 1000000"),
      "chunks"   -> (post("Transfer-Encoding: chunked") + "fff\r\n")
    )

  test("of content that nobody has read for a while a little is read, so that the client's end is noticed") {
    for ((name, ask) <- large; before <- List("", "x" * 1000)) {
      val w = new Waiting
      w.wire.send(ask + before)
      assert(!w.wire.session.watchesForEnd(hasUnused = true), name)
      w.wire.after(99.millis)
      assert(!w.wire.session.watchesForEnd(hasUnused = true), name)
      w.wire.after(1.milli)
      assert(w.wire.session.watchesForEnd(hasUnused = true), name)
      w.wire.send("x" * 7000).end().after(1.second)
      assert(w.cancelled && w.wire.isFinished, s"$name, ${before.length}")
      val v = new Waiting
      v.wire.send(ask + before).after(100.millis).send("x" * 7000).send("x" * 2000)
      if (name == "chunks") v.wire.send("x" * 7500) // they may be all, until there are more than 16 KiB
      assert(!v.wire.session.watchesForEnd(hasUnused = true), s"$name: it waits")
    }
  }

  test("chunks that had arrived before the client's end are read after it; if they are not all, a 400") {
    val hello = "5\r\nhello\r\n"
    for ((chunks, status) <- Seq(s"${hello}0\r\n\r\n" -> 200, hello -> 400, hello.take(6) -> 400)) {
      val go   = new AsyncPromise[Unit]
      val wire = new FakeWire(request => go.flatMap(_ => request.text).map(Response.ok(_)), config)
      wire.send(post("Transfer-Encoding: chunked") + chunks).after(100.millis).end().after(900.millis)
      go.succeed(())
      val output = wire.turn().output
      assert(output.startsWith(s"HTTP/1.1 $status "), s"$chunks: $output")
      if (status == 200) assert(output.endsWith("\r\n\r\nhello"), output)
      assert(wire.isFinished)
    }
  }

  private val onSockets =
    config.copy(address = Address.Tcp("127.0.0.1", 0), loops = 1, halfCloseGrace = 100.millis)

  test("over a socket: a client that just closes, or resets, is noticed while its handler waits") {
    @volatile var asked     = 0
    @volatile var cancelled = 0
    val handler: Handler    = _ => {
      val never = new AsyncPromise[Response]
      never.onCancel(() => cancelled += 1)
      asked += 1
      new Reply.Later(never)
    }
    for (maxPipelined <- Seq(16, 1)) {
      asked = 0
      cancelled = 0
      val server = Server(handler, onSockets.copy(maxPipelined = maxPipelined)).start()
      try
        for (((name, ask), i) <- (asks ++ asks).zipWithIndex) {
          val client = new RawClient(server.port).send(ask)
          eventually(asked == i + 1, name)
          if (i >= asks.length) client.socket.setSoLinger(true, 0)
          client.close()
          eventually(cancelled == i + 1, s"$name, at most $maxPipelined")
          eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
        }
      finally { Await.result(server.close(), 20.seconds); () }
    }
  }

  test("over a socket: the same in the middle of a large content, of which its handler has read a piece") {
    @volatile var asked     = 0
    @volatile var cancelled = 0
    val handler: Handler    = request =>
      new Reply.Later(request.body.stream.next().flatMap { _ =>
        val never = new AsyncPromise[Response]
        never.onCancel(() => cancelled += 1)
        asked += 1
        never
      })
    val server = Server(handler, onSockets.copy(handlerTimeout = 60.seconds)).start()
    try
      for (((name, ask), i) <- (large ++ large).zipWithIndex) {
        val client = new RawClient(server.port).send(ask + "x")
        eventually(asked == i + 1, name)
        client.send("x" * 1000)
        if (i >= large.length) client.socket.setSoLinger(true, 0)
        client.close()
        eventually(cancelled == i + 1, name)
        eventually(Await.result(server.statistics, 20.seconds).connectionsOpen == 0)
      }
    finally { Await.result(server.close(), 20.seconds); () }
  }

  test("over a socket: a client that ends its side after its request gets its answer") {
    val handler: Handler = request => Async.sleep(50.millis).flatMap(_ => request.text).map(Response.ok(_))
    val server           = Server(handler, onSockets.copy(halfCloseGrace = 20.seconds)).start()
    try
      for ((name, ask) <- asks) {
        val client = new RawClient(server.port).send(ask)
        client.socket.shutdownOutput()
        val answer = client.readAll()
        assert(answer.startsWith("HTTP/1.1 200 "), s"$name: $answer")
        assert(answer.endsWith("\r\n\r\n" + (if (ask.startsWith("POST")) "hello" else "")), s"$name: $answer")
        client.close()
      }
    finally { Await.result(server.close(), 20.seconds); () }
  }

  test("over a socket: the same for another protocol, and what others share is not cancelled") {
    val shared              = new AsyncPromise[Answer[Int]]
    @volatile var cancelled = false
    shared.onCancel(() => cancelled = true)
    object Bytes extends Codec[Int, Int] {
      def decoder(): Decoder[Int] = (bytes, from, _) => Decoded.Message(bytes(from).toInt, from + 1)
      def encode(answer: Int)     = Array(answer.toByte)
    }
    val server = TcpServer.serve(Bytes, onSockets)(_ => n => if (n == 'x') Answer('y'.toInt) else shared)
    try {
      val one   = new RawClient(server.port).send("a")
      val other = new RawClient(server.port).send("axx") // two wait their turn
      eventually(Await.result(server.statistics, 20.seconds).requests == 2)
      one.socket.shutdownOutput()
      assertEquals(one.readAll(), "")
      assert(!cancelled)
      other.close()
      eventually(cancelled)
    } finally { Await.result(server.close(), 20.seconds); () }
  }

  test("what came while an answer of another protocol was awaited is answered after it") {
    object Bytes extends Codec[Int, Int] {
      def decoder(): Decoder[Int] = (bytes, from, _) => Decoded.Message(bytes(from).toInt, from + 1)
      def encode(answer: Int)     = Array(answer.toByte)
    }
    val gate   = scala.concurrent.Promise[Unit]()
    val server =
      TcpServer.serve(Bytes, onSockets)(_ => n => Async.fromFuture(gate.future).flatMap(_ => Answer(n)))
    try {
      val client = new RawClient(server.port).send("a")
      eventually(Await.result(server.statistics, 20.seconds).requests == 1)
      client.send("b").send("c")
      eventually(Await.result(server.statistics, 20.seconds).bytesRead == 3)
      gate.success(())
      assertEquals(client.readUntil("c"), "abc")
      client.close()
    } finally { Await.result(server.close(), 20.seconds); () }
  }

  test(
    "messages of another protocol that came before the client's end are answered, also those that waited"
  ) {
    val Large = 4 * 1024 * 1024 // more than may wait for the client
    object Bytes extends Codec[Int, Int] {
      def decoder(): Decoder[Int] = (bytes, from, _) => Decoded.Message(bytes(from).toInt, from + 1)
      def encode(answer: Int)     = Array.fill(if (answer == 'L') Large else 1)(answer.toByte)
    }
    for (sent <- List("g", "gg", "gxg", "ggL", "gLL", "gLg")) {
      val gate    = scala.concurrent.Promise[Unit]()
      val patient = onSockets.copy(halfCloseGrace = 20.seconds)
      val server  = TcpServer.serve(Bytes, patient)(_ =>
        n => if (n == 'g') Async.fromFuture(gate.future).flatMap(_ => Answer(n)) else Answer(n)
      )
      try {
        val client = new RawClient(server.port).send(sent)
        client.socket.shutdownOutput()
        val other = new RawClient(server.port)
        for (_ <- 1 to 3) assertEquals(other.send("x").readUntil("x"), "x") // the loop has seen the end since
        gate.success(())
        val expected = sent.map(c => c -> (if (c == 'L') Large else 1))
        val answered = client.readAll()
        assertEquals(answered.length, expected.map(_._2).sum, sent)
        assertEquals(answered.filter(_ != 'L'), sent.filter(_ != 'L'))
        other.close()
      } finally { Await.result(server.close(), 20.seconds); () }
    }
  }
}
