package needletail.server

import scala.concurrent.Promise

import needletail.actor.{Actor, ActorRef}
import needletail.io.{AcceptedSocket, ConnectionOptions, EventLoop, TlsIdentity}

/**
 * A loop's part in a server: an actor that has its connections, and does to them what the server asks.
 *
 * @param tls
 *   who the server is on secured connections; null for plain ones
 * @param memory
 *   bytes that its connections may hold
 */
private[server] final class LoopMember(
    index: Int,
    loop: EventLoop,
    protocol: LoopProtocol,
    tls: TlsIdentity,
    acceptor: ActorRef[Acceptor.Message],
    memory: Long
) extends Actor[LoopMember.Message] {
  import LoopMember._

  private var draining    = false
  private val connections = new LoopConnections(() => {
    connectionCount -= 1
    acceptor.send(Acceptor.Closed(index))
    ()
  })
  private var connectionCount = 0
  private val relief          = new MemoryRelief(loop, memory, connections, protocol.counts)

  // While there are connections a timer shows how late the loop is, and lets limits see that time passes.
  private var beating = false
  private var beatDue = 0L

  private def beat(): Unit = {
    beating = true
    beatDue = loop.clockNanos + LoopMember.BeatNanos
    loop.schedule(LoopMember.BeatNanos, () => beaten())
    ()
  }

  private def beaten(): Unit = {
    protocol.counts.lag.record(Math.max(0L, loop.clockNanos - beatDue), 1)
    protocol.timePasses()
    relief.look()
    if (connections.isEmpty) beating = false else beat()
  }

  /** Whose handler the loop runs now, for messages; empty where it runs none. From any thread. */
  def presentWork: String = protocol.presentWork

  /** Takes a connection to this loop; called on any loop. */
  def take(socket: AcceptedSocket): Unit = socket.start(loop, ConnectionOptions.default, tls) { connection =>
    val served = protocol.connected(connection)
    connections.add(served)
    connectionCount += 1
    if (!beating) beat()
    if (draining) served.drain()
    served
  }

  def receive(message: Message): Unit = message match {
    case IdleTimeout(nanos) =>
      protocol.idleTimeout(nanos)
      connections.foreach(_.idleTimeoutChanged(nanos))
    case Drain =>
      draining = true
      loop.beginDrain()
      connections.foreach(_.drain())
    case Abort =>
      connections.foreach(_.connection.abort())
    case Report(answer) =>
      val counts = protocol.counts.copy()
      counts.bytesRead += connections.closedRead
      counts.bytesWritten += connections.closedWritten
      connections.foreach { c =>
        counts.bytesRead += c.connection.bytesRead
        counts.bytesWritten += c.connection.bytesWritten
      }
      val snapshot = new LoopSnapshot(index, counts, connectionCount)
      snapshot.held = loop.memory.held
      snapshot.holdsMost = loop.memory.bound
      protocol.observe(snapshot)
      answer.success(snapshot)
      ()
  }
}

private[server] object LoopMember {
  sealed trait Message
  final case class IdleTimeout(nanos: Long)              extends Message
  case object Drain                                      extends Message
  case object Abort                                      extends Message
  final case class Report(answer: Promise[LoopSnapshot]) extends Message

  private final val BeatNanos = 100L * 1000 * 1000
}
