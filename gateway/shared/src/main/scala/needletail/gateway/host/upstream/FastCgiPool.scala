package needletail.gateway.host.upstream

import needletail.async.Async
import needletail.io.{Connector, EventLoop}

/**
 * The connections of one loop to one FastCGI server. To be used on the loop's thread.
 *
 * @param closeIdleElsewhere called when a connection is made beyond what the server accepts
 */
private[host] final class FastCgiPool(
    endpoint: Endpoint,
    loop: EventLoop,
    settings: FastCgiPool.Settings,
    closeIdleElsewhere: () => Unit
) extends FastCgiPeerOwner {
  private val idle = new java.util.ArrayDeque[FastCgiPeer] // the one used last is taken first
  private var all  = List.empty[FastCgiPeer]

  @volatile private var idleCount = 0

  def keepsConnections: Boolean = settings.keep
  def asksForValues: Boolean    = endpoint.isAsked

  /** From any thread; may be slightly out of date. */
  def hasIdle: Boolean = idleCount > 0

  /**
   * A connection for one more request; `fresh`: a new one. Fails with an IOException, also if a new one takes more than
   * `connectNanos`.
   */
  def connection(fresh: Boolean, connectNanos: Long): Async[FastCgiPeer] = {
    // idle connections are not trusted then, and would keep a server with one process from accepting the new one
    if (fresh) while (!idle.isEmpty) closeIdle()
    var found: FastCgiPeer = null
    while (found == null && !idle.isEmpty) {
      val last = idle.pollLast()
      if (last.isOpen)
        if (last.isQuiet) found = last else last.close()
    }
    idleCount = idle.size
    if (found == null && !fresh && endpoint.multiplexes)
      found = all.find(c => c.isOpen && c.inFlight < settings.multiplex).orNull
    if (found == null) connect(connectNanos) else Async.value(found)
  }

  private def connect(connectNanos: Long): Async[FastCgiPeer] = {
    var made: FastCgiPeer = null
    endpoint.open.incrementAndGet()
    if (endpoint.hasTooMany) closeIdleElsewhere()
    Connector
      .connect(endpoint.address, loop, timeoutNanos = connectNanos) { connection =>
        made = new FastCgiPeer(connection, this)
        made
      }
      .map { _ =>
        all = made :: all
        made
      }
      .andFinally(if (made == null) { endpoint.open.decrementAndGet(); () })
  }

  def requestEnded(c: FastCgiPeer): Unit =
    if (c.isOpen && c.inFlight == 0) {
      c.idle(loop.nowNanos + settings.idleNanos)
      idle.addLast(c)
      idleCount = idle.size
      // after it is visibly idle: a loop that opens one too many sees it, or is seen here
      if (endpoint.hasTooMany) closeIdle()
    }

  def closed(c: FastCgiPeer): Unit = {
    endpoint.open.decrementAndGet()
    idle.remove(c)
    idleCount = idle.size
    all = all.filterNot(_ eq c)
  }

  /** Closes an idle connection, to make room for one on another loop. */
  def closeIdle(): Unit = {
    val oldest = idle.pollFirst()
    idleCount = idle.size
    if (oldest != null) oldest.close()
  }

  def learned(multiplexes: Boolean): Unit = {
    endpoint.isAsked = false
    endpoint.learned(multiplexes && settings.multiplex > 1)
  }
}

private[host] object FastCgiPool {

  /**
   * The settings of a pool.
   *
   * @param keep whether connections are kept for the next request
   * @param multiplex maximum of concurrent requests on one connection, if the server accepts several
   * @param idleNanos how long a connection may wait for the next request
   */
  final class Settings(val keep: Boolean, val multiplex: Int, val idleNanos: Long)
}
