package needletail.server

import needletail.io.Connection

/**
 * A connection that watches whether its peer takes what it asked for, as long as anything waits to be written: also
 * once its last reply is under way and nothing is read any more.
 */
private[needletail] abstract class WatchedConnection(
    connection: Connection,
    writeNanos: Long,
    counts: LoopCounts
) extends ServedConnection(connection) {

  /** Set while the peer owes us reading; what had been written when it was set. */
  private var writeDeadline: Long = Long.MaxValue
  private var writtenThen: Long   = 0

  /** Until when the peer must have taken some of what waits to be written; MaxValue where nothing does. */
  protected final def writingDeadline(): Long = {
    if (connection.pendingBytes == 0) writeDeadline = Long.MaxValue
    else if (writeDeadline == Long.MaxValue) {
      writeDeadline = connection.loop.nowNanos + writeNanos
      writtenThen = connection.bytesWritten
    }
    writeDeadline
  }

  /** The same for a connection that has been given its end: it has no other deadline until all is written. */
  protected final def watchFlushing(): Unit =
    if (connection.pendingBytes > 0) connection.deadline = writingDeadline()

  /** On a deadline: resets the connection whose peer has taken nothing for too long. */
  protected final def abortIfStuck(): Unit =
    if (connection.pendingBytes > 0 && connection.loop.nowNanos >= writeDeadline) {
      connection.offerPending() // a slow reader frees room in the kernel's buffer long before the kernel says so
      if (connection.bytesWritten > writtenThen) writeDeadline = Long.MaxValue // it moves: begin anew
      else if (connection.pendingBytes > 0) {
        counts.timeouts += 1
        connection.abort()
      }
    }
}
