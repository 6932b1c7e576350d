package needletail.simulation

import scala.concurrent.duration._

import needletail.gateway.{FrontProtocol, Gateway}
import needletail.gateway.serve.GatewayConfig
import needletail.io.Address
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.SimpleClient
import needletail.simulation.peer.gateway.FastCgiRecords
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** A web server that is slow to read, on a FastCGI connection whose idle time passes meanwhile. */
class FastCgiIdleSuite extends Suite {
  private val routes = Routes(GET / "large" to Response.ok.bytes(new Array[Byte](1000000)))

  /** Turns, and what else happens, that five seconds of one connection may take. */
  private final val FewSteps = 2000

  /** How many bytes came, and what the world has to say. */
  private def serve(seed: Long): (Int, List[String]) = {
    val world = new World(seed)
    world.faults = FaultRates.none
    val config = GatewayConfig(
      server = ServerConfig(
        loops = 1,
        idleTimeout = 1.second,
        writeTimeout = 10.seconds,
        blockedLoop = Duration.Zero,
        log = Log.none
      )
    )
    val front  = FrontProtocol.FastCgi(Address.Tcp("127.0.0.1", 0))
    val server = Gateway.startOn(world.platform, routes, front, config, readsAhead = false)
    var came   = 0
    val caller =
      new SimpleClient(world.network.connect(server.port), reads = false)((_, n) => came += n, _ => ())
    caller.send(
      FastCgiRecords.begin(1, 1, keeps = true) ++
        FastCgiRecords.record(
          4,
          1,
          FastCgiRecords.pairs(Seq(
            "REQUEST_METHOD" -> "GET",
            "REQUEST_URI"    -> "/large",
            "SERVER_NAME"    -> "a"
          ))
        ) ++ FastCgiRecords.end(4, 1) ++ FastCgiRecords.end(5, 1)
    )
    world.run(5.seconds.toNanos, FewSteps)(false)
    caller.beginToRead()
    world.run(5.seconds.toNanos, FewSteps)(false)
    (came, world.findings.toList)
  }

  // Of networks that take the response in pieces large enough for so few steps
  for (seed <- Seq(2L, 3L, 4L)) test(
    s"a FastCGI connection whose idle time passes while output waits does not keep its loop busy, seed $seed"
  ) {
    @volatile var seen = (-1, List.empty[String])
    val thread         = new Thread(() => seen = serve(seed), "a world that may not end")
    thread.setDaemon(true)
    thread.start()
    thread.join(60000)
    assert(!thread.isAlive, "the loop is held")
    assertEquals(seen._2, Nil)
    assert(seen._1 > 1000000, seen._1.toString)
  }
}
