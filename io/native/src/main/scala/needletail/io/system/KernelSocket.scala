package needletail.io.system

import scala.scalanative.unsafe.*

import java.io.IOException
import java.net.InetAddress

import needletail.io.kernel.{Kernel, KernelError, Prefetch}
import needletail.io.platform.{ConnectionOptions, DiskFile, Interest, Socket}

/** See Platform.scala. The descriptor is in non-blocking mode. */
private[io] class KernelSocket(number: Int) extends Socket {
  fd = number

  // The peer's address, kept because the kernel forgets it when the connection breaks; see SocketName.
  private var ipHigh, ipLow = 0L
  private var port          = 0
  private var kind: Byte    = SocketName.Unknown

  override def fetch(handler: AnyRef, along: AnyRef, timer: AnyRef): Unit = {
    Prefetch(handler, KernelSocket.HandlerLines)
    Prefetch(along, KernelSocket.AlongLines)
    Prefetch(timer, KernelSocket.TimerLines)
  }

  def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = tryRead(bytes, from, count)
    if (n < -1) throw failureOf(n)
    n
  }

  override def tryRead(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = receive(bytes.at(from), count)
    if (n == 0 || n > 0 && n < count && !unbounded) usedUp(Interest.Read)
    if (n >= 0) n
    else if (n == KernelSocket.EndOfInput) -1
    else if (n == -1) throw KernelError.exception(n) // EPERM, of the number that means the end here
    else n
  }

  /** What the kernel says to reading so many bytes: as `Kernel.read`. */
  protected def receive(to: Ptr[Byte], count: Int): Int = Kernel.read(fd, to, count)

  override def failureOf(result: Int): IOException = KernelError.exception(result)

  def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    val n = KernelError.check(Kernel.write(fd, bytes.at(from), count))
    if (n < count) usedUp(Interest.Write)
    n
  }

  /** A pipe and TLS cannot gather. */
  protected def gathers: Boolean = !isSecure

  override def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int
  ): Int =
    if (!gathers || firstCount == 0 || count == 0) super.writeBoth(first, firstCount, bytes, from, count)
    else {
      val n = KernelError.check(Kernel.writeBoth(fd, first.at(0), firstCount, bytes.at(from), count))
      if (n < firstCount + count) usedUp(Interest.Write)
      n
    }

  override def sendsFiles: Boolean = !isSecure

  override def send(file: DiskFile, position: Long, count: Int): Int = {
    val result = Kernel.fileSend(fd, file.fd, position, count)
    val sent   = KernelError.check(result.toInt)
    val why    = (result >>> 32).toInt
    if (why == KernelSocket.SocketFull) usedUp(Interest.Write)
    if (sent == 0 && why == KernelSocket.FileEnded) -1 else sent
  }

  def finishConnect(): Boolean = {
    val connected = KernelError.check(Kernel.connected(fd)) == 1
    if (connected) takeName(SocketName.of(fd, peer = true)) else usedUp(Interest.Write)
    connected
  }

  def shutdownOutput(): Unit = { KernelError.check(Kernel.shutdownOutput(fd)); () }

  def resetOnClose(): Unit = if (isTcp) { KernelError.check(Kernel.resetOnClose(fd)); () }

  override def probeWhenSilent(idleSeconds: Int): Unit = if (isTcp) {
    KernelError.check(Kernel.probeWhenSilent(fd, idleSeconds))
    ()
  }

  override def unacknowledged: Int = Math.max(-1, Kernel.unacknowledged(fd))

  def configure(options: ConnectionOptions): Unit = {
    def flag(b: Boolean) = if (b) 1 else 0
    KernelError.check(
      Kernel.configure(
        fd,
        flag(isTcp),
        flag(options.noDelay),
        flag(options.keepAlive),
        options.sendBuffer.getOrElse(0),
        options.receiveBuffer.getOrElse(0)
      )
    )
    ()
  }

  def remoteAddress: String =
    if (kind == SocketName.V4 || kind == SocketName.V6) SocketName.render(ipHigh, ipLow, kind, port)
    else if (kind == SocketName.Unix && isOpen) SocketName.text(fd, peer = true)
    else ""

  def localAddress: String = if (isOpen) SocketName.text(fd, peer = false) else ""

  private[io] def takeName(name: Array[Long]): Unit = {
    ipHigh = name(0)
    ipLow = name(1)
    kind = name(2).toByte
    port = name(3).toInt
  }

  /** Takes over the peer's address from another socket of the same descriptor. */
  protected final def takeName(other: KernelSocket): Unit = {
    ipHigh = other.ipHigh
    ipLow = other.ipLow
    kind = other.kind
    port = other.port
  }

  /** Whether the peer's address is known, as it is once connected. */
  protected final def isConnected: Boolean = kind != SocketName.Unknown

  private def isTcp: Boolean = kind != SocketName.Unix
}

private[io] object KernelSocket {
  private[io] final val EndOfInput = Int.MinValue

  // cache lines, see `fetch`
  private final val HandlerLines = 3
  private final val AlongLines   = 9 // a WebSocket, its reader and its output
  private final val TimerLines   = 2

  // as in needletail_io.c
  private final val FileEnded  = 1
  private final val SocketFull = 2

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket = {
    val rawBytes = ip.getAddress
    val from     = if (source eq null) rawBytes else source.getAddress // not used if its length is 0
    new KernelSocket(KernelError.check(Kernel.connectTcp(
      rawBytes.at(0),
      rawBytes.length,
      SocketName.scopeOf(ip),
      port,
      from.at(0),
      if (source eq null) 0 else from.length,
      SocketName.scopeOf(source)
    )))
  }

  def connectUnix(path: String): Socket = {
    val bytes = SocketName.pathBytes(path)
    new KernelSocket(KernelError.check(Kernel.connectUnix(bytes.at(0), bytes.length - 1)))
  }
}
