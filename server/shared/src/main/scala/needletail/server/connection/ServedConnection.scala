package needletail.server.connection

import needletail.io.{Connection, ConnectionHandler}

/**
 * A connection of a [[needletail.server.tcp.TcpServer]], for any protocol. All methods are called on the connection's loop.
 */
abstract class ServedConnection(val connection: Connection) extends ConnectionHandler {

  /** The links of [[LoopConnections]]: the list allocates nothing for a connection. */
  private[server] var previous: ServedConnection  = null
  private[server] var following: ServedConnection = null
  private[server] var home: ServedConnection.Home = null

  /** The idle timeout of the loop is `nanos` nanoseconds from now on. */
  def idleTimeoutChanged(nanos: Long): Unit

  /** Accept no new work, finish what is in progress, then close. */
  def drain(): Unit

  // memory; see MemoryRelief

  /** Bytes that are held until the peer sends or reads something. */
  private[needletail] def heldForPeer: Long =
    connection.pendingBytes.toLong + connection.unusedBytes + connection.undecryptedBytes

  /** Releases them: refuses or aborts the requests that they are held for. */
  private[needletail] def relieve(): Unit = connection.abort()

  private var askedAt: Long  = connection.loop.nowNanos
  private var lookedAt: Long = askedAt // when the peer last made progress, and the bytes transferred by then
  private var movedBefore: Long = 0

  /**
   * Whether the peer has sent almost nothing, or read nothing, for a while. To be called repeatedly while memory is
   * short.
   *
   * @param now nanoseconds of the loop's clock
   */
  private[server] final def isStalled(now: Long): Boolean = {
    val isReader = connection.isBackedUp
    val patience = if (isReader) ServedConnection.ReaderPatience else ServedConnection.SenderPatience
    if (now - askedAt > patience) lookedAt = now // not called for long: its time begins
    askedAt = now
    if (now - lookedAt < patience) false
    else {
      if (isReader) connection.offerPending()
      val moved  = connection.bytesRead + connection.outputProgress
      val least  = if (isReader) 1 else ServedConnection.LeastSent
      val by     = moved - movedBefore // negative if a count has overflowed
      val stalls = by >= 0 && by < least
      if (!stalls) {
        lookedAt = now
        movedBefore = moved
      }
      stalls
    }
  }

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

  // How long a peer may make no progress while memory is short, in nanoseconds, and how many bytes a peer that sends
  // must send in that time. Readers get more time, since their progress shows only in steps of the kernel's buffer.
  private final val SenderPatience = 1000L * 1000 * 1000
  private final val ReaderPatience = 5000L * 1000 * 1000
  private final val LeastSent      = 8 * 1024
}
