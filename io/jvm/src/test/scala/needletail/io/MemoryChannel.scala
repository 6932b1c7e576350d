package needletail.io

import java.io.IOException
import java.net.{InetAddress, InetSocketAddress, Socket, SocketAddress, SocketOption}
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.nio.channels.spi.SelectorProvider

import scala.collection.mutable
import scala.util.Random

/**
 * Bytes on their way in one direction. They arrive in pieces, as `deliver` says. From byte `faultAt` on the network does
 * what `fault` says.
 */
final class Wire(random: Random, room: Int, fault: Wire.Fault, faultAt: Int) {
  import Wire.*

  private val bytes       = mutable.Queue.empty[Byte]
  private var delivered   = 0 // of `bytes`, may be read
  private var passed      = 0 // written so far
  private var isEnded     = false
  private var isBroken    = false
  private var isAbandoned = false

  def hasStruck: Boolean  = fault != Fault.None && passed > faultAt
  def isReset: Boolean    = isBroken
  def canDeliver: Boolean = delivered < bytes.size
  def left: Int           = room - bytes.size
  def end(): Unit         = isEnded = true
  def abandon(): Unit     = isAbandoned = true // by its reader
  def deliver(): Unit     = if (canDeliver) delivered += 1 + random.nextInt(bytes.size - delivered)

  def write(from: ByteBuffer): Int =
    if (isBroken || isAbandoned) throw new IOException("Broken pipe")
    else {
      val n = math.min(from.remaining, room - bytes.size)
      for (_ <- 1 to n) {
        val byte = from.get()
        passed += 1
        if (hasStruck) fault match {
          case Fault.Cut     => isEnded = true // and the byte is lost
          case Fault.Reset   => isBroken = true
          case Fault.Garbage => bytes += (if (passed == faultAt + 1) (byte ^ 0x55).toByte else byte)
          case Fault.None    => ()
        }
        else bytes += byte
      }
      n
    }

  def read(to: ByteBuffer): Int =
    if (isBroken) throw new IOException("Connection reset by peer")
    else if (delivered == 0) if (isEnded && bytes.isEmpty) -1 else 0
    else {
      val n = math.min(to.remaining, 1 + random.nextInt(delivered))
      for (_ <- 1 to n) to.put(bytes.dequeue())
      delivered -= n
      n
    }
}

object Wire {
  sealed trait Fault
  object Fault {
    case object None    extends Fault
    case object Cut     extends Fault // an end, and nothing more
    case object Reset   extends Fault
    case object Garbage extends Fault // one byte is another
    val all: Vector[Fault] = Vector(None, Cut, Reset, Garbage)
  }
}

/** A connection that is two wires in memory. */
final class MemoryChannel(in: Wire, out: Wire) extends SocketChannel(SelectorProvider.provider) {
  private val place = new InetSocketAddress(InetAddress.getLoopbackAddress, 1)

  def read(to: ByteBuffer): Int    = in.read(to)
  def write(from: ByteBuffer): Int =
    if (in.isReset) throw new IOException("Connection reset by peer") else out.write(from)

  def shutdownOutput(): SocketChannel              = { out.end(); this }
  protected def implCloseSelectableChannel(): Unit = { out.end(); in.abandon() }

  def isConnected: Boolean                                         = true
  def isConnectionPending: Boolean                                 = false
  def finishConnect(): Boolean                                     = true
  def getRemoteAddress: SocketAddress                              = place
  def getLocalAddress: SocketAddress                               = place
  def shutdownInput(): SocketChannel                               = this
  def supportedOptions: java.util.Set[SocketOption[?]]             = java.util.Set.of()
  def setOption[T](name: SocketOption[T], value: T): SocketChannel = this
  protected def implConfigureBlocking(block: Boolean): Unit        = ()

  private def unused: Nothing                                   = throw new UnsupportedOperationException
  def bind(local: SocketAddress): SocketChannel                 = unused
  def connect(remote: SocketAddress): Boolean                   = unused
  def getOption[T](name: SocketOption[T]): T                    = unused
  def socket: Socket                                            = unused
  def read(to: Array[ByteBuffer], from: Int, count: Int): Long  = unused
  def write(from: Array[ByteBuffer], at: Int, count: Int): Long = unused
}
