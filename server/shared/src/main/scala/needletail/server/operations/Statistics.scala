package needletail.server.operations

import scala.concurrent.duration._

/**
 * Totals of a server since it started.
 *
 * @param uptime since the start
 * @param requests answered, with any status
 * @param connectionsTotal accepted
 * @param connectionsOpen open now
 * @param connectionsMost the most that were open at once
 * @param errors responses with a 4xx or 5xx status
 * @param failures exceptions of handlers that resulted in a 500
 * @param timeouts requests, responses and handlers that took too long; idle connections are not counted
 * @param bytesRead received on all connections
 * @param bytesWritten sent on all connections
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
