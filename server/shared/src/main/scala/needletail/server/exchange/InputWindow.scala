package needletail.server.exchange

import needletail.http.text.Swar

/**
 * The bytes that a connection passes to its session in one call and that are not used yet. Leftover bytes are passed
 * again, followed by more.
 *
 * @param wire may let the session keep an array that was passed to it
 */
private[server] final class InputWindow(wire: SessionOutput) {

  /** The array that contains the bytes; it belongs to the connection. Null outside of a call. */
  var bytes: Array[Byte] = null

  /** The index of the next byte. */
  var position: Int = 0

  /** Where the bytes end. */
  var limit: Int = 0

  @inline def isEmpty: Boolean = position == limit
  def available: Int           = limit - position

  /** A call begins, with these bytes. */
  @inline def open(bytes: Array[Byte], from: Int, until: Int): Unit = {
    this.bytes = bytes
    position = from
    limit = until
  }

  /** The call ends. Returns the index up to which its bytes were used. */
  @inline def close(): Int = {
    val used = position
    bytes = null
    position = 0
    limit = 0
    used
  }

  /** Skips the next `n` bytes. */
  @inline def skip(n: Int): Unit = position += n

  /** Whether bytes have been skipped that belong to no request. */
  var hasExcess: Boolean = false

  /** Skips all bytes, which belong to no request. */
  def skipAll(): Unit = if (!isEmpty) {
    hasExcess = true
    position = limit
  }

  /** Takes the next `n` bytes, in an array of their own, if possible the one that they were read into. */
  def take(n: Int): Array[Byte] = {
    val piece =
      if (n == bytes.length && wire.keepInput(bytes)) bytes
      else {
        val copy = new Array[Byte](n)
        Swar.copy(bytes, position, copy, 0, n)
        copy
      }
    position += n
    piece
  }
}
