package needletail.http

import needletail.async.Async
import needletail.stream.Stream

/**
 * Bytes in pieces, on demand: nothing is read or produced before `next` is called. `next` must not be called again
 * before its last result is complete. The arrays belong to the caller.
 *
 * All operators of `needletail.stream.Stream` apply. A stream that they make becomes a `ByteStream` where one is
 * expected, if its elements are arrays of bytes: see `ByteStream.from`.
 */
abstract class ByteStream extends Stream[Array[Byte]] {

  /** The next piece, never empty; `None` at the end, and in every call after it. A failure ends the stream. */
  def next(): Async[Option[Array[Byte]]]

  /**
   * Ends the stream early and releases what it holds. May be called more than once. A server also calls it when all that
   * a response has announced has been sent, if the stream does not end then.
   */
  def cancel(): Unit

  /**
   * The same stream, but it ends as soon as `signal` is complete and no piece is ready; pieces that are ready come first.
   * This stream is then cancelled. For streams that never end by themselves:
   *
   * {{{
   * (GET / "events" + request) to (request => Response.ok.stream(events.until(request.connection.draining)))
   * }}}
   * Call it on the event loop that reads the stream.
   */
  override def until(signal: Async[Any]): ByteStream = ByteStream.from(super.until(signal))

  /**
   * Bytes that it holds before it is asked for any, as it was made of them; null for none. They count towards a
   * server's `memoryBudget` while a response made of the stream waits for an earlier one.
   */
  private[needletail] def inMemory: Array[Byte] = null
}

object ByteStream {

  /** The same stream without its empty pieces. The arrays must not change afterwards. */
  implicit def from(pieces: Stream[Array[Byte]]): ByteStream = pieces match {
    case bytes: ByteStream => bytes
    case _                 => new Pieces(pieces.filter(_.length > 0))
  }

  private final class Pieces(pieces: Stream[Array[Byte]]) extends ByteStream {
    def next(): Async[Option[Array[Byte]]] = pieces.next()
    def cancel(): Unit                     = pieces.cancel()
  }

  /** A stream of one piece, or of none if `content` is empty. */
  def of(content: Array[Byte]): ByteStream =
    if (content.length == 0) fromIterator(Iterator.empty) else inParts(content, content.length)

  /** The same in pieces of `most` bytes at most. */
  private[needletail] def inParts(content: Array[Byte], most: Int): ByteStream = new ByteStream {
    private var left = content // null at the end
    private var from = 0

    def next(): Async[Option[Array[Byte]]] =
      if (left == null) Async.value(None)
      else {
        val all   = left // and not the parameter, which would keep what has been read or cancelled
        val until = Math.min(from.toLong + most, all.length.toLong).toInt
        val piece = if (until - from == all.length) all else java.util.Arrays.copyOfRange(all, from, until)
        from = until
        if (from == all.length) left = null
        Async.value(Some(piece))
      }
    def cancel(): Unit                                     = left = null
    private[needletail] override def inMemory: Array[Byte] = left
  }

  /** What `next` returns while its last result is not complete. */
  private[needletail] def tooSoon: Async[Nothing] =
    Async.fail(new IllegalStateException("the previous piece of the body has not arrived yet"))

  /** The pieces of an iterator, taken one at a time on demand; empty ones are skipped. */
  def fromIterator(pieces: Iterator[Array[Byte]]): ByteStream = new ByteStream {
    private var over                       = false
    def next(): Async[Option[Array[Byte]]] = {
      var piece: Array[Byte] = null
      while (piece == null && !over)
        if (!pieces.hasNext) over = true
        else {
          piece = pieces.next()
          if (piece.length == 0) piece = null
        }
      Async.value(Option(piece))
    }
    def cancel(): Unit = over = true
  }
}
