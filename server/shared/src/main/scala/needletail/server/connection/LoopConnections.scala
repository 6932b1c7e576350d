package needletail.server.connection

import needletail.io.Connection

/**
 * The connections of one loop, as an intrusive linked list. Used on that loop only.
 *
 * @param onFailedHandshake called with a connection whose TLS handshake failed, and why
 */
private[server] final class LoopConnections(onFailedHandshake: (Connection, Throwable) => Unit)
    extends ServedConnection.Home {
  private var head: ServedConnection = null
  private var count                  = 0

  /** Bytes read from connections that are closed. */
  var closedRead: Long = 0

  /** Bytes written to connections that are closed. */
  var closedWritten: Long = 0

  def add(c: ServedConnection): Unit = {
    count += 1
    c.home = this
    c.following = head
    if (head != null) head.previous = c
    head = c
  }

  def handshakeFailed(connection: Connection, cause: Throwable): Unit = onFailedHandshake(connection, cause)

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

  /** `next` takes the place of `c`, for the same connection. */
  def replace(c: ServedConnection, next: ServedConnection): Unit = {
    next.home = this
    next.previous = c.previous
    next.following = c.following
    if (next.previous != null) next.previous.following = next else head = next
    if (next.following != null) next.following.previous = next
    c.previous = null
    c.following = null
    c.home = null
  }

  def isEmpty: Boolean = head == null
  def size: Int        = count

  /** Calls `f` for each connection. `f` may remove the connection it is given, and no other. */
  def foreach(f: ServedConnection => Unit): Unit = {
    var c = head
    while (c != null) {
      val next = c.following
      f(c)
      c = next
    }
  }
}
