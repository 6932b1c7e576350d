package needletail.server

/** How many connections a server may have at once, by its settings and by the descriptors there are for them. */
private[server] object ConnectionBudget {

  /** Descriptors for what else the program opens: files, classes, connections to other servers. */
  private final val Spare = 64

  /** Raises the limit of descriptors where it is too low; where that is not enough, says so in the log. */
  def of(settings: TcpSettings): Int = {
    val open    = settings.platform.openDescriptors
    val wanted  = Math.min(settings.maxConnections.toLong + open + Spare, Int.MaxValue).toInt
    val allowed = settings.platform.allowDescriptors(wanted)
    if (allowed >= wanted) settings.maxConnections
    else {
      // where there are few, what else is opened gets a share
      val most = Math.max(1, Math.min(settings.maxConnections, allowed - open - Math.min(Spare, allowed / 8)))
      if (most < settings.maxConnections)
        Log.guarded(settings.log).warn(
          s"at most $most connections at once, not ${settings.maxConnections}: this process may have $allowed " +
            s"descriptors and has $open (ulimit -n, LimitNOFILE)"
        )
      most
    }
  }
}
