package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.gateway.Gateway
import needletail.gateway.serve.{FrontProtocol, GatewayConfig}
import needletail.io.Address
import needletail.server._
import needletail.simulation.peer.{Peer, PeerGroup}
import needletail.simulation.peer.gateway.{FastCgiProbe, RawFastCgiClient, RawScgiClient, ScgiProbe}
import needletail.simulation.service.{Service, UserCode}
import needletail.simulation.world.World

/** A program behind web servers that speak FastCGI or SCGI, with the user code of the HTTP scenario. */
final class GatewayScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)
  private val address    = Address.Tcp("127.0.0.1", 0)
  private val isFastCgi  = random.percent(75)
  private val front      = if (isFastCgi) FrontProtocol.FastCgi(address) else FrontProtocol.Scgi(address)

  private val overload =
    if (random.percent(50)) OverloadConfig.off
    else
      OverloadConfig(grace = Duration.Zero, leastInFlight = 1, initialInFlight = random.pick(Seq(1, 4, 1024)))

  private val config = GatewayConfig(
    server = Scenario.serverConfig(world, code, operations).copy(
      loops = random.between(1, 2),
      maxConnections = random.pick(Seq(1, 3, 64)),
      maxBody = random.pick(Seq(5000L, 1000000L)),
      maxBodyInMemory = random.pick(Seq(2000, 500000)),
      memoryBudget = random.pick(Seq(0L, 0L, 256L * 1024)),
      maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
      overload = overload
    ),
    maxVariables = random.pick(Seq(400, 65536)),
    maxMultiplexed = random.pick(Seq(1, 2, 128)),
    maxUnread = random.pick(Seq(1, 1000, 65536))
  )

  private def newPeer(n: Int, port: Int): Peer =
    if (isFastCgi) new RawFastCgiClient(world, n, port, mayRefuse = config.maxMultiplexed < 100)
    else new RawScgiClient(world, n, port)

  def run(): Unit = {
    val server =
      Gateway.startOn(world.platform, service.routes, front, config, readsAhead = random.percent(20))
    val peers = new PeerGroup(world, random.skewed(5))(n => newPeer(n, server.port))
    if (random.percent(25)) world.after(random.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(peers.areOver || world.fatalLoops > 0)
    world.stopFaults()
    peers.check()
    val probe = if (isFastCgi) new FastCgiProbe(world, server.port) else new ScgiProbe(world, server.port)
    finish(world, code, server, probe)
  }
}
