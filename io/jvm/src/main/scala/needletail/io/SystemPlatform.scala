package needletail.io

import java.net.InetAddress

/** See Platform.scala: `java.nio`. Which of the system's interfaces that stands on is the JDK's choice. */
private[needletail] object SystemPlatform extends Platform {
  def openPoller(loop: EventLoop, kind: PollerKind): Poller = { val _ = kind; new NioPoller(loop) }

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
    NioSocket.connectTcp(ip, port, source)
  def connectUnix(path: String): Socket = NioSocket.connectUnix(path)

  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    NioListenSocket.tcp(ip, port, options)
  def listenUnix(path: String, options: ListenOptions): ListenSocket = NioListenSocket.unix(path, options)

  def inherited(descriptor: Int): ListenSocket = NioListenSocket.inherited(descriptor)
  def listens(descriptor: Int): Boolean        = NioListenSocket.listens(descriptor)
}
