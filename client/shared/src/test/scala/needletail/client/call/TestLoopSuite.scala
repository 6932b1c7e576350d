package needletail.client.call

import needletail.async.Async
import needletail.client.Misbehaving
import needletail.http.Response
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** A client on the event loop of a test. */
class TestLoopSuite extends Suite with Misbehaving {

  test("it has no sockets, which the error says, and a call of another loop can be awaited") {
    serving(_ => Response.ok("hello")) { (server, client) =>
      val loop                     = new ManualLoop
      def says(e: Throwable): Unit =
        assert(e.getMessage.contains("has no sockets"), e.getMessage)
      says(loop.run(client.get(server.url).text).failed.get)
      says(loop.within(intercept[IllegalStateException](client.get(server.url).response)))
      assertEquals(loop.run(Async.fromFuture(client.run(client.get(server.url).text))).get, "hello")
    }
  }
}
