package needletail.io

/**
 * A protocol on one connection. Every method is called on the connection's loop, one at a time, never from inside
 * another method of this interface. An exception that it throws is reported and closes the connection.
 */
trait ConnectionHandler {

  /**
   * Called with the bytes from `from` until `until`: those left over from the last call, then newly read ones.
   *
   * Returns the index up to which it has used them, from `from` to `until`. The rest is kept and passed again with
   * what is read next. The loop owns the array: it must not be used after the return (but see `Connection.keepInput`).
   * Not called while reading is paused.
   */
  def onData(bytes: Array[Byte], from: Int, until: Int): Int

  /** The peer has ended its output (half-close); writing is still possible. Called once, after all data. */
  def onEnd(): Unit

  /** The kernel has taken everything that was written, after a write had left `pendingBytes` above 0. */
  def onDrained(): Unit

  /** `connection.deadline` has passed. */
  def onDeadline(): Unit

  /**
   * The connection is broken, for example reset, or, of a Unix socket, closed by its peer, and was not being read, so that
   * bytes may be left that have arrived before. They can still be read. May be told twice. Not told on the JVM, which
   * notices it only by reading or writing.
   */
  private[needletail] def onBroken(): Unit = ()

  /**
   * Whether what the peer has sent before it broke the connection is passed on also where a write notices that first. Then
   * the write is dropped like all later ones, `onBroken` is called at the end of the turn and, after all data and whatever
   * it ends by, `onClosed` with what the write has failed by. Otherwise the connection is closed at once.
   */
  private[needletail] def readsWhenBroken: Boolean = false

  /**
   * For how many nanoseconds what a client sends is read and discarded after it was refused, by an answer because it does
   * not use TLS or by an alert of TLS, so that it gets to read that it was.
   */
  private[needletail] def refusalNanos: Long = 1000L * 1000 * 1000

  /** The connection and its descriptor are closed. Called once, last. `cause` is null for an orderly end. */
  def onClosed(cause: Throwable): Unit
}
