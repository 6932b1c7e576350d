package needletail.io

/**
 * What a protocol does with a connection. Every method is called on the connection's loop, one at a time,
 * never from inside one of this interface's own methods.
 */
trait ConnectionHandler {

  /**
   * Octets have come: `bytes` from `from` until `until`, with what was left over before in front.
   *
   * Answers up to where they have been used (between `from` and `until`); the rest is kept and comes again, in
   * front of what is read next. The array is the loop's own: nothing of it may be kept after the return.
   * While the connection's reading is paused this is not called.
   */
  def onData(bytes: Array[Byte], from: Int, until: Int): Int

  /** The peer will send no more (half-close); what it is owed can still be written. Called once, after all data. */
  def onEnd(): Unit

  /** What was written has gone to the kernel, after `pendingBytes` had been above zero when a write returned. */
  def onDrained(): Unit

  /** `connection.deadline` has passed. */
  def onDeadline(): Unit

  /** The connection is gone and its descriptor closed; called once, last. `cause` is null for an orderly end. */
  def onClosed(cause: Throwable): Unit
}
