package needletail.server.exchange

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Cancelled}
import needletail.http._
import needletail.http.message.HttpError
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
          case Success(piece)        => if (piece.exists(_.length == 5)) { reply.succeed(Response.ok); () }
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

  test("the time in which it waited is not its own, however long that was") {
    val handler = new Impatient
    val wire = new FakeWire(handler, config.copy(handlerTimeout = 5.seconds)).send(post(5)).after(8.seconds)
    handler.again(reads = false)
    assertEquals(wire.turn().after(4.seconds).statuses, Nil)
    assertEquals(wire.after(1.second).statuses, List(503))
  }

  test("what is left of its time runs between its reads") {
    val handler = new Impatient
    val wire    = new FakeWire(handler, config.copy(handlerTimeout = 5.seconds)).send(post(5))
    def after(time: FiniteDuration, reads: Boolean) = {
      wire.after(time)
      handler.again(reads)
      wire.turn().statuses
    }
    for (_ <- 1 to 2) {
      assertEquals(after(8.seconds, reads = false), Nil)
      assertEquals(after(2.seconds, reads = true), Nil)
    }
    assertEquals(wire.send("hello").statuses, List(200))
  }

  test("a read that has timed out has not used up its handler's time either") {
    var reply   = new AsyncPromise[Response]
    var failure = Option.empty[Throwable]
    val handler = Handler { (request: Request) =>
      request.body.stream.next().transform { read =>
        failure = read.failed.toOption
        reply
      }
    }
    def timedOut() = {
      val limits = config.copy(handlerTimeout = 5.seconds, bodyTimeout = 8.seconds)
      val wire   = new FakeWire(handler, limits).send(post(5)).after(8.seconds)
      assert(failure.exists(_.isInstanceOf[HttpError]), failure)
      assertEquals(wire.after(4.seconds).statuses, Nil)
      wire
    }
    assertEquals(timedOut().after(1.second).statuses, List(503))
    reply = new AsyncPromise[Response]
    val wire = timedOut()
    reply.succeed(Response.ok)
    assertEquals(wire.turn().statuses, List(200))
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
