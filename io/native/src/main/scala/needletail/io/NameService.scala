package needletail.io

import scala.scalanative.unsafe.*

import java.net.{Inet6Address, InetAddress, UnknownHostException}

/** See Platform.scala. Not the library's own look-up, which would hold up the collector while it waits. */
private[io] object NameService {
  private final val MaxAddresses = 32
  private final val Size         = 24 // octets: length and scope as Ints, then up to 16 of the address

  def lookUp(host: String): Array[InetAddress] = {
    val name  = java.util.Arrays.copyOf(host.getBytes("UTF-8"), host.length * 4 + 1) // ends with a zero at least
    val found = new Array[Byte](MaxAddresses * Size)
    val count = Kernel.lookUp(name.at(0), found.at(0), MaxAddresses)
    if (count <= 0) throw new UnknownHostException(host)
    Array.tabulate(count) { i =>
      val at     = found.at(i * Size)
      val length = !at.asInstanceOf[Ptr[Int]]
      val scope  = !(at + 4).asInstanceOf[Ptr[Int]]
      val octets = java.util.Arrays.copyOfRange(found, i * Size + 8, i * Size + 8 + length)
      if (scope == 0) InetAddress.getByAddress(host, octets) else Inet6Address.getByAddress(host, octets, scope)
    }
  }
}
