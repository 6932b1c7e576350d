package needletail.io.proxyprotocol

import java.util.concurrent.atomic.AtomicLong

import needletail.async.Setting
import needletail.io.dns.Network

/**
 * Whose connections begin with a PROXY header.
 *
 * @param networks addresses (`192.0.2.1`, `::1`), networks (`10.0.0.0/8`, `fd00::/8`) and `unix` for all peers on a Unix
 *   socket. Another text throws IllegalArgumentException
 */
private[needletail] final class TrustedProxies(networks: Seq[String]) {
  import TrustedProxies.*

  private val isUnixTrusted = networks.contains(Unix)
  private val trusted       = networks.filter(_ != Unix).map(network)

  /**
   * Whether a peer is one of them.
   *
   * @param isUnix whether it is on a Unix socket: then it may have any name, as that of a file can be `10.0.0.1:1`
   * @param remoteAddress its address, in the form of `Socket.remoteAddress`; `""` if it has gone already
   */
  def trusts(isUnix: Boolean, remoteAddress: String): Boolean =
    if (isUnix) isUnixTrusted
    else {
      val colon = remoteAddress.lastIndexOf(':')
      colon >= 0 && {
        val host = remoteAddress.substring(0, colon).stripPrefix("[").stripSuffix("]")
        trusted.exists(_.contains(host))
      }
    }

  private val reported = new AtomicLong(Long.MinValue)

  /** Whether a failure is to be reported: once a minute at most. */
  def mayReport(now: Long): Boolean = {
    val last = reported.get
    (last == Long.MinValue || now - last > ReportNanos) && reported.compareAndSet(last, now)
  }
}

private object TrustedProxies {
  private final val Unix        = "unix"
  private final val ReportNanos = 60L * 1000 * 1000 * 1000

  private def network(text: String): Network = {
    val parsed = Network.parse(text)
    Setting("ServerConfig").check(
      "proxies",
      text,
      parsed.isDefined,
      "an IP address, a network such as 10.0.0.0/8, or unix"
    )
    parsed.get
  }
}
