package needletail.server.connection

import needletail.io.{Connection, ConnectionHandler}

/**
 * A connection of a [[needletail.server.tcp.TcpServer]], for any protocol. All methods are called on the connection's loop.
 */
abstract class ServedConnection(val connection: Connection) extends HeldMemory with ConnectionHandler {

  /** The links of [[LoopConnections]]: the list allocates nothing for a connection. */
  private[server] var previous: ServedConnection  = null
  private[server] var following: ServedConnection = null
  private[server] var home: ServedConnection.Home = null

  /** The idle timeout of the loop is `nanos` nanoseconds from now on. */
  def idleTimeoutChanged(nanos: Long): Unit

  /** Accept no new work, finish what is in progress, then close. */
  def drain(): Unit

  // memory; see MemoryRelief

  /**
   * Bytes that are held until the peer sends or reads something, or that it has sent ahead: all that can be released
   * without a loss to a handler at work, and output that the peer does not read, with which its handlers are lost.
   */
  private[needletail] def heldForPeer: Long =
    connection.pendingBytes.toLong + connection.unusedBytes + connection.undecryptedBytes

  private[needletail] def holdsUnread: Boolean = false

  private[needletail] def relieve(): Unit = connection.abort()

  private[needletail] final def isOutput: Boolean   = connection.isBackedUp
  private[needletail] final def offerOutput(): Unit = connection.offerPending()
  private[needletail] final def bytesSent: Long     = connection.bytesRead
  private[needletail] final def outputTaken: Long   = connection.outputProgress

  /** Calls `f` for all that is held for its peer and has a progress of its own: the connection, if there is no other. */
  private[needletail] def eachHeld(f: HeldMemory => Unit): Unit = f(this)

  /** Called when the connection is closed; to be implemented instead of `onClosed`. */
  protected def closed(cause: Throwable): Unit

  final def onClosed(cause: Throwable): Unit = {
    if (home != null) {
      if (cause != null && connection.failedHandshake) home.handshakeFailed(connection, cause)
      home.remove(this)
    }
    closed(cause)
  }
}

private[server] object ServedConnection {

  /** The list that a connection is in. */
  private[server] trait Home {
    def remove(connection: ServedConnection): Unit

    /** A peer was refused in the TLS handshake, or has refused. */
    def handshakeFailed(connection: Connection, cause: Throwable): Unit
    def replace(connection: ServedConnection, next: ServedConnection): Unit
  }
}
