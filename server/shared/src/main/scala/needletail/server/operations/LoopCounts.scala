package needletail.server.operations

import needletail.metrics.Histogram

/** The counts of one event loop since the start. Written on that loop only; other threads get copies. */
final class LoopCounts {

  /** Requests answered, with any status. */
  var requests: Long = 0

  /** Responses with a 4xx or 5xx status. */
  var errors: Long = 0

  /** Exceptions that resulted in a 500 or ended a connection. */
  var failures: Long = 0

  /** Heads, bodies, responses and handlers that took too long. */
  var timeouts: Long = 0

  /** Requests that were cancelled because their client had closed its sending side and no response was ready in time. */
  var abandoned: Long = 0

  /** Stalled connections whose memory was reclaimed while it was short, by a refusal or by closing them. */
  private[server] var relieved: Long = 0

  /** Connections handed over to another protocol. */
  private[server] var upgrades: Long = 0

  /** Those of them that are open. */
  private[server] var upgraded: Long = 0

  /** Bytes received. */
  var bytesRead: Long = 0

  /** Bytes sent. */
  var bytesWritten: Long = 0

  /** How late the loop ran a timer, measured ten times a second while it has connections. */
  private[server] val lag = new Histogram(Histogram.coarse)

  private[server] def copy(): LoopCounts = (new LoopCounts).add(this)

  private[server] def add(other: LoopCounts): LoopCounts = {
    requests += other.requests
    errors += other.errors
    failures += other.failures
    timeouts += other.timeouts
    abandoned += other.abandoned
    relieved += other.relieved
    upgrades += other.upgrades
    upgraded += other.upgraded
    lag.add(other.lag)
    bytesRead += other.bytesRead
    bytesWritten += other.bytesWritten
    this
  }
}
