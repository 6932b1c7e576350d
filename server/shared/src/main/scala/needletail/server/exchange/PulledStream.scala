package needletail.server.exchange

import needletail.async.Async
import needletail.http.ByteStream

/**
 * A stream of which one or two pieces have been requested already; it begins with them.
 *
 * @param second null if only one piece was requested
 */
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
