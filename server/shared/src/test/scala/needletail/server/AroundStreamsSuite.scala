package needletail.server

import needletail.server.session.FakeWire

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** Who ends the stream of a response that `around` has been given. */
class AroundStreamsSuite extends Suite {
  private final class Source(atCancel: () => Unit) extends ByteStream {
    private var isRead                     = false
    var cancelled                          = 0
    def next(): Async[Option[Array[Byte]]] = Async.value(if (isRead) None
    else {
      isRead = true
      Some("x".getBytes)
    })
    def cancel(): Unit = {
      cancelled += 1
      atCancel()
    }
  }

  /** A session that asks once; what the handler streams. */
  private def asked(isLater: Boolean, atCancel: () => Unit = () => ())(
      around: (Request, () => Async[Response]) => Async[Response]
  ) = {
    val source           = new Source(atCancel)
    val later            = new AsyncPromise[Response]
    val handler: Handler = Handler(_ => if (isLater) later else Async.value(Response.ok.stream(source)))
    val wire             = new FakeWire(handler.around((_, next) => next()).around(around))
    wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
    later.succeed(Response.ok.stream(source))
    (wire.turn(), source)
  }

  for (isLater <- List(false, true)) {
    val when = if (isLater) "later" else "at once"

    test(s"a failure cancels it: $when") {
      def fails: Response = throw new IllegalStateException("no")
      val ways: List[(Request, () => Async[Response]) => Async[Response]] = List(
        (_, next) => next().map(_ => fails),
        (_, next) => next().flatMap(_ => Async.fail(new IllegalStateException("no"))),
        (_, next) => { next(); Async.value(fails) }
      )
      for ((way, i) <- ways.zipWithIndex) {
        val (wire, source) = asked(isLater)(way)
        assertEquals(wire.statuses, List(500), i)
        // a response that comes when the request is over is cancelled by each around that it passes
        assertEquals(source.cancelled, if (isLater && i == 2) 2 else 1, i)
      }
    }

    test(s"so does a client that leaves while around waits: $when") {
      val waiting        = new AsyncPromise[Unit]
      val (wire, source) = asked(isLater)((_, next) => next().flatMap(r => waiting.map(_ => r)))
      wire.session.peerGone()
      wire.turn()
      assertEquals(source.cancelled, 1)
    }

    test(s"a stream that fails to be cancelled does not end the connection: $when") {
      def fails: Response = throw new IllegalStateException("no")
      for (error <- List(new IllegalStateException("cancel"), new StackOverflowError("cancel"))) {
        val (wire, source) = asked(isLater, () => throw error)((_, next) => next().map(_ => fails))
        assertEquals((wire.statuses, wire.isAborted, source.cancelled), (List(500), false, 1))
        wire.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
        assertEquals(wire.turn().statuses, List(500))
      }
    }

    test(s"a response that is sent is read to its end: $when") {
      val (wire, source) = asked(isLater)((_, next) => next().map(_.header("A", "b")))
      assertEquals((wire.statuses, source.cancelled), (List(200), 0))
    }
  }
}
