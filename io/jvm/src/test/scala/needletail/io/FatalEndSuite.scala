package needletail.io

import java.net.InetAddress

import scala.concurrent.Await

import needletail.io.platform.{
  Descriptor,
  ListenOptions,
  ListenSocket,
  Platform,
  PlatformLoop,
  Pollable,
  Poller,
  Socket
}
import needletail.io.system.SystemPlatform

/** Loops whose memory has run out when they end. */
class FatalEndSuite extends LoopSuite {

  /** The system's, whose pollers fail to close. */
  private final class Exhausted extends Platform {
    def openPoller(loop: PlatformLoop, kind: PollerKind): Poller = new Poller {
      private val inner = SystemPlatform.openPoller(loop, kind)

      def name: String                                                   = inner.name
      def register(d: Descriptor, source: Pollable, interest: Int): Unit = inner.register(d, source, interest)
      def setInterest(d: Descriptor, interest: Int): Unit                = inner.setInterest(d, interest)
      def forget(d: Descriptor): Unit                                    = inner.forget(d)
      def poll(timeoutMillis: Int): Unit                                 = inner.poll(timeoutMillis)
      def wakeUp(): Unit                                                 = inner.wakeUp()
      def foreach(f: Pollable => Unit): Unit                             = inner.foreach(f)
      def close(): Unit                                                  = {
        inner.close()
        throw new OutOfMemoryError("for a test")
      }
    }

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

  test("who waits for the end of the loops learns of it, though they fail to release what they have") {
    val loops = new EventLoops(2, "exhausted", daemon = true, platform = new Exhausted)
    loops.stop()
    Await.result(loops.stopped, patience)
  }
}
