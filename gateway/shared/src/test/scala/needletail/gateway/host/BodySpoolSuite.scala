package needletail.gateway.host

import scala.util.Try

import needletail.async.{Async, Blocking}
import needletail.gateway.host.incoming.SizedContent
import needletail.http._
import needletail.testing.Suite

/** Bodies without a length, which are collected before a program gets them. */
class BodySpoolSuite extends Suite {

  /** A body of pieces, for which the server has room for `room` bytes. */
  private final class Bounded(pieces: Seq[Array[Byte]], room: Int) extends MessageBody {
    private val left                          = pieces.iterator
    var held                                  = 0
    var cancelled                             = false
    def length: Long                          = -1L
    def isEmpty: Boolean                      = false
    def bytes(limit: Int): Async[Array[Byte]] = bytes
    def bytes: Async[Array[Byte]]             = Async.fail(new IllegalStateException("not asked for"))
    def trailers: Headers                     = Headers.empty

    val stream: ByteStream = new ByteStream {
      def next(): Async[Option[Array[Byte]]] = Async.value(left.nextOption())
      def cancel(): Unit                     = cancelled = true
    }

    private[needletail] override def hold(more: Int): Throwable =
      if (held + more > room) HttpError(Status.ServiceUnavailable, "no room")
      else {
        held += more
        null
      }
  }

  private val spool = new BodySpool(ProgramHostConfig(spoolMemory = 65536), Blocking.default)

  /** What comes of 60,000 bytes in pieces of that size. */
  private def collected(body: Bounded): Try[SizedContent] =
    spool(body).poll.getOrElse(fail("what is collected in memory waits for nothing"))

  private def body(piece: Int, room: Int): Bounded =
    new Bounded(Seq.tabulate(60000 / piece)(i => Array.fill(piece)(i.toByte)), room)

  test("what is collected in memory is held for the client, and is no more than `spoolMemory`") {
    for (piece <- List(1, 1000, 60000)) {
      val from    = body(piece, room = 65536)
      val content = collected(from).get
      assertEquals(content.length, 60000L)
      assert(from.held >= 60000, s"${from.held} bytes are held of pieces of $piece")
      val bytes = content.stream.next().poll.flatMap(_.get).getOrElse(Array.empty[Byte])
      assert(bytes.sameElements(Array.tabulate(60000)(i => (i / piece).toByte)))
      assertEquals(content.stream.next().poll.map(_.get), Some(None))
    }
  }

  test("where there is no memory left for it, the request is refused") {
    for (piece <- List(1, 1000, 60000)) {
      val from = body(piece, room = 50000)
      assertEquals(collected(from).failed.get.asInstanceOf[HttpError].status, Status.ServiceUnavailable)
      assert(from.cancelled && from.held <= 50000)
    }
  }
}
