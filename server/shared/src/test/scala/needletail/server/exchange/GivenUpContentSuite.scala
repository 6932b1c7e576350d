package needletail.server.exchange

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Cancelled}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.testing.Suite

/** Reads of a request's content that are given up: whose time runs then. */
class GivenUpContentSuite extends Suite with ContentRequests {
  private val config = ServerConfig(log = Log.none)

  /** A handler whose reads are given up by `again`, which reads again if it is to. */
  private final class Impatient extends Handler {
    private val reply                            = new AsyncPromise[Response]
    private var stream: ByteStream               = null
    private var read: Async[Option[Array[Byte]]] = null

    def apply(request: Request): Reply = {
      stream = request.body.stream
      again()
      new Reply.Later(reply)
    }

    def again(reads: Boolean = true): Unit = {
      if (read != null) read.cancel()
      if (reads) {
        read = stream.next()
        read.onComplete {
          case Failure(_: Cancelled) => ()
          case Failure(e)            => reply.fail(e); ()
          case Success(_)            => ()
        }
      }
    }
  }

  test("a handler that has given up a read has the time that handlers have") {
    val handler = new Impatient
    val wire    = new FakeWire(handler, config.copy(handlerTimeout = 5.seconds)).send(post(5)).after(1.second)
    handler.again(reads = false)
    assert(wire.isWoken, "its deadline is another now")
    assertEquals(wire.turn().after(3.seconds).statuses, Nil)
    assertEquals(wire.after(2.seconds).statuses, List(503))
  }

  test("reads that are given up and begun again have bodyTimeout together, until something comes") {
    val handler             = new Impatient
    val wire                = new FakeWire(handler, config.copy(handlerTimeout = 1.hour)).send(post(5))
    def seconds(count: Int) = {
      for (_ <- 1 to count) {
        wire.after(1.second)
        handler.again()
        wire.turn()
      }
      wire.statuses
    }
    assertEquals(seconds(15), Nil)
    wire.send("h")
    assertEquals(seconds(15), Nil)
    assertEquals(seconds(7), List(408))
  }
}
