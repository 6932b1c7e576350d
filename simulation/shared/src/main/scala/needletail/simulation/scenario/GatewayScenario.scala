package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.gateway.Gateway
import needletail.gateway.serve.{FrontProtocol, GatewayConfig}
import needletail.io.Address
import needletail.server._
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.visit.{FastCgiProbe, FastCgiVisit, ScgiProbe, ScgiVisit}
import needletail.simulation.world.World

/** A program behind web servers that speak FastCGI or SCGI, with the user code of the HTTP scenario. */
final class GatewayScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)
  private val address    = Address.Tcp("127.0.0.1", 0)
  private val isFastCgi  = dice.chance(75)
  private val front      = if (isFastCgi) FrontProtocol.FastCgi(address) else FrontProtocol.Scgi(address)

  private val overload =
    if (dice.chance(50)) OverloadConfig.off
    else
      OverloadConfig(grace = Duration.Zero, leastInFlight = 1, initialInFlight = dice.pick(Seq(1, 4, 1024)))

  private val config = GatewayConfig(
    server = ServerConfig(
      address = address,
      loops = dice.between(1, 2),
      maxConnections = dice.pick(Seq(1, 3, 64)),
      maxBody = dice.pick(Seq(5000L, 1000000L)),
      maxBodyInMemory = dice.pick(Seq(2000, 500000)),
      memoryBudget = dice.pick(Seq(0L, 0L, 256L * 1024)),
      headTimeout = 2.seconds,
      bodyTimeout = 3.seconds,
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
      overload = overload,
      accessLog = if (dice.chance(50)) Some((_, _, _, _) => code.at("the access log")) else None,
      log = new WorldLog(world, code)
    ),
    maxVariables = dice.pick(Seq(400, 65536)),
    maxMultiplexed = dice.pick(Seq(1, 2, 128)),
    maxUnread = dice.pick(Seq(1, 1000, 65536))
  )

  def run(): Unit = {
    val server = Gateway.startOn(world.platform, service.routes, front, config, readsAhead = dice.chance(20))
    val visits = (1 to dice.size(5)).map { n =>
      var isOver: () => Boolean = () => false
      var check: () => Unit     = () => ()
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        if (isFastCgi) {
          val visit = new FastCgiVisit(world, n, server.port, mayRefuse = config.maxMultiplexed < 100)
          isOver = () => visit.isOver
          check = () => visit.check()
        } else {
          val visit = new ScgiVisit(world, n, server.port)
          isOver = () => visit.isOver
          check = () => visit.check()
        }
      }
      (() => isOver(), () => check())
    }
    if (dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(visits.forall(_._1()) || world.fatalLoops > 0)
    world.clearUp()
    visits.foreach(_._2())
    val probe = if (isFastCgi) new FastCgiProbe(world, server.port) else new ScgiProbe(world, server.port)
    finish(world, code, server, probe)
  }
}
