package needletail.io.system

import java.net.{
  InetAddress,
  InetSocketAddress,
  Socket as JdkSocket,
  SocketAddress,
  SocketOption,
  StandardSocketOptions
}
import java.nio.ByteBuffer
import java.nio.channels.SocketChannel
import java.nio.channels.spi.SelectorProvider

import needletail.io.platform.{ConnectionOptions, Socket}

/**
 * A channel over a socket of another platform, such as the simulation's: so TLS, which is written for channels, secures
 * that too. No selector can watch it.
 */
private[io] final class ChannelOver(val over: Socket) extends SocketChannel(SelectorProvider.provider) {
  private var connected = false

  def read(to: ByteBuffer): Int = {
    val bytes = new Array[Byte](to.remaining)
    val n     = over.read(bytes, 0, bytes.length)
    if (n > 0) to.put(bytes, 0, n)
    n
  }

  def write(from: ByteBuffer): Int = {
    val start = from.position()
    val bytes = new Array[Byte](from.remaining)
    from.get(bytes)
    from.position(start)
    val n = if (bytes.length == 0) 0 else over.write(bytes, 0, bytes.length)
    from.position(start + n)
    n
  }

  def shutdownOutput(): SocketChannel = {
    over.shutdownOutput()
    this
  }

  protected def implCloseSelectableChannel(): Unit = over.close()

  def isConnected: Boolean         = connected
  def isConnectionPending: Boolean = !connected
  def finishConnect(): Boolean     = {
    connected = over.finishConnect()
    connected
  }

  def getRemoteAddress: SocketAddress = ChannelOver.parse(over.remoteAddress)
  def getLocalAddress: SocketAddress  = ChannelOver.parse(over.localAddress)

  def setOption[T](name: SocketOption[T], value: T): SocketChannel = {
    if (name == StandardSocketOptions.SO_LINGER) over.resetOnClose()
    else if (name == StandardSocketOptions.TCP_NODELAY) over.configure(ConnectionOptions.default)
    this
  }

  def supportedOptions: java.util.Set[SocketOption[?]]      = java.util.Set.of()
  protected def implConfigureBlocking(block: Boolean): Unit = ()

  private def unused: Nothing                                   = throw new UnsupportedOperationException
  def shutdownInput(): SocketChannel                            = unused
  def bind(local: SocketAddress): SocketChannel                 = unused
  def connect(remote: SocketAddress): Boolean                   = unused
  def getOption[T](name: SocketOption[T]): T                    = unused
  def socket: JdkSocket                                         = unused
  def read(to: Array[ByteBuffer], from: Int, count: Int): Long  = unused
  def write(from: Array[ByteBuffer], at: Int, count: Int): Long = unused
}

private object ChannelOver {

  /** An address in the form of AddressText; null if there is none. */
  private def parse(text: String): SocketAddress = {
    val colon = text.lastIndexOf(':')
    if (colon < 0) null
    else
      new InetSocketAddress(InetAddress.getByName(text.substring(0, colon)), text.substring(colon + 1).toInt)
  }
}
