package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.io.Address
import needletail.metrics.MetricSource
import needletail.server._
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.visit.{HttpCall, HttpProbe, HttpVisit}
import needletail.simulation.world.World

/** An HTTP server with routes, limits and a drain, and some random clients. */
final class HttpScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  // In some simulations nothing happens that would reset a slow but steady reader.
  private val isFair = dice.chance(20)
  if (isFair)
    world.weather = world.weather.copy(
      stalls = 0,
      preempted = 0,
      resets = 0,
      acceptFails = 0,
      configFails = 0,
      throws = 0
    )

  // In some there are fewer descriptors than allowed connections, as if the rest of the program had the others.
  if (!isFair && dice.chance(10)) world.network.mostDescriptors = dice.between(3, 12)

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 3),
    maxConnections = if (isFair) 64 else dice.pick(Seq(1, 2, 3, 16, 64)),
    maxBody = dice.pick(Seq(5000L, 1000000L)),
    maxBodyInMemory = dice.pick(Seq(2000, 500000)),
    maxUnreadBody = dice.pick(Seq(0, 1000, 256 * 1024)),
    memoryBudget = if (isFair) 0 else dice.pick(Seq(0L, 0L, 256L * 1024, 2L * 1024 * 1024)),
    headTimeout = 2.seconds,
    bodyTimeout = 3.seconds,
    idleTimeout = 5.seconds,
    crowdedIdleTimeout = 100.millis,
    writeTimeout = 3.seconds,
    handlerTimeout = 4.seconds,
    maxPipelined = dice.pick(Seq(1, 2, 16)),
    maxPendingOutput = dice.pick(Seq(1, 1000, 256 * 1024)),
    lingerTimeout = 1.second,
    drainGrace = 200.millis,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    operations = Some(operations),
    metrics = Seq[MetricSource](_ => code.at("a source of metrics")),
    overload = if (dice.chance(50)) OverloadConfig.off
    else
      OverloadConfig(grace = Duration.Zero, leastInFlight = 1, initialInFlight = dice.pick(Seq(1, 4, 1024))),
    accessLog = if (dice.chance(50)) Some((_, _, _, _) => code.at("the access log")) else None,
    log = new WorldLog(world, code)
  )

  private var news: HttpCall = null

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    val visits = (1 to dice.size(8)).map { n =>
      var visit: HttpVisit = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        visit = new HttpVisit(world, n, server.port, isSteady = isFair && n == 1)
      }
      () => visit
    }
    readMetrics(server)
    // sometimes it is told to drain in between
    if (!isFair && dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(visits.forall(v => v() != null && v().isOver) || world.fatalLoops > 0)
    world.clearUp()
    visits.foreach(v => if (v() != null) v().check())
    if (isFair && !visits.head().isServed)
      world.found("a reader who is slow and steady was not given all that it asked for")
    finish(world, code, server, new HttpProbe(world, server.port))
  }

  /**
   * Reads the metrics among everything else, as their sources throw, too. Chosen by the seed itself, as other scenarios
   * are, so that the other seeds stand for the simulations that docs/testing.md says they do.
   */
  private def readMetrics(server: RunningServer): Unit = if (world.seed % 20 == 19)
    for (after <- Seq(1.milli, 100.millis, 2.seconds)) world.after(after.toNanos) {
      val call = new HttpCall(world, server.port, "/metrics")
      world.after(1.second.toNanos)(call.close())
    }

  override protected def whenIdle(server: RunningServer): Unit = {
    if (config.overload == OverloadConfig.off) havePlaces(server)
    welcomesNew(server)
    // an event stream that waits ends with the drain
    news = new HttpCall(world, server.port, dice.pick(Seq("/events", "/news")))
    world.pass(1.second.toNanos)
  }

  override protected def hasDrained(): Unit = if (news != null && news.answer.isEmpty)
    world.found("a stream of events was cut off as the server drained")

  /** The two places of the route with a limit of two are free again. */
  private def havePlaces(server: RunningServer): Unit = {
    val calls = Seq(
      new HttpCall(world, server.port, "/limited/second"),
      new HttpCall(world, server.port, "/limited/second")
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
        val call = new HttpCall(world, server.port, "/probe")
        world.run(10.seconds.toNanos)(call.answer.nonEmpty)
        call
      }
      val late = new HttpCall(world, server.port, "/probe")
      world.run(1.second.toNanos)(late.answer.nonEmpty)
      if (late.answer.isEmpty)
        world.found(s"a new client was not served within a second, as $most others were idle")
      late.close()
      idle.foreach(_.close())
      world.pass(10.seconds.toNanos)
    }
  }
}
