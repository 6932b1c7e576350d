package needletail.io

import java.net.InetAddress

/** See Platform.scala: Linux, by epoll or io_uring. */
private[needletail] object SystemPlatform extends Platform {
  def openPoller(loop: EventLoop, kind: PollerKind): Poller = KernelPoller.open(loop, kind)

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
    KernelSocket.connectTcp(ip, port, source)
  def connectUnix(path: String): Socket = KernelSocket.connectUnix(path)

  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    KernelListenSocket.tcp(ip, port, options)
  def listenUnix(path: String, options: ListenOptions): ListenSocket = KernelListenSocket.unix(path, options)

  def inherited(descriptor: Int): ListenSocket = KernelListenSocket.inherited(descriptor)
  def listens(descriptor: Int): Boolean        = KernelListenSocket.listens(descriptor)

  override def processorNanos(): Long = ProcessorTime.ofThisThread

  override def allowDescriptors(wanted: Int): Int = Kernel.allowDescriptors(wanted)
  override def openDescriptors: Int               = Kernel.openDescriptors()
}
