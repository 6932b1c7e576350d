package needletail.server.exchange

import needletail.async.{Async, Survivable, Value}
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

private[server] object PulledStream {

  /** Requests a piece. If the stream throws, or returns null, the piece has failed. */
  def pull(source: ByteStream): Async[Option[Array[Byte]]] =
    try {
      val piece = source.next()
      if (piece == null) Async.fail(new NullPointerException("a stream returned null")) else piece
    } catch { case Survivable(e) => Async.fail(e) }

  /** The piece if it is available already; null if it is not, if it failed, and at the end of the stream. */
  def content(piece: Async[Option[Array[Byte]]]): Array[Byte] = available(piece) match {
    case Some(bytes) => bytes
    case _           => null
  }

  /** Whether the piece is available already, and has that many bytes. */
  def hasLength(piece: Async[Option[Array[Byte]]], length: Long): Boolean = {
    val bytes = content(piece)
    bytes != null && bytes.length == length
  }

  /** Whether the stream is known already to end instead of that piece. */
  def isEnd(piece: Async[Option[Array[Byte]]]): Boolean = available(piece) eq None

  /** The value if it is there already; null if there is none or it failed. */
  @inline private def available(piece: Async[Option[Array[Byte]]]): Option[Array[Byte]] = {
    // streams return a `Value`, and comparing with one class is cheaper than a call that depends on the class
    val result = piece match {
      case value: Value[Option[Array[Byte]]] => value
      case other                             => other.resultOrNull
    }
    result match {
      case value: Value[Option[Array[Byte]]] => value.value
      case _                                 => null
    }
  }
}
