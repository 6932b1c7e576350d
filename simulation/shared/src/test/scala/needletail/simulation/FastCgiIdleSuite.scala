package needletail.simulation

import scala.concurrent.duration._

import needletail.gateway.{Front, Gateway, GatewayConfig}
import needletail.io.Address
import needletail.routing._
import needletail.server._
import needletail.testing.Suite

class FastCgiIdleSuite extends Suite {
  private val routes = Routes(GET / "large" to Response.ok.bytes(new Array[Byte](1000000)))

  private def serve(): Int = {
    val world = new World(1)
    world.weather = Weather.calm
    val config = GatewayConfig(
      server = ServerConfig(
        loops = 1,
        idleTimeout = 1.second,
        writeTimeout = 10.seconds,
        blockedLoop = Duration.Zero,
        log = Log.none
      )
    )
    val front  = Front.FastCgi(Address.Tcp("127.0.0.1", 0))
    val server = Gateway.startOn(world.platform, routes, front, config, readsAhead = false)
    var came   = 0
    val caller = new Caller(world, server.port, reads = false)((_, n) => came += n, _ => ())
    caller.send(
      FastCgiWords.begin(1, 1, keeps = true) ++
        FastCgiWords.record(
          4,
          1,
          FastCgiWords.pairs(Seq("REQUEST_METHOD" -> "GET", "REQUEST_URI" -> "/large", "SERVER_NAME" -> "a"))
        ) ++ FastCgiWords.end(4, 1) ++ FastCgiWords.end(5, 1)
    )
    world.pass(5.seconds.toNanos)
    caller.beginToRead()
    world.pass(5.seconds.toNanos)
    came
  }

  test("a FastCGI connection whose idle time passes while output waits does not hold its loop for ever") {
    var came   = -1
    val thread = new Thread(() => came = serve(), "a world that may not end")
    thread.setDaemon(true)
    thread.start()
    thread.join(60000)
    assert(!thread.isAlive, "the loop is held")
    assert(came > 1000000, came.toString)
  }
}
