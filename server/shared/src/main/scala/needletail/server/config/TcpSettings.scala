package needletail.server.config

import needletail.server.config.ServerConfig
import needletail.server.operations.Log

/**
 * The settings of a [[needletail.server.tcp.TcpServer]]; see [[ServerConfig]]. Durations are in nanoseconds.
 *
 * @param loopName prefix of the loops' thread names, followed by a number
 * @param keepsAlive whether the loops keep the program alive
 * @param patienceNanos how long user code may block a loop that should have ended
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
    private[server] val drainGraceNanos: Long = 0,
    private[server] val keepsAlive: Boolean = true,
    private[server] val patienceNanos: Long = 10L * 1000 * 1000 * 1000,
    private[needletail] val proxies: needletail.io.proxyprotocol.TrustedProxies = null,
    private[needletail] val platform: needletail.io.platform.Platform = needletail.io.system.SystemPlatform
) {

  /** Bytes that each loop's connections may hold. */
  private[server] def loopMemory: Long =
    if (memoryBudget > 0) memoryBudget / loopCount
    else math.max(TcpSettings.LeastMemory, needletail.io.system.Heap.limit / 4 / loopCount)

  private[server] def loopCount: Int = TcpSettings.loopCount(loops)

  /**
   * Counts of the handshakes of this server alone, whose limits they are compared with: others may have the same identity,
   * and it cannot make room by closing theirs. Null without TLS.
   */
  private[server] val handshakes: needletail.io.tls.TlsCounts = tls.map(_.countsOfServer()).orNull
}

object TcpSettings {

  /** A loop's memory by default, at least: room for a head, of which the largest has 48 KiB. */
  private final val LeastMemory = 96L * 1024

  /** The number of event loops on this machine for that setting. */
  private[config] def loopCount(setting: Int): Int =
    if (setting > 0) setting else Runtime.getRuntime.availableProcessors()

  /** The settings of `config` that concern connections. */
  def apply(config: ServerConfig): TcpSettings = TcpSettings(
    config.address,
    config.loops,
    config.poller,
    config.maxConnections,
    config.backlog,
    config.reusePort,
    config.idleTimeout.toNanos,
    config.crowdedIdleTimeout.toNanos,
    config.drainDelay.toNanos,
    config.drainTimeout.toNanos,
    config.blockedLoop.toNanos,
    config.log,
    config.tls,
    config.memoryBudget,
    config.tls.fold(config.headTimeout)(_.limits.timeout).toNanos,
    drainGraceNanos = config.drainGrace.toNanos,
    proxies =
      if (config.proxies.isEmpty) null else new needletail.io.proxyprotocol.TrustedProxies(config.proxies)
  )
}
