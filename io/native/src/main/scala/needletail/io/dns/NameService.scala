package needletail.io.dns

import scala.scalanative.unsafe.*

import java.net.{Inet6Address, InetAddress, UnknownHostException}

import needletail.io.kernel.Kernel

/**
 * See Platform.scala. Does not use the standard library's lookup, which would block the garbage collector while it
 * waits.
 */
private[io] object NameService {
  private final val MaxAddresses = 32
  private final val Size         = 24 // bytes: length and scope as Ints, then up to 16 of the address

  def lookUp(host: String): Array[InetAddress] = {
    val name =
      java.util.Arrays.copyOf(host.getBytes("UTF-8"), host.length * 4 + 1) // ends with a zero byte
    val found = new Array[Byte](MaxAddresses * Size)
    val count = Kernel.lookUp(name.at(0), found.at(0), MaxAddresses)
    if (count <= 0) throw new UnknownHostException(host)
    Array.tabulate(count) { i =>
      val at     = found.at(i * Size)
      val length = !at.asInstanceOf[Ptr[Int]]
      val scope  = !(at + 4).asInstanceOf[Ptr[Int]]
      val bytes  = java.util.Arrays.copyOfRange(found, i * Size + 8, i * Size + 8 + length)
      if (scope == 0) InetAddress.getByAddress(host, bytes)
      else Inet6Address.getByAddress(host, bytes, scope)
    }
  }
}
