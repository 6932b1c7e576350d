package needletail.server.tcp

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.Future

import needletail.async.Survivable
import needletail.io.{AcceptedSocket, Connection, EventLoop}
import needletail.io.platform.ConnectionOptions
import needletail.io.proxyprotocol.AwaitedHeaders
import needletail.server.config.TcpSettings
import needletail.server.connection.{
  LoopConnections,
  LoopProtocol,
  MemoryRelief,
  ServedConnection,
  StalledHandshakes
}
import needletail.server.operations.{Log, LoopSnapshot}

/**
 * One event loop's part of a server: it owns that loop's connections. Its methods may be called from any thread; they
 * run as tasks of the loop, and do nothing once the loop has ended.
 *
 * @param closed called once with `index` for each connection that was passed to `take`, on any thread: it is closed,
 *   or could not be opened
 * @param onFailedHandshake called on the loop when the TLS handshake of a connection has failed, and why
 * @param onFailedHeader called on the loop when the PROXY header of a peer with that address was not valid, and why
 */
private[server] final class PerLoopServer(
    index: Int,
    loop: EventLoop,
    protocol: LoopProtocol,
    settings: TcpSettings,
    closed: Int => Unit,
    onFailedHandshake: (Connection, Throwable) => Unit,
    onFailedHeader: (String, Throwable) => Unit
) {
  import PerLoopServer._

  private val gone: Runnable = () => closed(index)
  private val options        = ConnectionOptions(handshakeNanos = settings.handshakeNanos)
  private val tls            = settings.tls.orNull
  private val handshakes     = settings.handshakes
  private val toPlain        = if (tls == null) null else protocol.toPlain
  private val log            = Log.guarded(settings.log)
  private val questions      = new LoopQueries(loop)

  private var draining    = false
  private var aborting    = false
  private val connections = new LoopConnections(onFailedHandshake)
  private val awaited     = new AwaitedHeaders(onFailedHeader)
  private val relief      = new MemoryRelief(loop, settings.loopMemory, connections, protocol.counts)
  private val stalled     = new StalledHandshakes(loop, connections)

  // While there are connections, a timer measures how late the loop is, and updates limits that depend on time.
  private var beating = false
  private var beatDue = 0L

  private def beat(): Unit = {
    beating = true
    beatDue = loop.clockNanos + BeatNanos
    loop.schedule(BeatNanos, () => beaten())
    ()
  }

  private def beaten(): Unit = {
    protocol.counts.lag.record(Math.max(0L, loop.clockNanos - beatDue), 1)
    try {
      protocol.timePasses()
      relief.look()
    } finally if (connections.isEmpty) beating = false else beat()
  }

  /** The route whose handler the loop runs now, for messages; empty if it runs none. */
  def presentWork: String = protocol.presentWork

  /** Serves a connection on this loop. `closed` follows exactly once, whatever happens to it. */
  def take(socket: AcceptedSocket): Unit =
    socket.start(loop, options, tls, toPlain, settings.proxies, awaited, gone, handshakes) { connection =>
      val served = protocol.connected(connection)
      if (!beating) beat()
      if (aborting) connection.abort()
      else if (draining) served.drain()
      connections.add(served) // last, so that a connection which failed before is not in the list
      served
    }

  /** Sets the idle timeout in nanoseconds, also of connections that are idle already. */
  def idleTimeout(nanos: Long): Unit = later { () =>
    protocol.idleTimeout(nanos)
    each(_.idleTimeoutChanged(nanos))
  }

  /**
   * Closes at most `most` connections whose client gets no further in the TLS handshake, those that are stalled longest.
   * To be called repeatedly while handshakes are too many: that one is stalled is found by observing it.
   *
   * @param withSilent whether clients that have sent nothing yet are stalled
   */
  def closeStalledHandshakes(most: Int, withSilent: Boolean): Unit = later { () =>
    stalled.longest(most, withSilent)
      .foreach(guarded(_)(_.connection.closeStalledHandshake(StalledHandshakes.Patience, withSilent)))
  }

  /** Drains all connections, including later ones. */
  def drain(): Unit = later { () =>
    draining = true
    try loop.beginDrain() // what handlers do on `draining` may throw
    finally {
      if (settings.proxies != null) loop.schedule(settings.drainGraceNanos, () => awaited.closeSilent())
      each(_.drain())
    }
  }

  /** Aborts all connections, including later ones. */
  def abort(): Unit = later { () =>
    aborting = true
    awaited.closeAll()
    each(_.connection.abort())
  }

  /** A snapshot of the loop; fails as `LoopQueries.ask` does. */
  def report(): Future[LoopSnapshot] = questions.ask {
    val counts = protocol.counts.copy()
    counts.bytesRead += connections.closedRead
    counts.bytesWritten += connections.closedWritten
    connections.foreach { c =>
      counts.bytesRead += c.connection.bytesRead
      counts.bytesWritten += c.connection.bytesWritten
    }
    val snapshot = new LoopSnapshot(index, counts, connections.size)
    snapshot.held = loop.memory.held
    snapshot.holdsMost = loop.memory.bound
    protocol.observe(snapshot)
    snapshot
  }

  /** A failure of one connection aborts that connection only. */
  private def each(f: ServedConnection => Unit): Unit = connections.foreach(guarded(_)(f))

  private def guarded(c: ServedConnection)(f: ServedConnection => Unit): Unit =
    try f(c)
    catch {
      case Survivable(e) =>
        log.error("a connection failed to drain, to end or to change its idle timeout, and was closed", e)
        c.connection.abort()
    }

  private def later(task: Runnable): Unit =
    try loop.execute(task)
    catch { case _: RejectedExecutionException => () } // its connections were closed when it ended
}

private[server] object PerLoopServer {
  private final val BeatNanos = 100L * 1000 * 1000
}
