package needletail.client.pool

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.ConcurrentLinkedQueue

import needletail.client.config.ClientConfig
import needletail.client.policy.{Balancer, Breaker, RetryBudget}
import needletail.client.url.Origin
import needletail.io.{Address, TlsPeer}

/**
 * A server, or several with one name, that calls are sent to: the state shared by all loops. Pools belong to the loops
 * (`PerLoopHost`). For any thread.
 *
 * @param origin scheme, name and port, from the URL
 * @param addresses where to connect to; at least one
 * @param isService whether the addresses were given in addition to the URL
 */
private[client] final class Host(
    val origin: Origin,
    addresses: Seq[Address],
    config: ClientConfig,
    isService: Boolean = false
) {
  val name: String = origin.text
  val tls: TlsPeer = origin.peer(config.tls)
  val breaker      = new Breaker(config.breaker)
  val budget       = new RetryBudget(config.retry.budget, config.retry.reserve, config.retry.saving)
  val balancer     = new Balancer(addresses, config.balancing)
  val counts       = new ConcurrentLinkedQueue[HostCounts] // one for each loop that calls it
  @volatile var usedAt = 0L // nanoseconds, to the second, of the loops' clocks

  /** Whether the registry has dropped it. */
  @volatile var isForgotten = false

  /** Identifies it in the registry. */
  val key: AnyRef = if (isService) Host.ServiceKey(origin.text, addresses.toList) else origin.text

  private val common =
    s"Host: ${origin.authority}\r\n" + config.userAgent.fold("")(agent => s"User-Agent: $agent\r\n")

  /** What follows the target in every request: the end of the request line, Host and User-Agent. */
  val afterTarget: Array[Byte] = s" HTTP/1.1\r\n$common".getBytes(ISO_8859_1)

  /** The same without Host, for calls that set it. */
  val afterTargetNoHost: Array[Byte] =
    s" HTTP/1.1\r\n${config.userAgent.fold("")(agent => s"User-Agent: $agent\r\n")}".getBytes(ISO_8859_1)

  /** Notes a use, at most once a second as all loops share the field. `now`: nanoseconds of the loop's clock. */
  def used(now: Long): Unit = if (now - usedAt > 1000000000L) usedAt = now

  /** The statistics, summed over all loops. */
  def statistics: HostStatistics = {
    import scala.jdk.CollectionConverters._
    HostCounts.statistics(
      name,
      breaker.state,
      budget.left,
      balancer.endpoints.toSeq.map(e => AddressStatistics(e.toString, e.inFlight.get, e.ejected)),
      counts.asScala
    )
  }
}

private[client] object Host {

  /** Identifies a service with addresses of its own. */
  final case class ServiceKey(origin: String, addresses: List[Address])
}
