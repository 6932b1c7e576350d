package needletail.examples.reference

import scala.concurrent.duration._

import needletail.examples.Options
import needletail.io.{Address, PollerKind}
import needletail.server.{Server, ServerConfig}

/** The program that tests and measurements are made on; see [[Reference]] for what it serves. */
object Main {
  private val options     = Options("reference", "Serves what HTTP servers are tested and measured with.")
  private val host        = options.text("host", "127.0.0.1", "address to listen on")
  private val port        = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)
  private val workers     = options.int("workers", 0, "event loops; 0: one for each processor", 0 to 1024)
  private val headTimeout = options.duration("head-timeout", 5.seconds, "longest time for a request's head")
  private val bodyTimeout = options.duration("body-timeout", 5.seconds, "longest pause inside a body")
  private val idleTimeout = options.duration("idle-timeout", 8.seconds, "longest wait for the next request")
  private val poller      = options.choice(
    "poller",
    PollerKind.Auto,
    "what loops wait with on Native: auto, epoll or io_uring",
    PollerKind.all
  )
  private val maxBody = options.size("max-body", Long.MaxValue, "largest content of a request")

  private val routes =
    options.int("routes", 0, "typed routes more, GET /api/rN/ID/item/NAME?limit=N; N around 100", 0 to 1000)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val config = ServerConfig(
      address = Address.Tcp(chosen(host), chosen(port)),
      loops = chosen(workers),
      poller = chosen(poller),
      headTimeout = chosen(headTimeout),
      bodyTimeout = chosen(bodyTimeout),
      idleTimeout = chosen(idleTimeout),
      maxBody = chosen(maxBody),
      serverHeader = Some("needletail")
    )
    try Server(Reference.withTyped(chosen(routes)), config).run()
    catch {
      case e: java.io.IOException =>
        System.err.println(s"reference: ${e.getMessage}")
        sys.exit(1)
    }
  }
}
