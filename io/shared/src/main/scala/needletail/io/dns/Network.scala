package needletail.io.dns

/** The addresses that share the first `bits` bits of `ip`, 4 or 16 bytes. */
private[needletail] final class Network private (ip: Array[Byte], bits: Int) {

  /** Whether an IP address, without brackets, is one of them; false for a name. A zone is ignored. */
  def contains(address: String): Boolean = {
    val other = AddressText.parse(address.takeWhile(_ != '%'))
    (other ne null) && other.length == ip.length && (0 until bits).forall(i => bit(ip, i) == bit(other, i))
  }

  private def bit(bytes: Array[Byte], i: Int): Int = bytes(i / 8) >> (7 - i % 8) & 1
}

private[needletail] object Network {

  /** An address (`192.0.2.1`, `::1`) or a network (`10.0.0.0/8`, `fd00::/8`; RFC 4632, RFC 4291 §2.3). */
  def parse(text: String): Option[Network] = {
    val slash = text.indexOf('/')
    val ip    = AddressText.parse(if (slash < 0) text else text.substring(0, slash))
    if (ip eq null) None
    else {
      val all  = 8 * ip.length
      val bits = if (slash < 0) Some(all) else text.substring(slash + 1).toIntOption
      bits.filter(n => n >= 0 && n <= all).map(new Network(ip, _))
    }
  }

  /**
   * An IP address, without brackets, with a port, as connections have it: `192.0.2.1:80` or `[2001:db8::1]:80` (RFC 5952).
   * An IPv4 address that is written as an IPv6 one (`::ffff:192.0.2.1`), as by servers that listen on both, is IPv4. None
   * if `address` is none.
   */
  def endpoint(address: String, port: Int): Option[String] =
    Option(AddressText.parse(address)).map(AddressText.render(_, port))
}
