package needletail.io.dns

import needletail.async.Setting

/**
 * The peers that a setting trusts: addresses (`192.0.2.1`, `::1`), networks (`10.0.0.0/8`, `fd00::/8`) and `unix` for all
 * peers on a Unix socket.
 *
 * @param hasUnix whether peers on Unix sockets are trusted
 */
private[needletail] final class TrustedNetworks private (val hasUnix: Boolean, networks: Seq[Network]) {

  /** Whether an IP address, without brackets, is trusted; false for a name. */
  def contains(address: String): Boolean = networks.exists(_.contains(address))
}

private[needletail] object TrustedNetworks {
  private final val Unix = "unix"

  /** Throws IllegalArgumentException, naming the setting, for a text of another form. */
  def apply(owner: String, setting: String, texts: Seq[String]): TrustedNetworks = {
    val (unix, others) = texts.partition(_ == Unix)
    new TrustedNetworks(
      unix.nonEmpty,
      others.map { text =>
        val parsed = Network.parse(text)
        Setting(owner).check(
          setting,
          text,
          parsed.isDefined,
          "an IP address, a network such as 10.0.0.0/8, or unix"
        )
        parsed.get
      }
    )
  }
}
