package needletail.http

import needletail.async.Async

/**
 * Bytes in pieces, on demand: nothing is read or produced before `next` is called. `next` must not be called again
 * before its last result is complete. The arrays belong to the caller.
 */
abstract class ByteStream {

  /** The next piece, never empty; `None` at the end, and in every call after it. A failure ends the stream. */
  def next(): Async[Option[Array[Byte]]]

  /** Ends the stream early and releases what it holds. May be called more than once. */
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
  def until(signal: Async[Any]): ByteStream = new UntilStream(this, signal)
}

private final class UntilStream(stream: ByteStream, signal: Async[Any]) extends ByteStream {
  private var over = false

  def next(): Async[Option[Array[Byte]]] =
    if (over) UntilStream.end
    else {
      val piece = stream.next()
      if (piece.isCompleted) piece
      else if (signal.isCompleted) finish()
      else
        // shielded, as the loser of a race is cancelled
        piece.map(UntilStream.come).race(signal.shield.map(UntilStream.ended)).flatMap {
          case null  => finish()
          case piece => Async.value(piece)
        }
    }

  private def finish(): Async[Option[Array[Byte]]] = {
    cancel()
    UntilStream.end
  }

  def cancel(): Unit = if (!over) {
    over = true
    stream.cancel()
  }
}

private object UntilStream {
  val end: Async[Option[Array[Byte]]]                  = Async.value(None)
  val come: Option[Array[Byte]] => Option[Array[Byte]] = piece => piece
  val ended: Any => Option[Array[Byte]]                = _ => null
}

object ByteStream {

  /** A stream of one piece, or of none if `content` is empty. */
  def of(content: Array[Byte]): ByteStream =
    fromIterator(if (content.length == 0) Iterator.empty else Iterator(content))

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
