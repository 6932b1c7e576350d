package needletail.server.session

import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.http._
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.testing.Suite

/** Replies that no request follows, and what is dropped behind them. */
class LastRepliesSuite extends Suite {
  private val config = ServerConfig(log = Log.none)

  private def get(path: String): String = s"GET $path HTTP/1.1\r\nHost: a\r\n\r\n"

  for (
    (why, happens) <- List[(String, FakeWire => Unit)](
      "its client ends"    -> (wire => { wire.end(); () }),
      "its time is over"   -> (wire => { wire.after(1.minute); () }),
      "memory is reclaimed" -> (wire => { wire.session.relieve(); wire.turn(); () })
    )
  )
    test(s"a HEAD request whose head is incomplete when $why is refused without content") {
      for (method <- List("HEAD", "GET")) {
        val wire = new FakeWire(_ => Response.ok, config)
        wire.send(s"$method /a HTTP/1.1\r\nHo")
        happens(wire)
        val output = wire.output
        assert(output.startsWith("HTTP/1.1 ") && wire.isFinished, output)
        assertEquals(output.endsWith("\r\n\r\n"), method == "HEAD", output)
      }
    }
}
