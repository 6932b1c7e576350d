package needletail.server.connection

import needletail.io.Connection
import needletail.server.exchange.ServerLoopContext

/** A connection whose requests are served by [[ServerSession]]s. */
private[needletail] abstract class SessionConnection(connection: Connection, context: ServerLoopContext)
    extends WatchedConnection(connection, context.writeNanos, context.counts) {

  /** Replies cannot be sent any more, so what handlers wait for is cancelled, whatever has arrived for them before. */
  private[needletail] override def onBroken(): Unit = connection.abort()
}

private[needletail] object SessionConnection {

  /** Bytes that are read and discarded after the last reply. The time for that is bounded too (`lingerTimeout`). */
  final val MaxDiscard = 256 * 1024 * 1024
}
