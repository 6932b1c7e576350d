package needletail.io.system

import scala.scalanative.unsafe.*

import java.net.InetAddress

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.platform.{AddressInUse, Interest, ListenOptions, ListenSocket, Socket}

/** See Platform.scala. The descriptor listens, in non-blocking mode. */
private[io] final class KernelListenSocket(number: Int) extends ListenSocket {
  fd = number

  private val name = new Array[Long](4) // of the last accepted peer

  def accept(): Socket = {
    val accepted = Kernel.accept(fd, name.at(0))
    if (accepted >= 0) {
      val socket = new KernelSocket(accepted)
      socket.takeName(name)
      socket
    } else if (accepted == KernelListenSocket.NoneNow) {
      usedUp(Interest.Read)
      null
    } else throw KernelError.exception(accepted)
  }

  def port: Int = {
    val own = SocketName.of(fd, peer = false)
    if (own(2) == SocketName.Unix) 0 else own(3).toInt
  }

  def localAddress: String = SocketName.text(fd, peer = false)
}

private[io] object KernelListenSocket {
  private val NoneNow = Kernel.noneNow()

  def tcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket = {
    def flag(b: Boolean) = if (b) 1 else 0
    // An array of length 0 has no byte to point at.
    val rawBytes = if (ip eq null) new Array[Byte](1) else ip.getAddress
    listening(
      Kernel.listenTcp(
        rawBytes.at(0),
        if (ip eq null) 0 else rawBytes.length,
        if (ip eq null) 0 else SocketName.scopeOf(ip),
        port,
        options.backlog,
        flag(options.reuseAddress),
        flag(options.reusePort)
      )
    )
  }

  private def listening(result: Int): ListenSocket =
    if (KernelError.isAddressInUse(result)) throw new AddressInUse(KernelError.exception(result).getMessage)
    else new KernelListenSocket(KernelError.check(result))

  def listens(descriptor: Int): Boolean = Kernel.listens(descriptor) == 1

  def inherited(descriptor: Int): ListenSocket =
    new KernelListenSocket(KernelError.check(Kernel.inherit(descriptor)))

  def unix(path: String, options: ListenOptions): ListenSocket = {
    val bytes = SocketName.pathBytes(path)
    listening(Kernel.listenUnix(bytes.at(0), bytes.length - 1, options.backlog))
  }
}
