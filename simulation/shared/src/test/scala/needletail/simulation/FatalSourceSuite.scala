package needletail.simulation

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.client.Client
import needletail.client.call.{Call, ClientResponse}
import needletail.client.config.{BreakerConfig, ClientConfig, RetryConfig}
import needletail.http.{ByteStream, Response}
import needletail.http.message.Status
import needletail.io.{Address, EventLoops}
import needletail.routing._
import needletail.server.{Log, Server}
import needletail.simulation.scenario.Scenario
import needletail.testing.Suite

/**
 * The source of a call's content throws a fatal error as it is cancelled, which ends the loop in the middle of the call's
 * end. What the call holds of its host, which other loops share, is given back all the same: its place as a probe of the
 * breaker, at its address, on its connection and in the counts.
 */
class FatalSourceSuite extends Suite with QuietWorlds {

  /** Content that never comes. */
  private def source(): ByteStream = new ByteStream {
    def next(): Async[Option[Array[Byte]]] = new AsyncPromise
    def cancel(): Unit                     = throw new OutOfMemoryError("for a test")
  }

  private val config = ClientConfig(
    connectionsPerHost = 1,
    requestTimeout = 5.seconds,
    bodyTimeout = 5.seconds,
    retry = RetryConfig(attempts = 1),
    breaker = BreakerConfig(minCalls = 1, openFor = 1.second, probes = 1)
  )

  private val routes = Routes(
    GET / "busy" to Response(Status.ServiceUnavailable),
    GET / "now" to Response.ok("now"),
    POST / "never" to (new AsyncPromise[Response]: Async[Response]),
    POST / "soon" to Async.sleep(1.second).map(_ => Response(Status.BadRequest))
  )

  /** Makes the call that is the probe of its host, on a loop of its own; the caller is told so. */
  private def probed(path: String, told: String)(act: Async[ClientResponse] => Unit): Unit =
    inWorld() { world =>
      val server  = Server(routes, Scenario.serverConfig(Log.none).copy(loops = 1)).startOn(world.platform)
      val loops   = new EventLoops(2, "client", platform = world.platform)
      val client  = Client(config, loops)
      val service =
        client.service("http://shop", Seq("127.0.0.1", "127.0.0.2").map(Address.Tcp(_, server.port)): _*)
      val heard                                                                = new ArrayBuffer[String]
      def ask(loop: Int, call: Call)(act: Async[ClientResponse] => Unit): Unit = loops(loop).execute { () =>
        val response = call.response
        response.onComplete(result => heard += result.fold(_.getClass.getSimpleName, _.status.code.toString))
        act(response)
      }
      ask(1, service.get("/busy"))(_ => ()) // the breaker opens
      world.pass(3.seconds.toNanos)
      ask(0, service.post(path).body(source()))(act)
      world.pass(30.seconds.toNanos)
      assertEquals(world.fatalLoops, 1)
      ask(1, service.get("/now"))(_ => ())
      world.pass(3.seconds.toNanos)
      assertEquals(heard.toList, List("503", told, "200"))
      val s = service.statistics
      assertEquals((s.inFlight, s.waiting, s.addresses.map(_.inFlight)), (0, 0, Seq(0, 0)))
      assertEquals(s.open, s.idle) // those of the other loop
      client.close()
      loops.stop()
      server.close()
      world.pass(10.seconds.toNanos)
    }

  test("as the caller gives it up") {
    probed("/never", "Cancelled")(call => Async.sleep(500.millis).foreach(_ => call.cancel()))
  }

  test("as its time ends")(probed("/never", "ClientClosed")(_ => ()))

  test("as it is answered before its content has been sent")(probed("/soon", "ClientClosed")(_ => ()))
}
