package needletail.server.session

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** Replies that no request follows, and what is dropped behind them. */
class LastRepliesSuite extends Suite {
  private val config = ServerConfig(log = Log.none)

  private def get(path: String): String = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  for (
    (why, happens) <- List[(String, FakeWire => Unit)](
      "its client ends"     -> (wire => { wire.end(); () }),
      "its time is over"    -> (wire => { wire.after(1.minute); () }),
      "memory is reclaimed" -> (wire => { wire.session.relieve(); wire.turn(); () })
    )
  )
    test(s"a HEAD request whose head is incomplete when $why is refused without content") {
      for (method <- List("HEAD", "GET")) {
        val wire = new FakeWire(_ => Response.ok, config)
        wire.send(s"$method /a HTTP/1.1\r\nHo")
        happens(wire)
        val output = wire.output
        assert(output.startsWith("HTTP/1.1 ") && wire.isFinished, output)
        assertEquals(output.endsWith("\r\n\r\n"), method == "HEAD", output)
      }
    }

  test("content of a request that a last reply has dropped is not delivered any more") {
    val first                    = new AsyncPromise[Response]
    var read: Async[Array[Byte]] = null
    val silent                   = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = new AsyncPromise[Option[Array[Byte]]]
      def cancel(): Unit                     = ()
    }
    val wire = new FakeWire(
      request =>
        if (request.path == "/1") first
        else {
          read = request.body.bytes // not by what the reply waits for, which is cancelled
          new AsyncPromise[Response]
        },
      config
    )
    wire.send(get("/1") + "GET /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc")
    first.succeed(Response.ok.stream(silent).close)
    wire.turn()
    val held = wire.context.memory.held
    wire.send("defghij")
    assert(read.resultOrNull != null && !read.resultOrNull.isValue, read.resultOrNull)
    assertEquals(wire.context.memory.held, held)
    assert(!wire.isFinished)
  }

  test("a reply that waits for its client to read is held, whenever it became available") {
    for (isLater <- Seq(false, true)) {
      val promises = List.fill(2)(new AsyncPromise[Response])
      val next     = promises.iterator
      val wire = new FakeWire(_ => new Reply.Later(next.next()), config.copy(maxPendingOutput = 64 * 1024))
      wire.stuck = true
      wire.send(get("/") * 2)
      promises.head.succeed(Response.ok.bytes(new Array[Byte](100000)))
      if (isLater) wire.turn()
      promises.last.succeed(Response.ok.bytes(new Array[Byte](200000)))
      wire.turn()
      val held = wire.context.memory.held
      assert(held >= 200000 && held < 300000, (isLater, held))
      wire.pendingOutput = 0
      wire.session.proceed()
      assertEquals(wire.turn().statuses.size, 2)
      assert(wire.context.memory.held < 100000, (isLater, wire.context.memory.held))
    }
  }

  test("replies that become available together are written as the client reads them") {
    val promises = List.fill(8)(new AsyncPromise[Response])
    val next     = promises.iterator
    val wire     = new FakeWire(_ => new Reply.Later(next.next()), config.copy(maxPendingOutput = 64 * 1024))
    wire.stuck = true
    wire.send(get("/") * 8)
    promises.foreach(_.succeed(Response.ok.bytes(new Array[Byte](100000))))
    wire.turn()
    var statuses = wire.statuses
    while (statuses.size < 8) {
      assert(wire.pendingOutput > 64 * 1024 && wire.pendingOutput < 110000, wire.pendingOutput)
      wire.pendingOutput = 0
      wire.session.proceed()
      val more = wire.turn().statuses
      assert(more.nonEmpty)
      statuses = statuses ::: more
    }
    assertEquals(statuses, List.fill(8)(200))
  }
}
