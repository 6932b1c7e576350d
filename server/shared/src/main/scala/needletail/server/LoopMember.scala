package needletail.server

import java.util.concurrent.RejectedExecutionException

import scala.concurrent.Future

import needletail.async.Survivable
import needletail.io.{AcceptedSocket, ConnectionOptions, EventLoop}

/**
 * A loop's part in a server: it has that loop's connections, and does to them what the server asks, from any thread.
 * To drain and to abort are tasks of the loop, which takes them while it lives.
 *
 * @param closed
 *   told once for each connection that was taken, on any thread: it is gone, or never was one
 */
private[server] final class LoopMember(
    index: Int,
    loop: EventLoop,
    protocol: LoopProtocol,
    settings: TcpSettings,
    closed: Int => Unit
) {
  import LoopMember._

  private val gone: Runnable = () => closed(index)
  private val options        = ConnectionOptions(handshakeNanos = settings.handshakeNanos)
  private val tls            = settings.tls.orNull
  private val log            = Log.guarded(settings.log)
  private val questions      = new LoopQuestions(loop)

  private var draining    = false
  private var aborting    = false
  private val connections = new LoopConnections
  private val relief      = new MemoryRelief(loop, settings.loopMemory, connections, protocol.counts)

  // While there are connections a timer shows how late the loop is, and lets limits see that time passes.
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

  /** Whose handler the loop runs now, for messages; empty where it runs none. From any thread. */
  def presentWork: String = protocol.presentWork

  /** Takes a connection to this loop; called on any loop. `closed` follows once, whatever becomes of it. */
  def take(socket: AcceptedSocket): Unit = socket.start(loop, options, tls, gone) { connection =>
    val served = protocol.connected(connection)
    if (!beating) beat()
    if (aborting) connection.abort()
    else if (draining) served.drain()
    connections.add(served) // last: what fails before is not in the list
    served
  }

  /** How long connections may idle, those that do already too. */
  def idleTimeout(nanos: Long): Unit = later { () =>
    protocol.idleTimeout(nanos)
    each(_.idleTimeoutChanged(nanos))
  }

  def drain(): Unit = later { () =>
    draining = true
    try loop.beginDrain() // who waits for it may fail
    finally each(_.drain())
  }

  /** Cuts off all connections, those that are on their way here too. */
  def abort(): Unit = later { () =>
    aborting = true
    each(_.connection.abort())
  }

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

  /** What fails for one connection ends that one; the others get their turn. */
  private def each(f: ServedConnection => Unit): Unit = connections.foreach { c =>
    try f(c)
    catch {
      case Survivable(e) =>
        log.error("a connection failed to do what the server asked", e)
        c.connection.abort()
    }
  }

  private def later(task: Runnable): Unit =
    try loop.execute(task)
    catch { case _: RejectedExecutionException => () } // its connections have been closed as it ended
}

private[server] object LoopMember {
  private final val BeatNanos = 100L * 1000 * 1000
}
