package needletail.io.system

import java.io.{File, IOException}
import java.net.InetAddress
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters.*

import needletail.io.platform.{
  ListenOptions,
  ListenSocket,
  Platform,
  PlatformLoop,
  Poller,
  PollerKind,
  Socket
}

/** See Platform.scala: `java.nio`, on the system interface that the JDK chooses. */
private[needletail] object SystemPlatform extends Platform {
  def openPoller(loop: PlatformLoop, kind: PollerKind): Poller = { val _ = kind; new NioPoller(loop) }

  def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
    NioSocket.connectTcp(ip, port, source)
  def connectUnix(path: String): Socket = NioSocket.connectUnix(path)

  def listenTcp(ip: InetAddress, port: Int, options: ListenOptions): ListenSocket =
    NioListenSocket.tcp(ip, port, options)
  def listenUnix(path: String, options: ListenOptions): ListenSocket = NioListenSocket.unix(path, options)

  def inherited(descriptor: Int): ListenSocket = NioListenSocket.inherited(descriptor)
  def listens(descriptor: Int): Boolean        = NioListenSocket.listens(descriptor)

  override def processorNanos(): Long = ProcessorTime.ofThisThread
  override def delayNanos(): Long     = ThreadDelay.ofThisThread

  /** The JDK has already raised it as far as allowed (-XX:+MaxFDLimit). */
  override def allowDescriptors(wanted: Int): Int =
    try {
      val line = Files.readAllLines(Path.of("/proc/self/limits")).asScala.find(_.startsWith("Max open files"))
      line.flatMap(_.split(" {2,}").lift(1)).flatMap(_.toIntOption).getOrElse(Int.MaxValue)
    } catch { case _: IOException => Int.MaxValue } // not Linux

  override def openDescriptors: Int = {
    val all = new File("/proc/self/fd").list()
    if (all eq null) 0 else all.length - 1 // without the one that is open for listing them
  }
}
