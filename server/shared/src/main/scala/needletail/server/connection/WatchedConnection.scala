package needletail.server.connection

import needletail.io.Connection
import needletail.server.operations.LoopCounts

/**
 * A connection that resets itself if its peer does not read pending output, also after the last response when no more
 * input is read.
 *
 * @param writeNanos how long the peer may read nothing
 */
private[needletail] abstract class WatchedConnection(
    connection: Connection,
    writeNanos: Long,
    counts: LoopCounts
) extends ServedConnection(connection) {

  /**
   * When the peer must have read some output, MaxValue if none is pending; and how far it had got when that was set.
   */
  private var writeDeadline: Long = Long.MaxValue
  private var progressThen: Long  = 0
  private var unreadThen: Int     = 0 // what the kernel had taken, and the peer had not; -1 if unknown

  /** When the peer must have read some of the pending output; MaxValue if there is none. */
  protected final def writingDeadline(): Long = {
    if (!connection.isBackedUp) writeDeadline = Long.MaxValue
    else if (writeDeadline == Long.MaxValue) {
      writeDeadline = connection.loop.nowNanos + writeNanos
      progressThen = connection.outputProgress
      unreadThen = connection.unacknowledged
    }
    writeDeadline
  }

  /** The same for a connection that is being closed: it has no other deadline until all output is written. */
  protected final def watchFlushing(): Unit =
    if (connection.isBackedUp) connection.deadline = writingDeadline()

  /** To be called on a deadline: resets the connection if its peer has read nothing for too long. */
  protected final def abortIfStuck(): Unit =
    if (connection.isBackedUp && connection.loop.nowNanos >= writeDeadline) {
      connection.offerPending() // the kernel reports room in its buffer only long after a slow reader has freed it
      if (connection.outputProgress != progressThen || hasRead)
        writeDeadline = Long.MaxValue // the peer reads: its time begins anew
      else if (connection.isBackedUp) {
        counts.timeouts += 1
        connection.abort()
      }
    }

  /** Whether the peer has read some of what the kernel had taken, too little for it to take more. */
  private def hasRead: Boolean = {
    val unread = connection.unacknowledged
    unread >= 0 && unread < unreadThen
  }
}
