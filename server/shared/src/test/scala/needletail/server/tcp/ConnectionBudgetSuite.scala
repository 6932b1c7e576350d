package needletail.server.tcp

import needletail.server.RawClient

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._
import scala.util.control.ControlThrowable

import needletail.async.Async
import needletail.http.Response
import needletail.io._
import needletail.io.platform.{ListenOptions, ListenSocket, Platform, PlatformLoop, Poller, Socket}
import needletail.io.system.SystemPlatform
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.connection.HttpProtocol
import needletail.server.operations.Log
import needletail.tcp.{Codec, Decoded, Decoder}
import needletail.testing.Suite

/** However a connection ends, or fails to begin, its place is free again. */
class ConnectionBudgetSuite extends Suite {

  /** Every byte is a message, answered by itself. */
  private object Bytes extends Codec[Byte, Byte] {
    def decoder(): Decoder[Byte] = (bytes, from, until) =>
      if (from == until) Decoded.More else Decoded.Message(bytes(from), from + 1)
    def encode(answer: Byte): Array[Byte] = Array(answer)
  }

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = 2,
    maxConnections = 4,
    crowdedIdleTimeout = 1.hour, // else a crowd would make room by itself
    log = Log.none
  )

  private def quietly[A](body: => A): A = {
    val before = EventLoop.onFailure
    EventLoop.onFailure = (_, _) => ()
    try body
    finally EventLoop.onFailure = before
  }

  /** Natively a socket whose peer has closed it by the time it looks takes that for a refusal. */
  private def isTurnedAway(server: TcpServer): Boolean =
    try new RawClient(server.port).isEnded
    catch { case _: java.net.ConnectException => true }

  private def untilOpen(server: TcpServer, count: Int): Unit = {
    def now = Await.result(server.statistics, 20.seconds)
    eventually(now.connectionsOpen == count, s"not $count open: $now")
  }

  private val failures: Seq[(String, () => Throwable)] = Seq(
    "an exception"             -> (() => new RuntimeException("no session")),
    "a stack overflow"         -> (() => new StackOverflowError),
    "a linkage error"          -> (() => new NoClassDefFoundError("missing")),
    "a control-flow throwable" -> (() => new ControlThrowable {}),
    "an interrupt"             -> (() => new InterruptedException)
  )

  for ((what, failure) <- failures)
    test(
      s"fault 5: a session function that fails with $what costs no place for good, and the server drains"
    ) {
      quietly {
        val left   = new AtomicInteger(12)
        val server = TcpServer.serve(Bytes, config) { _ =>
          if (left.getAndDecrement() > 0) throw failure()
          b => Answer(b)
        }
        try {
          for (_ <- 1 to 12) assert(isTurnedAway(server))
          untilOpen(server, 0)
          val client = new RawClient(server.port)
          assertEquals(client.send("x").readUntil("x"), "x")
          untilOpen(server, 1)
          client.close()
          Await.result(server.drain(), 20.seconds)
        } finally { server.close(); () }
      }
    }

  test(
    "fault 5: a server asked for more reports than it can give still drains, and forgets no connection's end"
  ) {
    val (begun, on) = (new CountDownLatch(1), new CountDownLatch(1))
    val server      = TcpServer.serve(Bytes, config.copy(loops = 1)) { _ => b =>
      if (b == 'w') {
        begun.countDown()
        on.await() // which must not be done on a loop
      }
      Answer(b)
    }
    val other  = new RawClient(server.port)
    val client = new RawClient(server.port)
    assertEquals(other.send("x").readUntil("x"), "x")
    client.send("w")
    begun.await()
    val reports = Vector.fill(20000)(server.statistics)
    other.close()
    val drained = server.drain()
    on.countDown()
    assertEquals(client.readUntil("w"), "w")
    Await.result(drained, 20.seconds)
    assert(client.isEnded)
    reports.foreach(report => Await.ready(report, 10.seconds))
    assert(reports.exists(_.value.exists(_.isSuccess)) && reports.exists(_.value.exists(_.isFailure)))
  }

  test("fault 5: a close is not refused either") {
    val (begun, on) = (new CountDownLatch(1), new CountDownLatch(1))
    val server      = TcpServer.serve(Bytes, config.copy(loops = 1, drainTimeout = 1.hour)) { _ => b =>
      if (b == 'w') {
        begun.countDown()
        on.await()
      }
      Async.sleep(1.hour).flatMap(_ => Answer(b))
    }
    val client = new RawClient(server.port)
    client.send("w")
    begun.await()
    for (_ <- 1 to 20000) server.statistics
    val closed = server.close()
    on.countDown()
    Await.result(closed, 20.seconds)
    assert(client.isEnded)
  }

  /** The system's platform, with so many descriptors. */
  private final class Descriptors(open: Int, soft: Int, hard: Int) extends Platform {
    import java.net.InetAddress
    private val system = SystemPlatform
    private var now    = soft

    override def openDescriptors: Int               = open
    override def allowDescriptors(wanted: Int): Int = {
      if (wanted > now) now = Math.min(wanted, hard)
      now
    }

    def openPoller(loop: PlatformLoop, kind: PollerKind): Poller            = system.openPoller(loop, kind)
    def connectTcp(ip: InetAddress, port: Int, source: InetAddress): Socket =
      system.connectTcp(ip, port, source)
    def connectUnix(path: String): Socket                                     = system.connectUnix(path)
    def listenTcp(ip: InetAddress, port: Int, o: ListenOptions): ListenSocket = system.listenTcp(ip, port, o)
    def listenUnix(path: String, options: ListenOptions): ListenSocket = system.listenUnix(path, options)
    def inherited(descriptor: Int): ListenSocket                       = system.inherited(descriptor)
    def listens(descriptor: Int): Boolean                              = system.listens(descriptor)
  }

  private final class Warnings extends Log {
    var lines                                          = Vector.empty[String]
    def warn(message: String): Unit                    = lines :+= message
    def error(message: String, cause: Throwable): Unit = ()
  }

  private def budget(maxConnections: Int, descriptors: Descriptors): (Int, Vector[String]) = {
    val warnings = new Warnings
    val settings = TcpSettings(config.copy(maxConnections = maxConnections, log = warnings))
    (ConnectionBudget.of(settings.copy(platform = descriptors)), warnings.lines)
  }

  test("fault 7: the limit of descriptors is raised where it may be") {
    assertEquals(
      budget(16384, new Descriptors(open = 20, soft = 1024, hard = 20000)),
      (16384, Vector.empty[String])
    )
  }

  test(
    "fault 7: where there are fewer descriptors than connections, as many as there are, and the log says so"
  ) {
    assertEquals(
      budget(16384, new Descriptors(open = 20, soft = 64, hard = 1024)),
      (
        1024 - 20 - 64,
        Vector(
          "at most 940 connections at once, not 16384: this process may open 1024 descriptors and has opened 20 " +
            "(ulimit -n, LimitNOFILE)"
        )
      )
    )
    assertEquals(budget(16384, new Descriptors(open = 14, soft = 64, hard = 64))._1, 64 - 14 - 8)
    assertEquals(budget(16384, new Descriptors(open = 30, soft = 32, hard = 32))._1, 1)
    // just enough for them, and less to spare
    assertEquals(budget(100, new Descriptors(open = 20, soft = 150, hard = 150)), (100, Vector.empty[String]))
  }

  test("fault 7: with few descriptors idle connections make room for new clients within a second") {
    val settings = TcpSettings(ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 2, log = Log.none))
    val few      = settings.copy(platform = new Descriptors(open = 14, soft = 64, hard = 64))
    val server   = TcpServer.start(few, HttpProtocol(_ => Response.ok("here"), ServerConfig()))
    try {
      val crowd =
        Vector.fill(3 * server.maxConnections)(new RawClient(server.port)) // more wait to be accepted
      val began = System.nanoTime()
      val last  = new RawClient(server.port)
      assert(last.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readUntil("here").startsWith("HTTP/1.1 200 "))
      val took = (System.nanoTime() - began).nanos
      // three times round, each in a tenth of a second, if the machine lets it; the idle timeout is 75 s
      assert(took < 20.seconds, took)
      crowd.foreach(_.close())
      last.close()
      Await.result(server.drain(), 20.seconds)
    } finally { server.close(); () }
  }

  test("fault 7: where accepting fails for want of descriptors, connections that idle are closed soon") {
    val loops    = new EventLoops(1, "test", daemon = true)
    val settings = TcpSettings(ServerConfig(address = Address.Tcp("127.0.0.1", 0), log = Log.none))
    val members  = new Array[PerLoopServer](1)
    val acceptor = new Acceptor(loops(0), settings, 1000, members, Promise[Unit]())
    try {
      val protocol = HttpProtocol(_ => Response.ok("here"), ServerConfig()).onLoop(loops(0), Log.none)
      members(0) =
        new PerLoopServer(0, loops(0), protocol, settings, acceptor.closed, (_, _) => (), (_, _) => ())
      acceptor.listener =
        Listener.prepare(
          settings.address,
          loops(0),
          ListenOptions(),
          acceptor.accepted,
          () => acceptor.shortOfDescriptors()
        )
      acceptor.listener.begin()
      val port = acceptor.listener.address match {
        case Address.Tcp(_, port) => port
        case other                => fail(s"no port: $other")
      }
      def ask(client: RawClient) = client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n").readUntil("here")
      val clients                = Vector.fill(5)(new RawClient(port))
      clients.foreach(ask)
      loops(0).execute(() => acceptor.shortOfDescriptors())
      assert(clients.forall(_.isEnded)) // each waits for it 20 seconds at most, of an idle timeout of 75
      ask(new RawClient(port))
    } finally loops.stop()
  }
}
