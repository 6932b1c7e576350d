package needletail.io.proxy

import java.util.concurrent.atomic.AtomicLong

import needletail.async.Setting
import needletail.io.dns.AddressText

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

  /** Whether the peer with that address, in the form of `Socket.remoteAddress`, is one of them. */
  def trusts(remoteAddress: String): Boolean =
    if (remoteAddress.isEmpty || remoteAddress.startsWith("/")) isUnixTrusted
    else {
      val host = remoteAddress.substring(0, remoteAddress.lastIndexOf(':')).stripPrefix("[").stripSuffix("]")
      val ip   = AddressText.parse(host.takeWhile(_ != '%'))
      (ip ne null) && trusted.exists(_.has(ip))
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

  private final class Network(ip: Array[Byte], bits: Int) {
    def has(other: Array[Byte]): Boolean =
      other.length == ip.length && (0 until bits).forall(i => bit(ip, i) == bit(other, i))

    private def bit(bytes: Array[Byte], i: Int): Int = bytes(i / 8) >> (7 - i % 8) & 1
  }

  private def network(text: String): Network = {
    val slash = text.indexOf('/')
    val ip    = AddressText.parse(if (slash < 0) text else text.substring(0, slash))
    val all   = if (ip eq null) 0 else 8 * ip.length
    val bits  = if (slash < 0) Some(all) else text.substring(slash + 1).toIntOption
    Setting("ServerConfig").check(
      "proxies",
      text,
      (ip ne null) && bits.exists(n => n >= 0 && n <= all),
      "an IP address, a network such as 10.0.0.0/8, or unix"
    )
    new Network(ip, bits.get)
  }
}
