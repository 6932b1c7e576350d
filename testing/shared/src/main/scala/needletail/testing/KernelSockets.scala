package needletail.testing

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Try

/**
 * One side of a TCP connection, or a listener.
 *
 * @param isHeld whether a process has it: not before it is accepted, nor after it was closed
 * @param timer the kernel's timer of it: 0 for none, 2 for the one that asks a silent peer
 */
final case class KernelSocket(
    port: Int,
    peer: Int,
    listens: Boolean,
    isEstablished: Boolean,
    isHeld: Boolean,
    unread: Long,
    timer: Int
)

/** What the kernel says of sockets (proc(5)), so that tests need not guess how far a program has come. */
object KernelSockets {
  private val tables      = Seq("/proc/net/tcp", "/proc/net/tcp6").map(Paths.get(_)) // a JVM's are of IPv6
  private val Established = "01"
  private val Listens     = "0A"

  /** Whether this system says anything. */
  def areKnown: Boolean = tables.exists(Files.isReadable(_))

  /** Those with this port as their own; none where there is no /proc. */
  def at(port: Int): Seq[KernelSocket] = all.filter(_.port == port)

  /** All of this machine. */
  def all: Seq[KernelSocket] =
    for {
      table <- tables
      line  <- Try(Files.readAllLines(table).asScala.toSeq).getOrElse(Nil).drop(1)
      fields = line.trim.split("\\s+")
    } yield KernelSocket(
      port = portOf(fields(1)),
      peer = portOf(fields(2)),
      listens = fields(3) == Listens,
      isEstablished = fields(3) == Established,
      isHeld = fields(9) != "0", // its inode
      unread = java.lang.Long.parseLong(fields(4).split(':')(1), 16),
      timer = Integer.parseInt(fields(5).take(2), 16)
    )

  private def portOf(address: String): Int = Integer.parseInt(address.substring(address.indexOf(':') + 1), 16)
}
