package needletail.server.exchange

import needletail.http.text.ByteWriter

/**
 * The buffer that all connections of a loop write to. It is lent to one turn at a time.
 *
 * Anything that a turn left in it would be sent on the connection whose turn comes next: one client would get
 * another's reply. So the buffer is empty when a turn begins. If the turn throws, what it wrote is dropped, and its
 * connection is aborted before anything else of the loop runs. See decision 23.
 *
 * @param size in bytes; the buffer grows beyond it if needed
 */
private[needletail] final class LentWriter(size: Int) {
  import LentWriter.Turn

  /** The buffer, to be written to in a turn only. */
  val bytes = new ByteWriter(size)

  /** Runs a turn. If it throws, its `aborted` is called; exceptions of that are thrown to the caller. */
  def lend(turn: Turn): Unit = {
    bytes.clear()
    try turn.work()
    catch {
      case e: Throwable =>
        bytes.clear()
        turn.aborted(e)
    }
  }
}

private[needletail] object LentWriter {

  /** What one connection does with the buffer. */
  trait Turn {

    /** Does the work, and passes what it has written to the connection before it returns. */
    def work(): Unit

    /**
     * Ends the connection: `work` threw `cause`, and what it had written and not passed on was dropped. Rethrows
     * `cause` if a loop cannot continue after it (`Survivable`).
     */
    def aborted(cause: Throwable): Unit
  }
}
