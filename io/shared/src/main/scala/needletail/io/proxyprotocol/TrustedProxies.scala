package needletail.io.proxyprotocol

import needletail.io.dns.TrustedNetworks

/**
 * Whose connections begin with a PROXY header.
 *
 * @param networks as of [[needletail.io.dns.TrustedNetworks]]. Another text throws IllegalArgumentException
 */
private[needletail] final class TrustedProxies(networks: Seq[String]) {
  private val trusted = TrustedNetworks("ServerConfig", "proxies", networks)

  /**
   * Whether a peer is one of them.
   *
   * @param isUnix whether it is on a Unix socket: then it may have any name, as that of a file can be `10.0.0.1:1`
   * @param remoteAddress its address, in the form of `Socket.remoteAddress`; `""` if it has gone already
   */
  def trusts(isUnix: Boolean, remoteAddress: String): Boolean =
    if (isUnix) trusted.hasUnix
    else {
      val colon = remoteAddress.lastIndexOf(':')
      colon >= 0 && trusted.contains(remoteAddress.substring(0, colon).stripPrefix("[").stripSuffix("]"))
    }
}
