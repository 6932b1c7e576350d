package needletail.simulation

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.Reply
import needletail.io.{Address, Tls, TlsCertificate, TlsServerConfig}
import needletail.routing._
import needletail.server._
import needletail.simulation.peer.HttpExchange
import needletail.simulation.scenario.Scenario
import needletail.simulation.tls.{PlatformTlsEngines, TestKeys}
import needletail.simulation.world.{FaultRates, World}
import needletail.testing.Suite

/** What a server says that a fatal error has ended. */
class FatalErrorSuite extends Suite {
  private def dies: Reply = Async.sleep(1.second).map[Response](_ => throw new OutOfMemoryError("none left"))

  test("a draining server that a fatal error ends fails, though its last connection closes with that") {
    val world = new World(1)
    world.faults = FaultRates.none
    val routes = Routes(GET / "later" to dies)
    val config = ServerConfig(
      address = Address.Tcp("127.0.0.1", 0),
      loops = 1,
      blockedLoop = Duration.Zero,
      log = Log.none
    )
    val server = Server(routes, config).startOn(world.platform)
    val call   = new HttpExchange(world, server.port, "/later")
    world.pass(500.millis.toNanos)
    server.drain()
    world.pass(5.seconds.toNanos)
    assertEquals(world.fatalLoops, 1)
    assertEquals(call.answer.map(_.status), None)
    assert(server.stopped.value.exists(_.isFailure), server.stopped.value.toString)
  }

  test("a server whose log throws a fatal error while it starts fails to start, and leaves nothing open") {
    if (PlatformTlsEngines.missing == null) failsToStart()
  }

  private def failsToStart(): Unit = {
    val world = new World(1)
    val log   = new Log {
      def warn(message: String): Unit                    = throw new OutOfMemoryError(message)
      def error(message: String, cause: Throwable): Unit = ()
    }
    val chain    = TlsCertificate(TestKeys.file(TestKeys.one), TestKeys.file(TestKeys.key))
    val identity = Tls.server(TlsServerConfig(Seq(chain))) // not valid yet
    val config   = Scenario.serverConfig(log).copy(tls = Some(identity))
    val failure  =
      try Server(Routes(GET / "later" to dies), config).startOn(world.platform).url
      catch { case e: OutOfMemoryError => e.getMessage }
    assert(failure.contains("is not valid yet"), failure)
    world.pass(10.seconds.toNanos)
    assertEquals((world.loopsAlive, world.network.descriptors), (0, 0))
  }
}
