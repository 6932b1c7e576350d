package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.client.Client
import needletail.client.config.{BreakerConfig, ClientConfig, RetryConfig}
import needletail.content._
import needletail.io.{Address, EventLoops}
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.service.{Contents, Service, UserCode}
import needletail.simulation.visit.{ContentCall, ContentVisit, HttpProbe}
import needletail.simulation.world.World

/**
 * A server of compressed content, decoded bodies, forms and events, by itself and through its own `proxy` route; clients
 * that write all this themselves, and the library's client. What is decoded is the request's own; each stream is read to
 * its end or cancelled; no compressor is forgotten.
 */
final class ContentScenario(world: World) extends Scenario {
  private val dice       = world.dice
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  private val config = ServerConfig(
    address = Address.Tcp("127.0.0.1", ContentScenario.Port),
    loops = dice.between(1, 3),
    maxConnections = dice.pick(Seq(3, 16, 64)),
    maxBody = 1000000L,
    maxBodyInMemory = dice.pick(Seq(20000, 1000000)),
    maxUnreadBody = dice.pick(Seq(0, 1000, 256 * 1024)),
    memoryBudget = dice.pick(Seq(0L, 0L, 2L * 1024 * 1024)),
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
    overload = OverloadConfig.off,
    log = new WorldLog(world, code)
  )

  private val asking = ClientConfig(
    connectionsPerHost = dice.pick(Seq(1, 2, 8)),
    maxQueued = dice.pick(Seq(4, 100)),
    queueTimeout = 2.seconds,
    connectTimeout = 1.second,
    requestTimeout = dice.pick(Seq(500.millis, 6.seconds)),
    bodyTimeout = 3.seconds,
    idleTimeout = dice.pick(Seq(100.millis, 3.seconds)),
    maxUnreadBody = dice.pick(Seq(0, 64 * 1024)),
    maxPendingOutput = dice.pick(Seq(1, 256 * 1024)),
    retry = RetryConfig(attempts = dice.between(1, 3)),
    breaker = BreakerConfig(minCalls = dice.pick(Seq(3, 1000)), openFor = 50.millis)
  )

  private val compression = CompressionConfig(
    codings = dice.pick(Seq(List("gzip", "deflate"), List("deflate", "gzip"), List("gzip"))),
    level = dice.between(1, 9),
    least = dice.pick(Seq(0, 1000))
  )

  private val limits   = DecodingLimits(size = 1000000, ratio = dice.pick(Seq(200, 2000)))
  private val contents = new Contents(world, code, compression, limits)

  // In some simulations the library's client is there too. Fatal errors are tested in the others.
  private val count = if (dice.chance(60)) dice.size(8) else 0
  if (count > 0) world.weather = world.weather.copy(fatal = false)

  def run(): Unit = {
    val coders  = codersInUse
    val inner   = Client(asking.copy(bodyTimeout = 5.seconds)) // on the server's loops
    val through = proxy("/via", inner.service(s"http://127.0.0.1:${ContentScenario.Port}"))
    val server  = Server(Routes(service.routes, contents.routes, through), config).startOn(world.platform)
    val visits  = (1 to dice.size(6)).map { n =>
      var visit: ContentVisit = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 10000000L, 3000000000L)))) {
        visit = new ContentVisit(world, n, server.port, compression.codings.toSet)
      }
      () => visit
    }
    val loops =
      if (count == 0) null else new EventLoops(dice.between(1, 2), "client", platform = world.platform)
    val client = if (count == 0) null else Client(asking.copy(decoding = Some(Decoding.responses())), loops)
    val calls  = (1 to count).map { n =>
      var call: ContentCall = null
      world.after(dice.longBetween(0, dice.pick(Seq(1L, 20000000L, 4000000000L)))) {
        call = new ContentCall(world, code, client, loops(dice.below(loops.size)), 20 + n, server.port)
      }
      () => call
    }
    if (dice.chance(25)) world.after(dice.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(
      visits.forall(v => v() != null && v().isOver) && calls.forall(c => c() != null && c().isOver) ||
        world.fatalLoops > 0
    )
    world.clearUp()
    visits.foreach(v => if (v() != null) v().check())
    if (count > 0) {
      if (world.fatalLoops == 0 && !calls.forall(_().isOver))
        world.found(s"${calls.count(c => !c().isOver)} calls have never come to an end")
      world.pass(30.seconds.toNanos)
      client.close()
      world.pass(5.seconds.toNanos)
      loops.stop()
    }
    finish(world, code, server, new HttpProbe(world, server.port))
    inner.close()
    checkCoders(world, coders)
  }
}

private object ContentScenario {
  final val Port = 8080
}
