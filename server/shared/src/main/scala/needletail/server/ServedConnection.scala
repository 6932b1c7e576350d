package needletail.server

import needletail.io.{Connection, ConnectionHandler}

/**
 * A connection of a [[TcpServer]], whatever its protocol: what the server needs to know to limit and to drain.
 * All methods are called on the connection's loop.
 */
abstract class ServedConnection(val connection: Connection) extends ConnectionHandler {

  /** The loop's list of its connections, linked through them: nothing is allocated for it. */
  private[server] var previous: ServedConnection  = null
  private[server] var following: ServedConnection = null
  private[server] var home: LoopConnections       = null

  /** The loop's idle time-out has changed to so many nanoseconds. */
  def idleTimeoutChanged(nanos: Long): Unit

  /** No new work from now on: finish what is under way, then close. */
  def drain(): Unit

  // Memory; see MemoryRelief.

  /** Bytes that are held until its peer has sent or taken something. */
  private[needletail] def heldForPeer: Long =
    connection.pendingBytes.toLong + connection.unusedBytes + connection.undecryptedBytes

  /** Lets go of them, at the cost of what they were for. */
  private[needletail] def relieve(): Unit = connection.abort()

  private var askedAt: Long     = connection.loop.nowNanos
  private var lookedAt: Long    = askedAt // when its peer was last found to move, and what had moved by then
  private var movedBefore: Long = 0

  /** Has its peer sent next to nothing, or taken nothing, for a while? To be asked repeatedly while that matters. */
  private[server] final def isStalled(now: Long): Boolean = {
    val isReader = connection.pendingBytes > 0
    val patience = if (isReader) ServedConnection.ReaderPatience else ServedConnection.SenderPatience
    if (now - askedAt > patience) lookedAt = now // nobody has asked for long: its time begins
    askedAt = now
    if (now - lookedAt < patience) false
    else {
      if (isReader) connection.offerPending()
      val moved  = connection.bytesRead + connection.bytesWritten
      val least  = if (isReader) 1 else ServedConnection.LeastSent
      val stalls = moved - movedBefore < least
      if (!stalls) {
        lookedAt = now
        movedBefore = moved
      }
      stalls
    }
  }

  /** To be overridden instead of `onClosed`. */
  protected def closed(cause: Throwable): Unit

  final def onClosed(cause: Throwable): Unit = {
    if (home != null) home.remove(this)
    closed(cause)
  }
}

private object ServedConnection {

  // How long a peer may do nothing when memory is short, and what the one that sends must send in that time, in bytes:
  // a reader's progress is seen in steps of what the kernel sends as one.
  private final val SenderPatience = 1000L * 1000 * 1000
  private final val ReaderPatience = 5000L * 1000 * 1000
  private final val LeastSent      = 8 * 1024
}

/** The connections of one loop. Used on that loop only. */
private[server] final class LoopConnections {
  private var head: ServedConnection = null
  private var count                  = 0

  /** Octets of the connections that are gone. */
  var closedRead: Long    = 0
  var closedWritten: Long = 0

  def add(c: ServedConnection): Unit = {
    count += 1
    c.home = this
    c.following = head
    if (head != null) head.previous = c
    head = c
  }

  def remove(c: ServedConnection): Unit = {
    if (c.previous != null) c.previous.following = c.following else head = c.following
    if (c.following != null) c.following.previous = c.previous
    c.previous = null
    c.following = null
    c.home = null
    closedRead += c.connection.bytesRead
    closedWritten += c.connection.bytesWritten
    count -= 1
  }

  def isEmpty: Boolean = head == null
  def size: Int        = count

  /** `f` may remove the connection it is given, and no other. */
  def foreach(f: ServedConnection => Unit): Unit = {
    var c = head
    while (c != null) {
      val next = c.following
      f(c)
      c = next
    }
  }
}
