package needletail.gateway.host

import needletail.async.Async
import needletail.io.{Connector, EventLoop}

/** The connections of one loop to one FastCGI server. */
private[host] final class FastCgiPool(endpoint: Endpoint, loop: EventLoop, config: UpstreamConfig) {
  private val idle = new java.util.ArrayDeque[FastCgiPeer] // the one used last is taken first
  private var all  = List.empty[FastCgiPeer]

  @volatile private var idleCount = 0

  def keeps: Boolean         = config.keep
  def asksForValues: Boolean = endpoint.isAsked

  /** May be asked from any thread; a moment old. */
  def hasIdle: Boolean = idleCount > 0

  /** A connection for one request more; `fresh`: that has served none. */
  def connection(fresh: Boolean): Async[FastCgiPeer] = {
    var found: FastCgiPeer = null
    while (found == null && !fresh && !idle.isEmpty) {
      val last = idle.pollLast()
      if (last.isOpen) found = last
    }
    idleCount = idle.size
    if (found == null && !fresh && endpoint.multiplexes)
      found = all.find(c => c.isOpen && c.inFlight < config.multiplex).orNull
    if (found == null) connect() else Async.value(found)
  }

  private def connect(): Async[FastCgiPeer] = {
    var made: FastCgiPeer = null
    endpoint.opened(loop)
    Connector
      .connect(endpoint.address, loop, timeoutNanos = config.connectTimeout.toNanos) { connection =>
        made = new FastCgiPeer(connection, this)
        made
      }
      .map { _ =>
        all = made :: all
        made
      }
      .andFinally(if (made == null) { endpoint.open.decrementAndGet(); () })
  }

  /** A request on it has ended. */
  def free(c: FastCgiPeer): Unit =
    if (c.isOpen && c.inFlight == 0) {
      c.idle(loop.nowNanos + config.idleTimeout.toNanos)
      idle.addLast(c)
      idleCount = idle.size
      // after it can be seen to idle: whoever opens one too many sees that, or is seen here
      if (endpoint.hasTooMany) closeIdle()
    }

  /** It is closed. */
  def gone(c: FastCgiPeer): Unit = {
    endpoint.open.decrementAndGet()
    idle.remove(c)
    idleCount = idle.size
    all = all.filterNot(_ eq c)
  }

  /** Makes room for a connection on another loop. */
  def closeIdle(): Unit = {
    val oldest = idle.pollFirst()
    idleCount = idle.size
    if (oldest != null) oldest.close()
  }

  def learned(multiplexes: Boolean): Unit = {
    endpoint.isAsked = false
    endpoint.learned(multiplexes && config.multiplex > 1)
  }
}
