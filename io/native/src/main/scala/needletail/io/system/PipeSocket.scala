package needletail.io.system

import scala.scalanative.unsafe.*

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.platform.{ConnectionOptions, Interest}

/** This program's end of a pipe, in non-blocking mode: a [[Socket]] without addresses, options and half-close. */
private[io] final class PipeSocket(number: Int) extends KernelSocket(number) {

  override protected def receive(to: Ptr[Byte], count: Int): Int = Kernel.pipeRead(fd, to, count)

  override def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = KernelError.check(Kernel.pipeWrite(fd, bytes.at(from), count))
    if (n < count) usedUp(Interest.Write)
    n
  }

  override protected def gathers: Boolean                  = false
  override def sendsFiles: Boolean                         = false
  override def finishConnect(): Boolean                    = true
  override def shutdownOutput(): Unit                      = ()
  override def resetOnClose(): Unit                        = ()
  override def configure(options: ConnectionOptions): Unit = ()
  override def remoteAddress: String                       = ""
  override def localAddress: String                        = ""
}
