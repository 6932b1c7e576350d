package needletail.client

import java.util.concurrent.atomic.AtomicLongArray

/**
 * What a client knows of one host, summed over its loops. Figures of different lines may be a moment apart.
 *
 * @param host as in error messages
 * @param calls that were made, each counted once
 * @param attempts requests that were handed to a connection or its queue, retries and redirections included
 * @param failures attempts without an answer, or with a status from 500 on
 * @param timeouts of them those that took too long
 * @param retries attempts made again after a failure
 * @param stale requests sent again at once since the server had closed the connection just as it was taken
 * @param refused calls that the breaker did not let through
 * @param cancelled attempts that were given up by who asked
 * @param queued how long attempts waited for a connection
 * @param transit from an attempt's first octet on its way to the end of its answer
 * @param open connections, those that are being made included
 * @param idle connections without a request
 * @param inFlight requests on connections
 * @param waiting calls that wait for a connection
 * @param opened connections made so far
 * @param breaker whether the host is asked
 * @param retriesLeft what is saved in the retry budget
 * @param addresses where there are several: calls under way to each, and whether it is left out for now
 */
final case class HostStatistics(
    host: String,
    calls: Long,
    attempts: Long,
    failures: Long,
    timeouts: Long,
    retries: Long,
    stale: Long,
    refused: Long,
    cancelled: Long,
    queued: Latency,
    transit: Latency,
    open: Int,
    idle: Int,
    inFlight: Int,
    waiting: Int,
    opened: Long,
    breaker: BreakerState,
    retriesLeft: Int,
    addresses: Seq[AddressStatistics]
)

/** One of a host's addresses. */
final case class AddressStatistics(address: String, inFlight: Int, ejected: Boolean)

/** What one loop counts for a host. The loop writes; any thread reads. */
private[client] final class HostCounts {
  import HostCounts.*

  private val cells = new AtomicLongArray(Size)
  val queued        = new Histogram
  val transit       = new Histogram

  def add(what: Int, n: Int): Unit = cells.lazySet(what, cells.get(what) + n)
  def get(what: Int): Long         = cells.get(what)
}

private[client] object HostCounts {
  final val Calls     = 0
  final val Attempts  = 1
  final val Failures  = 2
  final val Timeouts  = 3
  final val Retries   = 4
  final val Stale     = 5
  final val Refused   = 6
  final val Cancelled = 7
  final val Open      = 8
  final val Idle      = 9
  final val InFlight  = 10
  final val Waiting   = 11
  final val Opened    = 12
  final val Size      = 13

  def statistics(host: Host, all: Iterable[HostCounts]): HostStatistics = {
    def sum(what: Int): Long = all.iterator.map(_.get(what)).sum
    val queued               = Histogram.empty
    val transit              = Histogram.empty
    all.foreach { counts =>
      counts.queued.addTo(queued)
      counts.transit.addTo(transit)
    }
    HostStatistics(
      host.name,
      sum(Calls),
      sum(Attempts),
      sum(Failures),
      sum(Timeouts),
      sum(Retries),
      sum(Stale),
      sum(Refused),
      sum(Cancelled),
      Histogram.summary(queued),
      Histogram.summary(transit),
      sum(Open).toInt,
      sum(Idle).toInt,
      sum(InFlight).toInt,
      sum(Waiting).toInt,
      sum(Opened),
      host.breaker.state,
      host.budget.left,
      host.balancer.endpoints.toSeq.map(e => AddressStatistics(e.toString, e.inFlight.get, e.ejected))
    )
  }
}
