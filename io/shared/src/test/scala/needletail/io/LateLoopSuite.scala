package needletail.io

import java.net.InetAddress

import scala.concurrent.duration.*

import needletail.io.platform.{Descriptor, ListenSocket, Platform, PlatformLoop, Pollable, Poller, Socket}
import needletail.io.system.SystemPlatform
import needletail.testing.Pause

/** A loop that has stood still finds what came in the meantime before it finds that it came too late. */
class LateLoopSuite extends LoopSuite {

  /** The system's, whose waits end without telling anything while it is blind: as they do when a signal interrupts. */
  private final class Blind extends Platform {
    @volatile var isBlind = false

    def openPoller(loop: PlatformLoop, kind: PollerKind): Poller = new Poller {
      private val inner = SystemPlatform.openPoller(loop, kind)

      def name: String = inner.name

      def register(d: Descriptor, source: Pollable, interest: Int): Unit = inner.register(d, source, interest)
      def setInterest(d: Descriptor, interest: Int): Unit                = inner.setInterest(d, interest)
      def forget(d: Descriptor): Unit                                    = inner.forget(d)
      def poll(timeoutMillis: Int): Unit     = if (isBlind) Pause(1.milli) else inner.poll(timeoutMillis)
      def wakeUp(): Unit                     = inner.wakeUp()
      def foreach(f: Pollable => Unit): Unit = inner.foreach(f)
      def close(): Unit                      = inner.close()
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

  test("what came before a deadline is handed over before that is told, whatever a wait has told of it") {
    val platform = new Blind
    val loops    = new EventLoops(1, "late", daemon = true, platform = platform)
    try {
      val loop     = loops(0)
      val events   = new Events
      val served   = scala.concurrent.Promise[Connection]()
      val listener = listen(loop) { c =>
        served.success(c)
        new Recorder(events)
      }
      withClient(listener) { client =>
        val connection = scala.concurrent.Await.result(served.future, patience)
        on(loop) { connection.deadline = loop.nowNanos + 300.millis.toNanos }
        platform.isBlind = true
        send(client, "in time")
        events.expect("data in time", "deadline") // the same one: no other was set
        on(loop) { connection.deadline = loop.nowNanos + 1.millis.toNanos }
        events.expect("deadline")
      }
    } finally {
      platform.isBlind = false
      loops.stop()
      scala.concurrent.Await.result(loops.stopped, patience)
    }
  }
}
