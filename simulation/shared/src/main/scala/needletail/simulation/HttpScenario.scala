package needletail.simulation

import scala.concurrent.duration._

import needletail.http.MetricSource
import needletail.io.Address
import needletail.server._

/** An HTTP server with routes, limits and a drain, and a few clients who do what clients do. */
final class HttpScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    loops = dice.between(1, 3),
    maxConnections = dice.pick(Seq(1, 2, 3, 16, 64)),
    maxBody = dice.pick(Seq(5000L, 1000000L)),
    maxBodyInMemory = dice.pick(Seq(2000, 500000)),
    maxDrain = dice.pick(Seq(0, 1000, 256 * 1024)),
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

  def run(): Unit = {
    val server = Server(service.routes, config).startOn(world.platform)
    val visits = (1 to dice.size(8)).map { n =>
      var visit: HttpVisit = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        visit = new HttpVisit(world, n, server.port)
      }
      () => visit
    }
    // sometimes it is told to drain in the middle of it all
    if (dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(visits.forall(v => v() != null && v().isOver) || world.fatalLoops > 0)
    world.clearUp()
    visits.foreach(v => if (v() != null) v().check())
    finish(world, code, server)
  }
}
