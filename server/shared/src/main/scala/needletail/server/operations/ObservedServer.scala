package needletail.server.operations

import scala.concurrent.Future

import needletail.io.TlsIdentity

/** What [[Operations]] reads of a running server. Every method may be called from any thread. */
private[server] trait ObservedServer {

  /** Whether the server accepts new work. */
  def isReady: Boolean

  /** Nanoseconds since the server started. */
  private[server] def uptimeNanos: Long

  /** The number of open connections at which new ones wait in the backlog. */
  private[server] def maxConnections: Int

  /** The number of event loops. */
  private[server] def loopTotal: Int

  /** One snapshot of each loop. Each fails if its loop has ended or has too many pending queries. */
  private[server] def snapshots: List[Future[LoopSnapshot]]

  /** Counts of connections; fails as `snapshots` do. */
  private[server] def connectionCounts: Future[ConnectionCounts]

  /** How many turns of that loop the watchdog found too long. */
  private[server] def blockedTurns(loop: Int): Long

  /** Its certificates; None without TLS. */
  private[server] def tls: Option[TlsIdentity]

  private[server] def log: Log
}
