package needletail.io

import scala.scalanative.posix.arpa.inet.htons
import scala.scalanative.posix.inttypes.uint16_t
import scala.scalanative.posix.netinet.in.sockaddr_in
import scala.scalanative.posix.netinet.inOps.*
import scala.scalanative.posix.sys.socket
import scala.scalanative.unsafe.*
import scala.scalanative.unsigned.*

import needletail.io.kernel.Kernel

/** A client on loopback that can mark bytes as urgent (RFC 6093), which java.net cannot everywhere. */
final class UrgentClient(port: Int) {
  private val Loopback = Array[Byte](127, 0, 0, 1)

  private val fd = socket.socket(socket.AF_INET, socket.SOCK_STREAM, 0)

  locally {
    val to = stackalloc[sockaddr_in]()
    to.sin_family = socket.AF_INET.toUShort
    to.sin_port = htons(port.toUShort.asInstanceOf[uint16_t])
    scala.scalanative.libc.string.memcpy(to.at3.asInstanceOf[Ptr[Byte]], Loopback.at(0), 4.toCSize)
    val result =
      socket.connect(fd, to.asInstanceOf[Ptr[socket.sockaddr]], sizeof[sockaddr_in].toInt.toUInt)
    if (result != 0) throw new java.io.IOException("cannot connect")
  }

  /** If urgent, the last byte is marked so. */
  def send(text: String, urgent: Boolean): Unit = {
    val bytes = text.getBytes("US-ASCII")
    val sent  = socket.send(fd, bytes.at(0), bytes.length.toCSize, if (urgent) socket.MSG_OOB else 0)
    if (sent.toInt != bytes.length) throw new java.io.IOException("cannot send")
  }

  def close(): Unit = { Kernel.close(fd); () }
}
