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

  /** To be overridden instead of `onClosed`. */
  protected def closed(cause: Throwable): Unit

  final def onClosed(cause: Throwable): Unit = {
    if (home != null) home.remove(this)
    closed(cause)
  }
}

/** The connections of one loop. Used on that loop only. */
private[server] final class LoopConnections(onRemoved: () => Unit) {
  private var head: ServedConnection = null

  /** Octets of the connections that are gone. */
  var closedRead: Long    = 0
  var closedWritten: Long = 0

  def add(c: ServedConnection): Unit = {
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
    onRemoved()
  }

  def isEmpty: Boolean = head == null

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
