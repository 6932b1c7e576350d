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
