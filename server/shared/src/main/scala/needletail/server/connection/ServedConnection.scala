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

  /**
   * Bytes that are held until the peer sends or reads something, or that it has sent ahead: all that can be released
   * without a loss to a handler at work, and output that the peer does not read, with which its handlers are lost.
   */
  private[needletail] def heldForPeer: Long =
    connection.pendingBytes.toLong + connection.unusedBytes + connection.undecryptedBytes

  /** Whether most of that is input that waits behind a reply, whatever its peer reads. */
  private[needletail] def holdsUnread: Boolean = false

  /** Releases them: refuses or aborts the requests that they are held for. */
  private[needletail] def relieve(): Unit = connection.abort()

  private var askedAt: Long  = connection.loop.nowNanos
  private var lookedAt: Long = askedAt // when the peer last made progress, and the bytes transferred by then
  private var movedBefore: Long = 0

  /**
   * Whether the peer has sent almost nothing, or read nothing, for a while; that it reads is not enough where input
   * waits behind its reply. To be called repeatedly while memory is short.
   *
   * @param now nanoseconds of the loop's clock
   */
  private[server] final def isStalled(now: Long): Boolean = {
    val isAhead  = holdsUnread
    val isReader = connection.isBackedUp && !isAhead
    val patience = if (isReader || isAhead) ServedConnection.LongPatience else ServedConnection.SenderPatience
    if (now - askedAt > patience) lookedAt = now // not called for long: its time begins
    askedAt = now
    if (now - lookedAt < patience) false
    else {
      if (isReader) connection.offerPending()
      val moved  = connection.bytesRead + (if (isAhead) 0 else connection.outputProgress)
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
  // must send in that time. Readers get more time, since their progress shows only in steps of the kernel's buffer, and
  // so do peers that have sent something ahead, as it may be read soon.
  private final val SenderPatience = 1000L * 1000 * 1000
  private final val LongPatience   = 5000L * 1000 * 1000
  private final val LeastSent      = 8 * 1024
}
