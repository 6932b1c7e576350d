package needletail.gateway.host.backend

import scala.util.Try

import needletail.async.AsyncPromise
import needletail.testing.Suite

class AnswerBufferSuite extends Suite {
  private val piece = "piece".getBytes

  test("who stops waiting for a piece may ask for it at once, and who asks twice gets an error") {
    val buffer = new AnswerBuffer(100, () => ())
    val stream = buffer.stream
    val go     = new AsyncPromise[Option[Array[Byte]]]
    val next   = stream.next().race(go).flatMap(_ => stream.next())
    go.succeed(None)
    assertEquals(next.isCompleted, false)
    var second: Try[Any] = null
    stream.next().onComplete(second = _)
    assert(second.failed.toOption.exists(_.isInstanceOf[IllegalStateException]), second)
    var first: Try[Option[Array[Byte]]] = null
    next.onComplete(first = _)
    buffer.add(piece)
    assertEquals(first.toOption.flatten.map(_.toSeq), Some(piece.toSeq))
  }
}
