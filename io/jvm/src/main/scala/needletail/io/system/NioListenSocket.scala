package needletail.io.system

import java.io.IOException
import java.net.{
  BindException,
  InetAddress,
  InetSocketAddress,
  SocketAddress,
  StandardProtocolFamily,
  StandardSocketOptions,
  UnixDomainSocketAddress
}
import java.nio.channels.{SelectionKey, ServerSocketChannel, SocketChannel}

import needletail.io.platform.{AddressInUse, Interest, ListenOptions, ListenSocket, Socket}

/** See Platform.scala. `channel` is bound and in non-blocking mode. */
private[io] final class NioListenSocket(override private[io] val channel: ServerSocketChannel)
    extends ListenSocket {
  override private[io] def operations(interest: Int): Int =
    if (interest == Interest.None) 0 else SelectionKey.OP_ACCEPT

  def accept(): Socket = {
    var socket: Socket         = null
    var channel: SocketChannel = this.channel.accept()
    while ((channel ne null) && (socket eq null))
      try {
        channel.configureBlocking(false)
        socket = new NioSocket(channel)
      } catch {
        case _: IOException => // this connection broke in the backlog
          channel.close()
          channel = this.channel.accept()
      }
    socket
  }

  def port: Int = channel.getLocalAddress match {
    case tcp: InetSocketAddress => tcp.getPort
    case _                      => 0
  }

  def close(): Unit = NioSocket.close(channel)

  def localAddress: String = NioSocket.render(channel.getLocalAddress)
}

private[io] object NioListenSocket {

  /**
   * The JVM can take over standard input only. It then takes standard output and error away from the program, as a
   * super-server may have made them the same socket.
   */
  def listens(descriptor: Int): Boolean =
    descriptor == 0 && System.inheritedChannel.isInstanceOf[ServerSocketChannel]

  def inherited(descriptor: Int): ListenSocket =
    if (descriptor != 0)
      throw new IOException("on the JVM a socket can be inherited as standard input only")
    else
      System.inheritedChannel match {
        case channel: ServerSocketChannel =>
          channel.configureBlocking(false)
          new NioListenSocket(channel)
        case _ => throw new IOException("it is not a listening socket")
      }

  def tcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket = {
    val channel = ServerSocketChannel.open()
    val to      = if (ip eq null) new InetSocketAddress(port) else new InetSocketAddress(ip, port)
    try bind(channel, to, options) {
        channel.setOption(StandardSocketOptions.SO_REUSEADDR, java.lang.Boolean.valueOf(options.reuseAddress))
        if (options.reusePort) {
          if (!channel.supportedOptions().contains(StandardSocketOptions.SO_REUSEPORT))
            throw new IOException("SO_REUSEPORT is not supported by this system")
          channel.setOption(StandardSocketOptions.SO_REUSEPORT, java.lang.Boolean.TRUE)
          ()
        }
      }
    catch { case e: BindException if port >= Unprivileged && hasFreePort(to.getAddress) => throw inUse(e) }
  }

  /** The JVM throws the same for another machine's address and for want of permission; its words are translated. */
  private def hasFreePort(ip: InetAddress): Boolean =
    try {
      val channel = ServerSocketChannel.open()
      try { channel.bind(new InetSocketAddress(ip, 0)); true }
      finally channel.close()
    } catch { case _: IOException => false }

  private def inUse(e: BindException) = {
    val clear = new AddressInUse(e.getMessage)
    clear.initCause(e)
    clear
  }

  /** The first port that needs no permission, usually. */
  private final val Unprivileged = 1024

  def unix(path: String, options: ListenOptions): ListenSocket =
    bind(ServerSocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(path), options)(())

  private def bind(channel: ServerSocketChannel, to: SocketAddress, options: ListenOptions)(
      configure: => Unit
  ): ListenSocket =
    try {
      configure
      channel.configureBlocking(false)
      channel.bind(to, options.backlog)
      new NioListenSocket(channel)
    } catch {
      case e: Throwable =>
        channel.close()
        throw e
    }
}
