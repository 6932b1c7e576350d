package needletail.server

import needletail.io.{Connection, EventLoop}

/** What a [[TcpServer]] speaks: makes, for each loop, what makes the connections' handlers. */
trait Protocol {
  def onLoop(loop: EventLoop): LoopProtocol
}

/** A protocol's part on one loop; used on that loop only. */
trait LoopProtocol {
  def connected(connection: Connection): ServedConnection

  /** The idle time-out for connections from now on; those that idle already are told themselves. */
  def idleTimeout(nanos: Long): Unit

  /** What this loop has done; octets are counted for it. */
  def counts: LoopCounts

  /** Adds what it knows to a report. */
  private[server] def observe(report: LoopSnapshot): Unit = ()

  /** Called about each tenth of a second while the loop has connections. */
  private[server] def timePasses(): Unit = ()

  /** Whose handler runs now, for messages; called on any thread. Empty where none does, or it can't tell. */
  private[server] def presentWork: String = ""
}

/**
 * What a [[TcpServer]] needs to know; each is explained at [[ServerConfig]].
 */
final case class TcpSettings(
    address: needletail.io.Address,
    loops: Int,
    poller: needletail.io.PollerKind,
    maxConnections: Int,
    backlog: Int,
    reusePort: Boolean,
    idleNanos: Long,
    crowdedIdleNanos: Long,
    drainDelayNanos: Long,
    drainTimeoutNanos: Long,
    blockedNanos: Long,
    log: Log,
    tls: Option[needletail.io.TlsIdentity] = None,
    memoryBudget: Long = 0,
    handshakeNanos: Long = 10L * 1000 * 1000 * 1000,
    loopName: String = "needletail",
    private[needletail] val platform: needletail.io.Platform = needletail.io.SystemPlatform
) {

  /** What each loop's connections may hold, in bytes. */
  private[server] def loopMemory: Long =
    (if (memoryBudget > 0) memoryBudget else needletail.io.Heap.limit / 4) / loopCount

  /** How many loops that makes here. */
  private[server] def loopCount: Int = if (loops > 0) loops else Runtime.getRuntime.availableProcessors()
}
