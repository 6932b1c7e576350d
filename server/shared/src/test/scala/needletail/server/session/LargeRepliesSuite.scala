package needletail.server.session

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** Large replies to pipelined requests, for a client that reads as fast as it can. */
class LargeRepliesSuite extends Suite {
  private val size  = 300 * 1000
  private val whole = new Array[Byte](size)
  private val count = 10

  private def streamed: Response = {
    val pieces = whole.grouped(64 * 1024)
    Response.ok.stream(
      new ByteStream {
        def next(): Async[Option[Array[Byte]]] = Async.value(pieces.nextOption())
        def cancel(): Unit                     = ()
      },
      size.toLong
    )
  }

  private val first = new AsyncPromise[Response]

  private def behindFirst(request: Request): Reply =
    if (request.path == "/0") new Reply.Later(first) else streamed

  private val kinds = Seq[(String, Request => Reply)](
    ("whole", _ => Response.ok.bytes(whole)),
    ("streamed", _ => streamed),
    ("that wait for the one before", behindFirst(_))
  )

  for ((kind, reply) <- kinds)
    test(
      s"replies $kind: one turn writes so much only, whatever there is, and the rest goes on in the next"
    ) {
      val wire = new FakeWire(Handler(reply))
      wire.send(Seq.tabulate(count)(i => s"GET /$i HTTP/1.1\r\nHost: a\r\n\r\n").mkString)
      if (!first.isCompleted && kind.startsWith("that")) first.succeed(Response.ok.bytes(whole))
      wire.turn()
      assert(wire.mostInTurn <= ReplyOutput.TurnLimit + size + 4096, wire.mostInTurn)
      val output = wire.output
      assertEquals("HTTP/1\\.1 200".r.findAllIn(output).length, count)
      assert(output.length > count * size)
      assert(wire.session.isIdle)
    }
}
