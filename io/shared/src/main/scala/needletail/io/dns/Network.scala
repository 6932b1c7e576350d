package needletail.io.dns

/** The addresses that share the first `bits` bits of `ip`, 4 or 16 bytes. */
private[needletail] final class Network private (ip: Array[Byte], bits: Int) {

  /** Whether an IP address, without brackets, is one of them; false for a name. A zone is ignored. */
  def contains(address: String): Boolean = {
    val other = Network.ip(address.takeWhile(_ != '%'))
    (other ne null) && other.length == ip.length && (0 until bits).forall(i => bit(ip, i) == bit(other, i))
  }

  private def bit(bytes: Array[Byte], i: Int): Int = bytes(i / 8) >> (7 - i % 8) & 1
}

private[needletail] object Network {

  private final val Mapped = 96 // bits before an IPv4 address that is written as an IPv6 one

  /**
   * An address (`192.0.2.1`, `::1`) or a network (`10.0.0.0/8`, `fd00::/8`; RFC 4632, RFC 4291 §2.3). IPv4 addresses that
   * are written as IPv6 ones (`::ffff:10.0.0.0/104`) are IPv4, here and in `contains`.
   */
  def parse(text: String): Option[Network] = {
    val slash = text.indexOf('/')
    val whole = AddressText.parse(if (slash < 0) text else text.substring(0, slash))
    if (whole eq null) None
    else {
      val all  = 8 * whole.length
      val bits = if (slash < 0) Some(all) else text.substring(slash + 1).toIntOption
      bits.filter(n => n >= 0 && n <= all).map { n =>
        if (isMapped(whole) && n >= Mapped) new Network(ip(whole), n - Mapped) else new Network(whole, n)
      }
    }
  }

  private def isMapped(ip: Array[Byte]): Boolean = ip.length == 16 && AddressText.isMapped(ip)

  private def ip(address: Array[Byte]): Array[Byte] =
    if (isMapped(address)) java.util.Arrays.copyOfRange(address, Mapped / 8, address.length) else address

  /** 4 or 16 bytes; null if it is no address. */
  private def ip(address: String): Array[Byte] = {
    val bytes = AddressText.parse(address)
    if (bytes eq null) null else ip(bytes)
  }

  /**
   * An IP address, without brackets, with a port, as connections have it: `192.0.2.1:80` or `[2001:db8::1]:80` (RFC 5952).
   * An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`), as by servers that listen on both, is IPv4. None
   * if `address` is none.
   */
  def endpoint(address: String, port: Int): Option[String] =
    Option(AddressText.parse(address)).map(AddressText.render(_, port))
}
