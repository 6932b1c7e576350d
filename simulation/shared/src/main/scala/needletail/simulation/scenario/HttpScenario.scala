package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.server._
import needletail.simulation.peer.{HttpExchange, HttpProbe, PeerGroup, RawHttpClient}
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.World

/** An HTTP server with routes, limits and a drain, and some random clients. */
final class HttpScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  // In some simulations nothing happens that would reset a slow but steady reader.
  private val isFair = random.percent(20)
  if (isFair) world.faults = world.faults.undisturbed

  // In some there are fewer descriptors than allowed connections, as if the rest of the program had the others.
  if (!isFair && random.percent(10)) world.network.mostDescriptors = random.between(3, 12)

  private val config = Scenario.serverConfig(world, code, operations).copy(
    loops = random.between(1, 3),
    maxConnections = if (isFair) 64 else random.pick(Seq(1, 2, 3, 16, 64)),
    maxBody = random.pick(Seq(5000L, 1000000L)),
    maxBodyInMemory = random.pick(Seq(2000, 500000)),
    maxUnreadBody = random.pick(Seq(0, 1000, 256 * 1024)),
    memoryBudget = if (isFair) 0 else random.pick(Seq(0L, 0L, 256L * 1024, 2L * 1024 * 1024)),
    maxPipelined = random.pick(Seq(1, 2, 16)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
    overload = if (random.percent(50)) OverloadConfig.off
    else
      OverloadConfig(
        grace = Duration.Zero,
        leastInFlight = 1,
        initialInFlight = random.pick(Seq(1, 4, 1024))
      )
  )

  private var news: HttpExchange = null

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    val peers  = new PeerGroup(world, random.skewed(8))(n =>
      new RawHttpClient(world, n, server.port, isSteady = isFair && n == 1)
    )
    readMetrics(world, server.port)
    // sometimes it is told to drain in between
    val isDrained = !isFair && (random.percent(25) || service.isWrapped && world.seed % 40 < 20)
    if (isDrained) world.after(random.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(peers.areOver || world.fatalLoops > 0)
    world.stopFaults()
    peers.check()
    if (isFair && !peers.first.isServed)
      world.found("a reader who is slow and steady was not given all that it asked for")
    finish(world, code, server, new HttpProbe(world, server.port))
  }

  override protected def whenIdle(server: RunningServer): Unit = {
    if (config.overload == OverloadConfig.off) havePlaces(server)
    welcomesNew(server)
    // with one request at a time in some only, so that the other seeds stay what they are
    if (config.maxPipelined > 1 || service.isWrapped) noticesEnds(server)
    // an event stream that waits ends with the drain
    news = new HttpExchange(world, server.port, random.pick(Seq("/events", "/news")))
    world.pass(1.second.toNanos)
  }

  /** A client that goes away while its handler waits is noticed, whether or not it could have sent another request. */
  private def noticesEnds(server: RunningServer): Unit = {
    val body = random.percent(30)
    val call = new HttpExchange(
      world,
      server.port,
      "/never",
      if (body) Service.ascii("hello") else null,
      version = random.pick(Seq("HTTP/1.1", "HTTP/1.0")),
      fields = random.pick(Seq("", "Connection: close\r\n", "Connection: keep-alive\r\n"))
    )
    val (waiting, givenUp) = (service.waiting, service.givenUp)
    world.run(1.second.toNanos)(service.waiting > waiting || call.answer.nonEmpty)
    if (service.waiting > waiting) {
      call.close()
      // halfCloseGrace is one second, and the handler's time is longer
      if (!world.run(1500.millis.toNanos)(service.givenUp > givenUp))
        world.found("a handler was not told that its client has gone")
      world.pass(10.seconds.toNanos)
    } else call.close()
  }

  override protected def hasDrained(): Unit = if (news != null && news.answer.isEmpty)
    world.found("a stream of events was cut off as the server drained")

  /** The two places of the route with a limit of two are free again. */
  private def havePlaces(server: RunningServer): Unit = {
    val calls = Seq(
      new HttpExchange(world, server.port, "/limited/second"),
      new HttpExchange(world, server.port, "/limited/second")
    )
    world.run(10.seconds.toNanos)(calls.forall(call => call.answer.nonEmpty || call.isOver))
    if (config.maxConnections > 1 && !calls.forall(_.answer.exists(_.status == 200)))
      world.found(s"a place of a route was not given back: ${calls.map(_.answer.map(_.status))}")
    calls.foreach(_.close())
    world.pass(10.seconds.toNanos)
  }

  /** If idle connections have used up the budget, they make room for a new one within a second. */
  private def welcomesNew(server: RunningServer): Unit = {
    val most = math.min(config.maxConnections, world.network.mostDescriptors - world.network.descriptors)
    if (most <= 20) {
      val idle = (1 to most).map { _ =>
        val call = new HttpExchange(world, server.port, "/probe")
        world.run(10.seconds.toNanos)(call.answer.nonEmpty)
        call
      }
      val late = new HttpExchange(world, server.port, "/probe")
      world.run(1.second.toNanos)(late.answer.nonEmpty)
      if (late.answer.isEmpty)
        world.found(s"a new client was not served within a second, as $most others were idle")
      late.close()
      idle.foreach(_.close())
      world.pass(10.seconds.toNanos)
    }
  }
}
