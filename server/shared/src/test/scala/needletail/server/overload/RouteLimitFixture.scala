package needletail.server.overload

import scala.collection.mutable
import scala.concurrent.duration._

import needletail.async.{Async, AsyncPromise}
import needletail.server.config.ServerConfig
import needletail.server.operations.Log
import needletail.server.session.FakeWire
import needletail.testing.Suite

/** A route `/a` whose adaptive limit is one request. */
abstract class RouteLimitFixture extends Suite {
  protected val config = ServerConfig(
    log = Log.none,
    overload = OverloadConfig(grace = Duration.Zero, initialInFlight = 1, leastInFlight = 1)
  )

  protected def limitOf(wire: FakeWire): InFlightLimit = {
    var found: InFlightLimit = null
    wire.context.admission.foreach(state => if (state.route.template == "/a") found = state.limit)
    found
  }

  /** A handler that fails so leaves the limit as it is. */
  protected def noDuration = new IllegalStateException("no duration")

  protected def post(length: Int, content: String) =
    s"POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: $length\r\n\r\n$content"

  /** Steps that are over when the test says so. */
  protected final class Steps {
    private val open = mutable.Queue.empty[AsyncPromise[Unit]]

    def step(): Async[Unit] = {
      open += new AsyncPromise[Unit]
      open.last
    }
    def finish(): Unit = while (open.nonEmpty) open.dequeue().succeed(())
  }
}
