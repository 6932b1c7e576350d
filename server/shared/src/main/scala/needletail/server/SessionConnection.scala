package needletail.server

import needletail.io.Connection

/** A connection whose requests are served by sessions: how long its peer may take to read what it asked for. */
private[needletail] abstract class SessionConnection(connection: Connection, context: LoopContext)
    extends ServedConnection(connection) {

  /** Set while the peer owes us reading; what had been written when it was set. */
  private var writeDeadline: Long = Long.MaxValue
  private var writtenThen: Long   = 0

  /** Until when the peer must have taken some of what waits to be written; MaxValue where nothing does. */
  protected final def writingDeadline(): Long = {
    if (connection.pendingBytes == 0) writeDeadline = Long.MaxValue
    else if (writeDeadline == Long.MaxValue) {
      writeDeadline = connection.loop.nowNanos + context.writeNanos
      writtenThen = connection.bytesWritten
    }
    writeDeadline
  }

  /** On a deadline: resets the connection whose peer has taken nothing for too long. */
  protected final def abortIfStuck(): Unit =
    if (connection.pendingBytes > 0 && connection.loop.nowNanos >= writeDeadline)
      if (connection.bytesWritten > writtenThen) writeDeadline = Long.MaxValue // it moves: begin anew
      else {
        context.counts.timeouts += 1
        connection.abort()
      }
}

private[needletail] object SessionConnection {

  /** Octets dropped after the last reply; lingering is bounded in time above all. */
  final val MaxDiscard = 256 * 1024 * 1024
}
