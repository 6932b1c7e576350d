package needletail.io.system

import scala.scalanative.unsafe.*

import java.net.{Inet6Address, InetAddress}

import needletail.io.dns.AddressText
import needletail.io.kernel.Kernel

/**
 * Socket addresses as needletail_io_socket.c returns them: four numbers. The first two are an IP address's bytes in
 * memory order, the third is the kind of address, the fourth the port or the length of the path.
 */
private[io] object SocketName {
  final val Unknown: Byte = 0
  final val Unix: Byte    = 1
  final val V4: Byte      = 4
  final val V6: Byte      = 6

  private final val MaxPath = 108 // of struct sockaddr_un

  /** The address; all zero if the socket has none. */
  def of(fd: Int, peer: Boolean): Array[Long] = {
    val name = new Array[Long](4)
    val path = new Array[Byte](MaxPath)
    Kernel.name(fd, if (peer) 1 else 0, name.at(0), path.at(0))
    name
  }

  def text(fd: Int, peer: Boolean): String = {
    val name = new Array[Long](4)
    val path = new Array[Byte](MaxPath)
    if (Kernel.name(fd, if (peer) 1 else 0, name.at(0), path.at(0)) < 0) ""
    else if (name(2) == Unix) new String(path, 0, name(3).toInt, "UTF-8")
    else if (name(2) == Unknown) ""
    else render(name(0), name(1), name(2).toByte, name(3).toInt)
  }

  def render(high: Long, low: Long, kind: Byte, port: Int): String = {
    val rawBytes = new Array[Byte](if (kind == V4) 4 else 16)
    var i        = 0
    while (i < rawBytes.length) {
      // Memory order is little-endian on every platform that Scala Native supports.
      rawBytes(i) = ((if (i < 8) high else low) >>> (8 * (i & 7))).toByte
      i += 1
    }
    AddressText.render(rawBytes, port)
  }

  /** The path's bytes and a zero byte. */
  def pathBytes(path: String): Array[Byte] = {
    val bytes = path.getBytes("UTF-8")
    java.util.Arrays.copyOf(bytes, bytes.length + 1)
  }

  def scopeOf(ip: InetAddress): Int = ip match {
    case v6: Inet6Address => v6.getScopeId()
    case _                => 0
  }
}
