package needletail.server

import needletail.io.Connection

/** A connection whose requests are served by sessions. */
private[needletail] abstract class SessionConnection(connection: Connection, context: LoopContext)
    extends WatchedConnection(connection, context.writeNanos, context.counts)

private[needletail] object SessionConnection {

  /** Octets dropped after the last reply; lingering is bounded in time above all. */
  final val MaxDiscard = 256 * 1024 * 1024
}
