package needletail.gateway.host

import needletail.async.Async
import needletail.io.{Connector, EventLoop}

/** The connections of one loop to one FastCGI server. */
private[host] final class FastCgiPool(endpoint: Endpoint, loop: EventLoop, config: UpstreamConfig) {
  private val idle   = new java.util.ArrayDeque[FastCgiConnection] // the one used last is taken first
  private var shared = List.empty[FastCgiConnection]               // with something under way and room for more

  @volatile private var idleCount = 0

  def keeps: Boolean         = config.keep
  def asksForValues: Boolean = endpoint.isAsked

  /** May be asked from any thread; a moment old. */
  def hasIdle: Boolean = idleCount > 0

  /** A connection for one request more; `fresh`: that has served none. */
  def connection(fresh: Boolean): Async[FastCgiConnection] = {
    var found: FastCgiConnection = null
    while (found == null && !fresh && !idle.isEmpty) {
      val last = idle.pollLast()
      if (last.isOpen) found = last
    }
    idleCount = idle.size
    if (found == null && !fresh && endpoint.multiplexes) found = shared.find(_.isOpen).orNull
    if (found == null) connect()
    else {
      taken(found)
      Async.value(found)
    }
  }

  private def connect(): Async[FastCgiConnection] = {
    var made: FastCgiConnection = null
    endpoint.opened(loop)
    Connector
      .connect(endpoint.address, loop, timeoutNanos = config.connectTimeout.toNanos) { connection =>
        made = new FastCgiConnection(connection, this)
        made
      }
      .map { _ =>
        taken(made)
        made
      }
      .andFinally(if (made == null) { endpoint.open.decrementAndGet(); () })
  }

  /** One request more will be on it as soon as the caller has begun it. */
  private def taken(c: FastCgiConnection): Unit =
    if (endpoint.multiplexes && c.inFlight + 1 < config.multiplex) {
      if (!shared.contains(c)) shared = c :: shared
    } else shared = shared.filterNot(_ eq c)

  /** A request on it has ended. */
  def free(c: FastCgiConnection): Unit =
    if (c.isOpen)
      if (c.inFlight == 0) {
        shared = shared.filterNot(_ eq c)
        c.idle(loop.nowNanos + config.idleTimeout.toNanos)
        idle.addLast(c)
        idleCount = idle.size
      } else if (endpoint.multiplexes && !shared.contains(c)) shared = c :: shared

  /** It is closed. */
  def gone(c: FastCgiConnection): Unit = {
    endpoint.open.decrementAndGet()
    idle.remove(c)
    idleCount = idle.size
    shared = shared.filterNot(_ eq c)
  }

  /** Makes room for a connection on another loop. */
  def closeIdle(): Unit = {
    val oldest = idle.pollFirst()
    idleCount = idle.size
    if (oldest != null) oldest.close()
  }

  def learned(multiplexes: Boolean): Unit = {
    endpoint.isAsked = false
    endpoint.multiplexes = multiplexes && config.multiplex > 1
  }
}
