package needletail.conformance.harness

import java.nio.file.{Files, Paths}

import scala.jdk.CollectionConverters._
import scala.util.Try

/** One side of a TCP connection, or a listener. */
final case class KernelSocket(peer: Int, listens: Boolean, isAccepted: Boolean, unread: Long)

/** What the kernel says of sockets (proc(5)), so that tests need not guess how far a program has come. */
object KernelSockets {
  private val Listens = "0A"

  /** Those with this port as their own; none where there is no /proc. */
  def at(port: Int): Seq[KernelSocket] =
    for {
      table <- Seq("/proc/net/tcp", "/proc/net/tcp6") // a JVM's are of IPv6
      line  <- Try(Files.readAllLines(Paths.get(table)).asScala.toSeq).getOrElse(Nil).drop(1)
      fields = line.trim.split("\\s+")
      if portOf(fields(1)) == port
    } yield KernelSocket(
      peer = portOf(fields(2)),
      listens = fields(3) == Listens,
      isAccepted = fields(9) != "0", // an inode: before that no process has it
      unread = java.lang.Long.parseLong(fields(4).split(':')(1), 16)
    )

  private def portOf(address: String): Int = Integer.parseInt(address.substring(address.indexOf(':') + 1), 16)
}
