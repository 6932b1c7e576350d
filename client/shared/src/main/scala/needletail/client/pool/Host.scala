package needletail.client.pool

import java.nio.charset.StandardCharsets.ISO_8859_1
import java.util.concurrent.ConcurrentHashMap

import scala.jdk.CollectionConverters._

import needletail.client.config.{ClientConfig, HttpProxy}
import needletail.client.tunnel.{ConnectHandshake, ProxyRefusal}
import needletail.client.error.ClientError
import needletail.client.policy.{Balancer, Breaker, RetryBudget}
import needletail.client.url.Origin
import needletail.http.message.Headers
import needletail.io.{Address, ProxyHandshake, TlsPeer}

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

  /** The proxy that it is called through; null for none. */
  private val proxy: HttpProxy = if (isService) null else config.proxies.of(origin).orNull

  val name: String     = origin.text
  val tls: TlsPeer     = origin.peer(config.tls)
  val breaker          = new Breaker(config.breaker)
  val budget           = new RetryBudget(config.retry.budget, config.retry.reserve, config.retry.saving)
  val balancer         = new Balancer(if (proxy == null) addresses else List(proxy.address), config.balancing)
  @volatile var usedAt = 0L // nanoseconds, to the second, of the loops' clocks

  private val countsByLoop = new ConcurrentHashMap[AnyRef, HostCounts]

  /**
   * The counts of a loop, which is the only one that may write them. They stay when the host is forgotten, for a call
   * that brings it back.
   */
  def countsOf(loop: AnyRef): HostCounts = countsByLoop.computeIfAbsent(loop, _ => new HostCounts)

  /** The counts of each loop that has called it. */
  def counts: Iterable[HostCounts] = countsByLoop.values.asScala

  /** Whether the registry has dropped it. */
  @volatile var isForgotten = false

  /** Identifies it in the registry. */
  val key: AnyRef = if (isService) Host.ServiceKey(origin.text, addresses.toList) else origin.text

  /** What precedes the path in every request: for a proxy, which passes it on, the URL (RFC 9112 §3.2.2). */
  val beforePath: Array[Byte] =
    (if (proxy == null || origin.isSecure) "" else origin.text).getBytes(ISO_8859_1)

  private val authorization = if (proxy == null || origin.isSecure) None else proxy.authorization

  /** Whether the proxy's credentials are sent with every request, and replace any others. */
  val authorizesAtProxy: Boolean = authorization.isDefined

  private def common(host: Boolean, agent: Boolean) = {
    val lines = Seq(
      if (host) Some(s"Host: ${origin.authority}") else None,
      if (agent) config.userAgent.map(name => s"User-Agent: $name") else None,
      authorization.map(value => s"Proxy-Authorization: $value")
    ).flatten
    lines.mkString(" HTTP/1.1\r\n", "\r\n", if (lines.isEmpty) "" else "\r\n").getBytes(ISO_8859_1)
  }
  private val whole   = common(host = true, agent = true)
  private val noHost  = common(host = false, agent = true)
  private val noAgent = common(host = true, agent = false)
  private val neither = common(host = false, agent = false)

  /**
   * What follows the target: the end of the request line, and the fields for all requests except those that the call
   * has set itself.
   */
  def afterTarget(headers: Headers): Array[Byte] =
    if (headers.isEmpty) whole
    else if (config.userAgent.isDefined && headers.contains("User-Agent"))
      if (headers.contains("Host")) neither else noAgent
    else if (headers.contains("Host")) noHost
    else whole

  /** The handshake that starts a new connection to the proxy; null for none. */
  def handshake(): ProxyHandshake = origin.address match {
    case to: Address.Tcp if proxy != null && origin.isSecure =>
      new ConnectHandshake(proxy.authorization, to, config.userAgent)
    case _ => null
  }

  /** The error of a call that got no connection. */
  def notReached(cause: Throwable): ClientError =
    if (proxy == null) new ClientError.CannotConnect(name, cause)
    else
      cause.getCause match {
        case refusal: ProxyRefusal => new ClientError.ProxyRefused(name, refusal.status)
        case _ if origin.isSecure  => new ClientError.CannotConnect(name, cause) // which names the proxy
        case _                     => new ClientError.CannotConnect(name, cause, "through its proxy: ")
      }

  /** Notes a use, at most once a second as all loops share the field. `now`: nanoseconds of the loop's clock. */
  def used(now: Long): Unit = if (now - usedAt > 1000000000L) usedAt = now

  /** The statistics, summed over all loops. */
  def statistics: HostStatistics =
    HostCounts.statistics(
      name,
      breaker.state,
      budget.left,
      balancer.endpoints.toSeq.map(e => AddressStatistics(e.toString, e.inFlight.get, e.ejected)),
      counts
    )
}

private[client] object Host {

  /** Identifies a service with addresses of its own. */
  final case class ServiceKey(origin: String, addresses: List[Address])
}
