package needletail.client.pool

import java.util.concurrent.atomic.AtomicLongArray

import needletail.client.policy.BreakerState
import needletail.metrics.{AtomicHistogram, Histogram}

/**
 * The statistics of a host, summed over a client's loops. Fields may have been read a moment apart.
 *
 * @param host the host, as in error messages
 * @param calls calls made, each counted once
 * @param attempts requests given to a connection or its queue, retries and redirections included
 * @param failures attempts without a response, or with a status of 500 or more
 * @param timeouts failures because of a time limit
 * @param retries attempts repeated after a failure
 * @param stale requests repeated at once because the server had closed the idle connection that they were sent on
 * @param refused calls rejected by the circuit breaker
 * @param cancelled attempts cancelled by the caller
 * @param queued time that attempts waited for a connection
 * @param transit time from an attempt's first byte being sent to the end of its response
 * @param open connections, including those being established
 * @param idle connections without a request
 * @param inFlight requests on connections
 * @param waiting calls that wait for a connection
 * @param opened connections established so far
 * @param breaker the state of the circuit breaker
 * @param retriesLeft retries that the retry budget allows now
 * @param addresses the state of each address
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

/**
 * The state of one address of a host.
 *
 * @param inFlight calls in flight to it; counted only if the host has several addresses
 * @param ejected whether it is not used for a while, after failures
 */
final case class AddressStatistics(address: String, inFlight: Int, ejected: Boolean)

/** The counters of one loop for a host. Written by the loop, read by any thread. */
private[client] final class HostCounts {
  import HostCounts.*

  private val cells = new AtomicLongArray(Size)
  val queued        = new AtomicHistogram(Histogram.fine)
  val transit       = new AtomicHistogram(Histogram.fine)

  /** Adds `n` to the counter `what`, an index of the companion. */
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

  /** The sum of `all`, with the given current state. */
  def statistics(
      host: String,
      breaker: BreakerState,
      retriesLeft: Int,
      addresses: Seq[AddressStatistics],
      all: Iterable[HostCounts]
  ): HostStatistics = {
    def sum(what: Int): Long = all.iterator.map(_.get(what)).sum
    val queued               = new Histogram(Histogram.fine)
    val transit              = new Histogram(Histogram.fine)
    all.foreach { counts =>
      counts.queued.addTo(queued)
      counts.transit.addTo(transit)
    }
    HostStatistics(
      host,
      sum(Calls),
      sum(Attempts),
      sum(Failures),
      sum(Timeouts),
      sum(Retries),
      sum(Stale),
      sum(Refused),
      sum(Cancelled),
      Latency.of(queued),
      Latency.of(transit),
      sum(Open).toInt,
      sum(Idle).toInt,
      sum(InFlight).toInt,
      sum(Waiting).toInt,
      sum(Opened),
      breaker,
      retriesLeft,
      addresses
    )
  }
}
