package needletail.server.exchange

import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.testing.Suite

/** Streamed replies that have nothing to send, to requests whose content nobody reads. */
class SilentReplySuite extends Suite with ContentRequests {
  private val config = ServerConfig(maxBody = 100000, log = Log.none)

  /** A stream that has nothing, for content that its handler does not read. */
  private final class Idle(config: ServerConfig) {
    private val never              = new AsyncPromise[Option[Array[Byte]]]
    var cancelled                  = 0
    private val stream: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = never
      def cancel(): Unit                     = cancelled += 1
    }
    val wire = new FakeWire((_: Request) => Response.ok.stream(stream), config)
  }

  test("a streamed reply to content that is not read begins at once if all of it has come") {
    for (
      whole <-
        List(post(5) + "hello", chunkedPost + chunks, chunkedPost + chunks.dropRight(2) + "X: y\r\n\r\n")
    ) {
      val idle = new Idle(config)
      assertEquals(idle.wire.send(whole).statuses, List(200), whole)
      assertEquals(idle.wire.after(31.seconds).statuses, Nil)
      assertEquals(idle.cancelled, 0)
    }
  }

  test("not of chunks that are larger than allowed: reading them would fail") {
    val idle = new Idle(config.copy(maxBody = 4))
    assertEquals(idle.wire.send(chunkedPost + chunks).output, "")
    assertEquals(idle.wire.after(31.seconds).statuses, List(503))
  }

  private def chunks = "3;a=b\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n"

  test(
    "the same if the rest comes later, wherever it is split, and of chunks once nobody has read them for a while"
  ) {
    for ((begin, rest) <- List(post(5) -> "hello", chunkedPost -> chunks); i <- 0 until rest.length) {
      val idle = new Idle(config)
      assertEquals(idle.wire.send(begin + rest.take(i)).output, "", rest.take(i))
      idle.wire.after(100.millis).send(rest.drop(i))
      assertEquals(idle.wire.statuses, List(200), rest.take(i))
      assertEquals(idle.wire.after(31.seconds).statuses, Nil)
      assertEquals(idle.cancelled, 0)
    }
    val dripped = new Idle(config)
    dripped.wire.send(chunkedPost + "3").after(100.millis)
    chunks.drop(1).foreach(c => dripped.wire.send(c.toString))
    assertEquals(dripped.wire.statuses, List(200))
  }

  test("of chunks up to 16 KiB come though nobody reads them, as of content with a length") {
    for ((begin, end) <- Seq(post(15000) -> "", (chunkedPost + "3a98\r\n") -> "\r\n0\r\n\r\n")) {
      val idle = new Idle(config)
      idle.wire.send(begin + "x" * 1000).after(100.millis)
      for (_ <- 1 to 14) idle.wire.send("x" * 1000)
      assertEquals(idle.wire.send(end).statuses, List(200), begin)
    }
    val more = new Idle(config)
    more.wire.send(chunkedPost + "7530\r\n" + "x" * 1000).after(100.millis)
    for (_ <- 1 to 29) more.wire.send("x" * 1000)
    assertEquals(more.wire.send("\r\n0\r\n\r\n").statuses, Nil)
    assertEquals(more.wire.after(30.seconds).statuses, List(503))
  }

  test("the same if another request is behind it, which waits for its turn") {
    val fixed   = List(List("hello" + post(0)), List("hel", "lo" + post(0)), List("hello", post(0)))
    val chunked = List(List(chunks + post(0)), List(chunks, post(0)))
    for (parts <- fixed.map(post(5) :: _) ++ chunked.map(chunkedPost :: _)) {
      val idle = new Idle(config)
      idle.wire.send(parts.head + parts(1))
      parts.drop(2).foreach(idle.wire.send(_))
      assertEquals(idle.wire.statuses, List(200), parts)
      assertEquals(idle.wire.after(31.seconds).statuses, Nil)
      assertEquals(idle.cancelled, 0)
    }
  }

  test("a streamed reply whose head waits for its first piece has the handler's time for it") {
    val malformed = chunkedPost + "3\r\nabc\r\n0\r\nX\r\n\r\n"
    val large     = chunkedPost + "20000\r\n" // larger than is allowed
    for (
      begun <- List(
        post(6) + "abc",
        post(90000) + "a" * 40000,
        chunkedPost + "3\r\nabc\r\n0\r\n",
        malformed,
        large
      )
    ) {
      val idle = new Idle(config)
      assertEquals(idle.wire.send(begun).output, "")
      assertEquals(idle.wire.after(29.seconds).output, "")
      assertEquals(idle.wire.after(2.seconds).statuses, List(503))
      assertEquals(idle.cancelled, 1)
    }
  }

  test("a client that ends its side while such a head waits is given up after the grace") {
    val idle = new Idle(config.copy(halfCloseGrace = 1.second))
    idle.wire.send(post(6) + "abc").end().after(1.second)
    assertEquals((idle.cancelled, idle.wire.isFinished), (1, true))
  }
}
