package needletail.server

import needletail.async.Async
import needletail.http.ByteStream

/** A stream of which one piece, or two (else `second` is null), has been asked for already: it begins with them. */
private[server] final class PulledStream(
    private var first: Async[Option[Array[Byte]]],
    private var second: Async[Option[Array[Byte]]],
    rest: ByteStream
) extends ByteStream {
  def next(): Async[Option[Array[Byte]]] =
    if (first == null) rest.next()
    else {
      val piece = first
      first = second
      second = null
      piece
    }

  def cancel(): Unit = rest.cancel()
}
