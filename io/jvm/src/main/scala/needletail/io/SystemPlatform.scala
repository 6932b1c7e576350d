package needletail.io

import java.io.{File, IOException}
import java.net.InetAddress
import java.nio.file.{Files, Path}

import scala.jdk.CollectionConverters.*

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

  override def processorNanos(): Long = ProcessorTime.ofThisThread

  /** The JDK has raised it already as far as it may (-XX:+MaxFDLimit). */
  override def allowDescriptors(wanted: Int): Int =
    try {
      val line = Files.readAllLines(Path.of("/proc/self/limits")).asScala.find(_.startsWith("Max open files"))
      line.flatMap(_.split(" {2,}").lift(1)).flatMap(_.toIntOption).getOrElse(Int.MaxValue)
    } catch { case _: IOException => Int.MaxValue } // not Linux

  override def openDescriptors: Int = {
    val all = new File("/proc/self/fd").list()
    if (all eq null) 0 else all.length - 1 // without the one by which they are listed
  }
}
