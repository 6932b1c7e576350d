package needletail.io.system

import java.io.IOException
import java.net.{
  InetAddress,
  InetSocketAddress,
  SocketAddress,
  SocketOption,
  StandardProtocolFamily,
  StandardSocketOptions,
  UnixDomainSocketAddress
}
import java.nio.channels.{SelectableChannel, SelectionKey, SocketChannel}

import jdk.net.ExtendedSocketOptions

import needletail.io.dns.AddressText
import needletail.io.platform.{ConnectionOptions, DiskFile, Interest, Socket}

/** See Platform.scala. `channel` is in non-blocking mode. */
private[io] class NioSocket(override private[io] val channel: SocketChannel) extends Socket {

  // Kept because a closed channel does not have it.
  private var remote: SocketAddress = channel.getRemoteAddress

  override private[io] def operations(interest: Int): Int =
    if (interest == Interest.Write && !channel.isConnected) SelectionKey.OP_CONNECT else interest

  def read(bytes: Array[Byte], from: Int, count: Int): Int = {
    val transfer = buffers.forBytes(count)
    transfer.clear()
    if (count < transfer.capacity) transfer.limit(count)
    val n = channel.read(transfer)
    if (n > 0) transfer.get(0, bytes, from, n)
    n
  }

  def write(bytes: Array[Byte], from: Int, count: Int): Int = {
    val transfer = buffers.forBytes(count)
    var done     = 0
    var willing  = true // the kernel has taken everything offered so far
    while (willing && done < count) {
      val piece = math.min(count - done, transfer.capacity)
      transfer.clear()
      transfer.put(bytes, from + done, piece)
      transfer.flip()
      val n = channel.write(transfer)
      done += n
      willing = n == piece
    }
    done
  }

  override def writeBoth(
      first: Array[Byte],
      firstCount: Int,
      bytes: Array[Byte],
      from: Int,
      count: Int
  ): Int = {
    val transfer = if (isSecure) null else buffers.forBytes(firstCount + count)
    if ((transfer eq null) || transfer.capacity <= firstCount)
      super.writeBoth(first, firstCount, bytes, from, count)
    else {
      val piece = math.min(count, transfer.capacity - firstCount)
      transfer.clear()
      transfer.put(first, 0, firstCount).put(bytes, from, piece).flip()
      val n = channel.write(transfer)
      if (n < firstCount + piece || piece == count) n else n + write(bytes, from + piece, count - piece)
    }
  }

  override def sendsFiles: Boolean = !isSecure

  override def send(file: DiskFile, position: Long, count: Int): Int = {
    // the flag that a handler has left on this thread would close the file, which others read, too
    val _ = Thread.interrupted()
    val n = file.channel.transferTo(position, count.toLong, channel).toInt
    if (n == 0 && count > 0 && file.channel.size <= position) -1 else n
  }

  def finishConnect(): Boolean = channel.isConnected || channel.finishConnect() && {
    remote = channel.getRemoteAddress
    true
  }

  def shutdownOutput(): Unit = { channel.shutdownOutput(); () }

  def resetOnClose(): Unit =
    if (isTcp) { channel.setOption(StandardSocketOptions.SO_LINGER, Integer.valueOf(0)); () }

  def configure(options: ConnectionOptions): Unit = {
    if (isTcp) {
      if (options.noDelay) channel.setOption(StandardSocketOptions.TCP_NODELAY, java.lang.Boolean.TRUE)
      if (options.keepAlive) channel.setOption(StandardSocketOptions.SO_KEEPALIVE, java.lang.Boolean.TRUE)
    }
    options.sendBuffer.foreach(n => channel.setOption(StandardSocketOptions.SO_SNDBUF, Integer.valueOf(n)))
    options.receiveBuffer.foreach(n => channel.setOption(StandardSocketOptions.SO_RCVBUF, Integer.valueOf(n)))
  }

  override def probeWhenSilent(idleSeconds: Int): Unit = if (isTcp) {
    def set(option: SocketOption[Integer], value: Int): Unit =
      if (channel.supportedOptions.contains(option)) { channel.setOption(option, Integer.valueOf(value)); () }
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, java.lang.Boolean.TRUE)
    set(ExtendedSocketOptions.TCP_KEEPIDLE, idleSeconds)
    set(ExtendedSocketOptions.TCP_KEEPINTERVAL, math.max(1, idleSeconds / 3))
    set(ExtendedSocketOptions.TCP_KEEPCOUNT, 3)
  }

  def close(): Unit = NioSocket.close(channel)

  def remoteAddress: String = NioSocket.render(remote)

  def localAddress: String =
    try NioSocket.render(channel.getLocalAddress)
    catch { case _: IOException => "" }

  override private[needletail] def carrier: Socket = channel match {
    case made: ChannelOver => made.over
    case _                 => this
  }

  private def isTcp: Boolean = remote.isInstanceOf[InetSocketAddress]
}

private[io] object NioSocket {

  /** The channel of a socket; one over it if it is another platform's. */
  def channelOf(socket: Socket): SocketChannel = socket match {
    case nio: NioSocket => nio.channel
    case other          => new ChannelOver(other)
  }

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket = {
    val from = if (source eq null) null else new InetSocketAddress(source, 0)
    connect(SocketChannel.open(), new InetSocketAddress(ip, port), from)
  }

  def connectUnix(path: String): Socket =
    connect(SocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(path), null)

  private def connect(channel: SocketChannel, to: SocketAddress, from: SocketAddress): Socket =
    try {
      channel.configureBlocking(false)
      if (from ne null) channel.bind(from)
      channel.connect(to)
      new NioSocket(channel)
    } catch {
      case e: Throwable =>
        channel.close()
        throw e
    }

  def close(channel: SelectableChannel): Unit =
    try channel.close()
    catch { case _: IOException => () } // the kernel has released it anyway

  def render(address: SocketAddress): String = address match {
    case tcp: InetSocketAddress        => AddressText.render(tcp.getAddress.getAddress, tcp.getPort)
    case unix: UnixDomainSocketAddress => unix.getPath.toString
    case _                             => ""
  }
}
