package needletail.io.system

import java.net.InetAddress

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.platform.{
  ListenOptions,
  ListenSocket,
  Platform,
  PlatformLoop,
  Poller,
  PollerKind,
  Socket
}

/** See Platform.scala: Linux, by epoll or io_uring. */
private[needletail] object SystemPlatform extends Platform {

  /** Opens the requested kind; epoll if the system does not allow it. */
  def openPoller(loop: PlatformLoop, kind: PollerKind): Poller = {
    val waker = KernelError.check(Kernel.wakeOpen())
    try
      kind.chosen match {
        case PollerKind.IoUring =>
          val ring = UringPoller.openRing(waker)
          if (ring eq null) new EpollPoller(loop, waker) else new UringPoller(loop, waker, ring)
        case _ => new EpollPoller(loop, waker)
      }
    catch {
      case e: Throwable =>
        Kernel.close(waker)
        throw e
    }
  }

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
    KernelSocket.connectTcp(ip, port, source)
  def connectUnix(path: String): Socket = KernelSocket.connectUnix(path)

  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    KernelListenSocket.tcp(ip, port, options)
  def listenUnix(path: String, options: ListenOptions): ListenSocket = KernelListenSocket.unix(path, options)

  def inherited(descriptor: Int): ListenSocket = KernelListenSocket.inherited(descriptor)
  def listens(descriptor: Int): Boolean        = KernelListenSocket.listens(descriptor)

  override def processorNanos(): Long = ProcessorTime.ofThisThread
  override def waits(): Long          = Kernel.threadWaits()

  override def allowDescriptors(wanted: Int): Int = Kernel.allowDescriptors(wanted)
  override def openDescriptors: Int               = Kernel.openDescriptors()
}
