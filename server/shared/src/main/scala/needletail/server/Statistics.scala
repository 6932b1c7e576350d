package needletail.server

import scala.concurrent.duration._

/**
 * What a server has done since it started.
 *
 * @param requests answered, with whatever status
 * @param connectionsMost the most that were open at once
 * @param errors replies with a 4xx or 5xx status
 * @param failures exceptions of handlers that became a 500
 * @param timeouts of all kinds: head, body, idle connections not among them
 */
final case class Statistics(
    uptime: FiniteDuration,
    requests: Long,
    connectionsTotal: Long,
    connectionsOpen: Int,
    connectionsMost: Int,
    errors: Long,
    failures: Long,
    timeouts: Long,
    bytesRead: Long,
    bytesWritten: Long
)

/** One loop's counts; written by that loop only, handed out as copies. */
final class LoopCounts {
  var requests: Long = 0
  var errors: Long   = 0
  var failures: Long = 0
  var timeouts: Long = 0

  /** Requests given up as their client had ended its side and the answer was not there in time. */
  var abandoned: Long = 0

  /** Connections that had to let go of memory, by a refusal or by their end, as it was short and they stalled. */
  private[server] var relieved: Long = 0

  var bytesRead: Long    = 0
  var bytesWritten: Long = 0

  /** How much later than asked for the loop ran what was due, each tenth of a second while it has connections. */
  private[server] val lag = new Latencies

  private[server] def copy(): LoopCounts = (new LoopCounts).add(this)

  private[server] def add(other: LoopCounts): LoopCounts = {
    requests += other.requests
    errors += other.errors
    failures += other.failures
    timeouts += other.timeouts
    abandoned += other.abandoned
    relieved += other.relieved
    lag.add(other.lag)
    bytesRead += other.bytesRead
    bytesWritten += other.bytesWritten
    this
  }
}
