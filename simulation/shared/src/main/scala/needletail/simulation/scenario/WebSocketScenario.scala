package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.io.EventLoops
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.peer.{HttpProbe, PeerGroup}
import needletail.simulation.peer.websocket.{
  ClientWebSocket,
  IdleWebSocket,
  RawWebSocketClient,
  RawWebSocketServer
}
import needletail.simulation.reader.FrameTap
import needletail.simulation.service.{ListenerChecks, Service, UserCode, WebSocketService}
import needletail.simulation.world.World
import needletail.websocket.{PerMessageDeflate, WebSocketClient, WebSocketClientConfig, WebSocketConfig}

/**
 * A server of WebSockets; clients that write frames themselves, well and badly; and the library's client on loops of its
 * own. Each message that arrives is its connection's own, whole and in order, and each listener is told the end once.
 */
final class WebSocketScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  // Fatal errors are rare otherwise, and even more so where one ends a loop of the client.
  if (random.percent(10)) world.faults = world.faults.deadly

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = random.between(1, 3),
    maxConnections = random.pick(Seq(2, 16, 64)),
    memoryBudget = random.pick(Seq(0L, 0L, 1024L * 1024)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024))
  )

  private val settings = WebSocketConfig(
    maxMessage = random.pick(Seq(120000, 1024 * 1024)),
    maxPendingOutput = random.pick(Seq(1, 1000, 1024 * 1024)),
    compression = if (random.percent(40)) None
    else
      Some(PerMessageDeflate(
        level = random.between(1, 9),
        minSize = random.pick(Seq(0, 64)),
        contextTakeover = random.percent(50),
        maxWindowBits = random.pick(Seq(9, 15, 15))
      )),
    pingInterval = random.pick(Seq(300.millis, 2.seconds)),
    pingTimeout = 2.seconds,
    closeTimeout = 1.second
  )

  private val checks  = new ListenerChecks(world, code, mayBeShort = true)
  private val sockets = new WebSocketService(world, code, settings, checks)

  // In some simulations the library's client is there too.
  private val calls = if (random.percent(50)) random.skewed(8) else 0

  private var taps = List.empty[FrameTap]

  def run(): Unit = {
    val coders = codersInUse
    val server = Server(Routes(service.routes, sockets.routes), config).startOn(world.platform)
    val peers  =
      new PeerGroup(world, random.skewed(8))(n => new RawWebSocketClient(world, n, server.port, sockets))
    val clients = new Clients(server.port)
    readMetrics(world, server.port)
    if (random.percent(25)) world.after(random.longBetween(0, 3000000000L)) {
      checks.drains = true
      server.drain()
      ()
    }
    world.run(400.seconds.toNanos)(
      (peers.areOver || world.fatalLoops > 0) && (clients.areOver || clients.haveFailed)
    )
    world.stopFaults()
    clients.check()
    peers.check()
    finish(world, code, server, new HttpProbe(world, server.port), clients.loops)
    checks.check()
    taps.foreach(_.end())
    if (sockets.inRoom != 0 && world.fatalLoops == 0)
      world.found(s"${sockets.inRoom} WebSockets are left in the room")
    checkCoders(world, coders)
  }

  private var idle = List.empty[IdleWebSocket]

  override protected def whenIdle(server: RunningServer): Unit = {
    idle =
      Seq(true, true, false).take(config.maxConnections).map(new IdleWebSocket(world, server.port, _)).toList
    world.pass(1.second.toNanos)
    checks.drains = true
  }

  override protected def hasDrained(): Unit = idle.foreach(_.check())

  /** The library's client, and its WebSockets. */
  private final class Clients(port: Int) {
    val loops: EventLoops =
      if (calls == 0) null else new EventLoops(random.between(1, 2), "client", platform = world.platform)
    private val maskRandom = random.split()
    private val client     = if (calls == 0) null
    else
      WebSocketClient(
        WebSocketClientConfig(
          settings.copy(compression = if (random.percent(50)) settings.compression else None),
          connectTimeout = 1.second,
          handshakeTimeout = 2.seconds,
          maxUnsent = random.pick(Seq(1, 1000, 256 * 1024)),
          writeTimeout = 3.seconds
        ),
        loops,
        bytes => for (i <- bytes.indices) bytes(i) = maskRandom.below(256).toByte
      )
    private val raw =
      if (calls == 0) null else new RawWebSocketServer(world, settings.maxMessage, world.faults.throws > 0)
    private val made = (1 to calls).map { n =>
      var call: ClientWebSocket = null
      val to                    = if (random.percent(40)) raw.port else port
      world.after(random.longBetween(0, random.pick(Seq(1L, 10000000L, 3000000000L)))) {
        call =
          new ClientWebSocket(
            world,
            code,
            checks,
            client,
            loops(random.below(loops.size)),
            20 + n,
            to,
            to != port
          )
      }
      () => call
    }
    if (calls > 0) world.network.onConnect = (to, end) =>
      if (to == port) {
        val tap = new FrameTap(what => world.found(s"connection ${end.index}: $what"))
        taps ::= tap
        end.onSent = tap.client
        end.peer.onSent = tap.server
      }

    def haveFailed: Boolean = failed(world, loops) > 0

    def areOver: Boolean = made.forall(c => c() != null && c().isOver)

    def check(): Unit = if (calls > 0) {
      if (!haveFailed && !areOver)
        world.found(s"${made.count(c => !c().isOver)} WebSockets of clients have not ended")
      world.pass(5.seconds.toNanos)
      client.close()
      raw.close()
      loops.stop()
    }
  }
}
