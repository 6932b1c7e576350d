package needletail.http

import needletail.async.Async

/**
 * Octets that come in pieces, on demand: nothing is read or made before `next` is called, and the next piece
 * may be asked for only when the last one has come. Each array handed out belongs to who asked.
 */
abstract class ByteStream {

  /** The next piece, never empty; `None` at the end and ever after. A failure ends the stream. */
  def next(): Async[Option[Array[Byte]]]

  /** Says that nothing more will be asked for, and lets go of what feeds it. May be repeated. */
  def cancel(): Unit

  /**
   * The same stream, which ends when `signal` is complete and it waits for its next piece: what is there already comes
   * first. This one is cancelled then. For streams that have no end of their own:
   *
   * {{{
   * (GET / "events" + request) to (request => Response.ok.stream(events.until(request.connection.draining)))
   * }}}
   * To be called on the loop that the stream is read on.
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
        // shielded, as who loses the race is cancelled
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
  def of(content: Array[Byte]): ByteStream =
    fromIterator(if (content.length == 0) Iterator.empty else Iterator(content))

  /** The pieces of an iterator, drawn one for each demand; empty ones are passed over. */
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
