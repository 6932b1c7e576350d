package needletail.server.tcp

import needletail.server.config.TcpSettings
import needletail.server.operations.Log

/** How many connections a server may have open, by its settings and by the process's limit of descriptors. */
private[server] object ConnectionBudget {

  /** Descriptors reserved for other use: files, classes, connections to other servers. */
  private final val Spare = 64

  /** Raises the limit of descriptors if it is too low; logs a warning if that is not enough. */
  def of(settings: TcpSettings): Int = {
    val open    = settings.platform.openDescriptors
    val wanted  = Math.min(settings.maxConnections.toLong + open + Spare, Int.MaxValue).toInt
    val allowed = settings.platform.allowDescriptors(wanted)
    if (allowed >= wanted) settings.maxConnections
    else {
      // if there are few, other uses get a share
      val most = Math.max(1, Math.min(settings.maxConnections, allowed - open - Math.min(Spare, allowed / 8)))
      if (most < settings.maxConnections)
        Log.guarded(settings.log).warn(
          s"at most $most connections at once, not ${settings.maxConnections}: this process may open $allowed " +
            s"descriptors and has opened $open (ulimit -n, LimitNOFILE)"
        )
      most
    }
  }
}
