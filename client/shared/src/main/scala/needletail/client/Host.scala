package needletail.client

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.CopyOnWriteArrayList

import needletail.io.{Address, TlsPeer}

/**
 * Who is asked: what all loops know of a host. Pools and figures are with the loops.
 *
 * @param origin what URLs say
 * @param addresses where it is reached; at least one
 * @param isService were these addresses given, beside the URL?
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
  val counts       = new CopyOnWriteArrayList[HostCounts] // one for each loop that asks it
  @volatile var usedAt = 0L // by the loops' clocks, to the second: which host to forget

  /** Has it been given up, as others were used more recently, or by who has made it? */
  @volatile var isForgotten = false

  /** What the client knows it by. */
  val key: AnyRef = if (isService) Service.Key(origin.text, addresses.toList) else origin.text

  /** What follows the target in every request line, and the fields that never differ. */
  private val common =
    s"Host: ${origin.authority}\r\n" + config.userAgent.fold("")(agent => s"User-Agent: $agent\r\n")
  val afterTarget: Array[Byte] = s" HTTP/1.1\r\n$common".getBytes(ISO_8859_1)

  /** The same for a call with a Host of its own. */
  val afterTargetNoHost: Array[Byte] =
    s" HTTP/1.1\r\n${config.userAgent.fold("")(agent => s"User-Agent: $agent\r\n")}".getBytes(ISO_8859_1)

  /** Written once a second at most, since all loops share it. */
  def used(now: Long): Unit = if (now - usedAt > 1000000000L) usedAt = now

  def statistics: HostStatistics = {
    import scala.jdk.CollectionConverters._
    HostCounts.statistics(this, counts.asScala)
  }
}
