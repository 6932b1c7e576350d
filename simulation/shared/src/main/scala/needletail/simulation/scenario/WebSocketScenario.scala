package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.io.{Address, EventLoops}
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.reader.SocketTap
import needletail.simulation.service.{Service, Sockets, Told, UserCode}
import needletail.simulation.visit.{HttpProbe, IdleSocket, RawSocketServer, SocketCall, SocketVisit}
import needletail.simulation.world.World
import needletail.websocket.{PerMessageDeflate, WebSocketClient, WebSocketClientConfig, WebSocketConfig}

/**
 * A server of WebSockets; clients that write frames themselves, well and badly; and the library's client on loops of its
 * own. Each message that arrives is its connection's own, whole and in order, and each listener is told the end once.
 */
final class WebSocketScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 3),
    maxConnections = dice.pick(Seq(2, 16, 64)),
    memoryBudget = dice.pick(Seq(0L, 0L, 1024L * 1024)),
    headTimeout = 2.seconds,
    idleTimeout = 5.seconds,
    crowdedIdleTimeout = 100.millis,
    writeTimeout = 3.seconds,
    handlerTimeout = 4.seconds,
    maxPendingOutput = dice.pick(Seq(1, 1000, 256 * 1024)),
    lingerTimeout = 1.second,
    drainGrace = 200.millis,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    operations = Some(operations),
    log = new WorldLog(world, code)
  )

  private val settings = WebSocketConfig(
    maxMessage = dice.pick(Seq(120000, 1024 * 1024)),
    maxPendingOutput = dice.pick(Seq(1, 1000, 1024 * 1024)),
    compression = if (dice.chance(40)) None
    else
      Some(PerMessageDeflate(
        level = dice.between(1, 9),
        minSize = dice.pick(Seq(0, 64)),
        contextTakeover = dice.chance(50),
        maxWindowBits = dice.pick(Seq(9, 15, 15))
      )),
    pingInterval = dice.pick(Seq(300.millis, 2.seconds)),
    pingTimeout = 2.seconds,
    closeTimeout = 1.second
  )

  private val told    = new Told(world, code, mayBeShort = true)
  private val sockets = new Sockets(world, code, settings, told)

  // In some simulations the library's client is there too. Fatal errors are tested in the others.
  private val calls = if (dice.chance(50)) dice.size(8) else 0
  if (calls > 0) world.weather = world.weather.copy(fatal = false)

  private var taps = List.empty[SocketTap]

  def run(): Unit = {
    val coders = codersInUse
    val server = Server(Routes(service.routes, sockets.routes), config).startOn(world.platform)
    val visits = (1 to dice.size(8)).map { n =>
      var visit: SocketVisit = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        visit = new SocketVisit(world, n, server.port, sockets)
      }
      () => visit
    }
    val clients = new Clients(server.port)
    if (dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) {
      told.drains = true
      server.drain()
      ()
    }
    world.run(400.seconds.toNanos)(
      visits.forall(v => v() != null && v().isOver) && clients.areOver || world.fatalLoops > 0
    )
    world.clearUp()
    clients.check()
    visits.foreach(v => if (v() != null) v().check())
    finish(world, code, server, new HttpProbe(world, server.port))
    told.check()
    taps.foreach(_.end())
    if (sockets.inRoom != 0 && world.fatalLoops == 0)
      world.found(s"${sockets.inRoom} WebSockets are left in the room")
    checkCoders(world, coders)
  }

  private var idle = List.empty[IdleSocket]

  override protected def whenIdle(server: RunningServer): Unit = {
    idle =
      Seq(true, true, false).take(config.maxConnections).map(new IdleSocket(world, server.port, _)).toList
    world.pass(1.second.toNanos)
    told.drains = true
  }

  override protected def hasDrained(): Unit = idle.foreach(_.check())

  /** The library's client, and its WebSockets. */
  private final class Clients(port: Int) {
    private val loops =
      if (calls == 0) null else new EventLoops(dice.between(1, 2), "client", platform = world.platform)
    private val random = dice.split()
    private val client = if (calls == 0) null
    else
      WebSocketClient(
        WebSocketClientConfig(
          settings.copy(compression = if (dice.chance(50)) settings.compression else None),
          connectTimeout = 1.second,
          handshakeTimeout = 2.seconds,
          maxUnsent = dice.pick(Seq(1, 1000, 256 * 1024)),
          writeTimeout = 3.seconds
        ),
        loops,
        bytes => for (i <- bytes.indices) bytes(i) = random.below(256).toByte
      )
    private val raw =
      if (calls == 0) null else new RawSocketServer(world, settings.maxMessage, world.weather.throws > 0)
    private val made = (1 to calls).map { n =>
      var call: SocketCall = null
      val to               = if (dice.chance(40)) raw.port else port
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        call =
          new SocketCall(world, code, told, client, loops(dice.below(loops.size)), 20 + n, to, to != port)
      }
      () => call
    }
    if (calls > 0) world.network.onConnect = (to, end) =>
      if (to == port) {
        val tap = new SocketTap(what => world.found(s"connection ${end.index}: $what"))
        taps ::= tap
        end.onSent = tap.client
        end.peer.onSent = tap.server
      }

    def areOver: Boolean = made.forall(c => c() != null && c().isOver)

    def check(): Unit = if (calls > 0) {
      if (world.fatalLoops == 0 && !areOver)
        world.found(s"${made.count(c => !c().isOver)} WebSockets of clients have not ended")
      world.pass(5.seconds.toNanos)
      client.close()
      raw.close()
      loops.stop()
    }
  }
}
