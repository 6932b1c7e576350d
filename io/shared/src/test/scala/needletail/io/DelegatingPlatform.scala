package needletail.io

import java.net.InetAddress

import needletail.io.platform.{
  Descriptor,
  ListenOptions,
  ListenSocket,
  Platform,
  PlatformLoop,
  Pollable,
  Poller,
  PollerKind,
  Socket
}
import needletail.io.system.SystemPlatform

/** The system's platform, but for what a test does in another way. */
private[io] abstract class DelegatingPlatform extends Platform {

  /** What wraps a poller of the system's. */
  def wrapped(poller: Poller): Poller = poller

  def openPoller(loop: PlatformLoop, kind: PollerKind): Poller =
    wrapped(SystemPlatform.openPoller(loop, kind))

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
    SystemPlatform.connectTcp(ip, port, source)
  def connectUnix(path: String): Socket = SystemPlatform.connectUnix(path)
  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    SystemPlatform.listenTcp(ip, port, options)
  def listenUnix(path: String, options: ListenOptions): ListenSocket =
    SystemPlatform.listenUnix(path, options)
  def inherited(descriptor: Int): ListenSocket = SystemPlatform.inherited(descriptor)
  def listens(descriptor: Int): Boolean        = SystemPlatform.listens(descriptor)
}

/** Does what another poller does. */
private[io] class DelegatingPoller(inner: Poller) extends Poller {
  def name: String                                                   = inner.name
  def register(d: Descriptor, source: Pollable, interest: Int): Unit = inner.register(d, source, interest)
  def setInterest(d: Descriptor, interest: Int): Unit                = inner.setInterest(d, interest)
  def forget(d: Descriptor): Unit                                    = inner.forget(d)
  def poll(timeoutMillis: Int): Unit                                 = inner.poll(timeoutMillis)
  def wakeUp(): Unit                                                 = inner.wakeUp()
  def foreach(f: Pollable => Unit): Unit                             = inner.foreach(f)
  def close(): Unit                                                  = inner.close()
}
