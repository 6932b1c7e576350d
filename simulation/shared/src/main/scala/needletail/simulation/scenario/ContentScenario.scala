package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.client.Client
import needletail.client.config.{BreakerConfig, ClientConfig, RetryConfig}
import needletail.content._
import needletail.io.{Address, EventLoops}
import needletail.routing.Routes
import needletail.server._
import needletail.simulation.peer.{ContentCall, HttpProbe, PeerGroup, RawContentClient}
import needletail.simulation.service.{ContentService, Service, UserCode}
import needletail.simulation.world.World

/**
 * A server of compressed content, decoded bodies, forms and events, by itself and through its own `proxy` route; clients
 * that write all this themselves, and the library's client. What is decoded is the request's own; each stream is read to
 * its end or cancelled; no compressor is forgotten.
 */
final class ContentScenario(world: World) extends Scenario {
  private val random     = world.random
  private val code       = new UserCode(world)
  private val operations = new Operations
  private val service    = new Service(world, code, operations)

  private val config = Scenario.serverConfig(world, code, operations).copy(
    address = Address.Tcp("127.0.0.1", ContentScenario.Port),
    loops = random.between(1, 3),
    maxConnections = random.pick(Seq(3, 16, 64)),
    maxBody = 1000000L,
    maxBodyInMemory = random.pick(Seq(20000, 1000000)),
    maxUnreadBody = random.pick(Seq(0, 1000, 256 * 1024)),
    memoryBudget = random.pick(Seq(0L, 0L, 2L * 1024 * 1024)),
    maxPipelined = random.pick(Seq(1, 2, 16)),
    maxPendingOutput = random.pick(Seq(1, 1000, 256 * 1024)),
    overload = OverloadConfig.off
  )

  private val asking = ClientConfig(
    connectionsPerHost = random.pick(Seq(1, 2, 8)),
    maxQueued = random.pick(Seq(4, 100)),
    queueTimeout = 2.seconds,
    connectTimeout = 1.second,
    requestTimeout = random.pick(Seq(500.millis, 6.seconds)),
    bodyTimeout = 3.seconds,
    idleTimeout = random.pick(Seq(100.millis, 3.seconds)),
    maxUnreadBody = random.pick(Seq(0, 64 * 1024)),
    maxPendingOutput = random.pick(Seq(1, 256 * 1024)),
    retry = RetryConfig(attempts = random.between(1, 3)),
    breaker = BreakerConfig(minCalls = random.pick(Seq(3, 1000)), openFor = 50.millis)
  )

  private val compression = CompressionConfig(
    codings = random.pick(Seq(List("gzip", "deflate"), List("deflate", "gzip"), List("gzip"))),
    level = random.between(1, 9),
    least = random.pick(Seq(0, 1000)),
    types = kind => { asked("the types of a CompressionConfig"); CompressionConfig.isCompressible(kind) },
    when = (_, _) => { asked("the when of a CompressionConfig"); true }
  )

  /** It throws in the simulations that have wrappers, so that the others stay what they are. */
  private def asked(place: String): Unit = if (service.isWrapped) code.at(place)

  private val limits   = DecodingLimits(size = 1000000, ratio = random.pick(Seq(200, 2000)))
  private val contents = new ContentService(world, code, compression, limits)

  // In some simulations the library's client is there too.
  private val count = if (random.percent(60)) random.skewed(8) else 0

  def run(): Unit = {
    val coders  = codersInUse
    val inner   = Client(asking.copy(bodyTimeout = 5.seconds)) // on the server's loops
    val through = proxy("/via", inner.service(s"http://127.0.0.1:${ContentScenario.Port}"))
    val server  = Server(Routes(service.routes, contents.routes, through), config).startOn(world.platform)
    readRequests(world, server.port, _ => null)
    val peers = new PeerGroup(world, random.skewed(6))(n =>
      new RawContentClient(world, n, server.port, compression.codings.toSet)
    )
    readMetrics(world, server.port)
    val loops =
      if (count == 0) null else new EventLoops(random.between(1, 2), "client", platform = world.platform)
    val client = if (count == 0) null else Client(asking.copy(decoding = Some(Decoding.responses())), loops)
    val calls  = (1 to count).map { n =>
      var call: ContentCall = null
      world.after(random.longBetween(0, random.pick(Seq(1L, 20000000L, 4000000000L)))) {
        call = new ContentCall(world, code, client, loops(random.below(loops.size)), 20 + n, server.port)
      }
      () => call
    }
    if (random.percent(25)) world.after(random.longBetween(0, 3000000000L)) { server.drain(); () }
    world.run(400.seconds.toNanos)(
      (peers.areOver || world.fatalLoops > 0) &&
        (calls.forall(c => c() != null && c().isOver) || failed(world, loops) > 0)
    )
    world.stopFaults()
    peers.check()
    if (count > 0) {
      if (failed(world, loops) == 0 && !calls.forall(_().isOver))
        world.found(s"${calls.count(c => !c().isOver)} calls have never come to an end")
      world.pass(30.seconds.toNanos)
      client.close()
      world.pass(5.seconds.toNanos)
      loops.stop()
    }
    finish(world, code, server, new HttpProbe(world, server.port), loops)
    inner.close()
    checkCoders(world, coders)
  }
}

private object ContentScenario {
  final val Port = 8080
}
