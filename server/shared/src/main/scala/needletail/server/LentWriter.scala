package needletail.server

import needletail.http.ByteWriter

/**
 * The buffer that all connections of a loop write to, lent to one turn at a time.
 *
 * Whatever a turn leaves behind would go out on the connection whose turn comes next: one client would get another's
 * answer. So the buffer is reached through a turn only, which begins with it empty, and a turn that throws has what it
 * wrote dropped and is told to end its connection, before anything else of the loop runs.
 */
private[needletail] final class LentWriter(size: Int) {
  import LentWriter.Turn

  /** The lent buffer: to be written to in a turn only. */
  val bytes = new ByteWriter(size)

  /** Runs a turn. What it throws goes to its `aborted` and no further, unless that throws. */
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

  /** What a connection does between two waits of its loop. */
  trait Turn {

    /** Does it; hands what it has written to the connection before it returns. */
    def work(): Unit

    /**
     * `work` threw `cause`, and what it had written and not handed over is dropped: ends the connection. Throws
     * `cause` again where it is not survivable.
     */
    def aborted(cause: Throwable): Unit
  }
}
