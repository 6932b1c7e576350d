package needletail.examples.stock

import scala.concurrent.duration._

import needletail.client.{Client, ClientConfig}
import needletail.examples.Options
import needletail.examples.services.Program
import needletail.io.Address
import needletail.server.{Server, ServerConfig}

/** The page, and its services on a port of their own on loopback; administrators can make the services fail. */
object Main {
  private val options =
    Options("stock", "Shows which products of a user's orders are in stock, by calling several services.")
  private val program     = new Program(options)
  private val parallelism =
    options.int("parallelism", 4, "concurrent calls for stocks per request", 1 to 1000)

  private val time = options.duration("time-limit", 1.second, "for all calls of a request together")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val faults   = new Faults(Services.Work)
    val services =
      Server(
        new Services(faults).routes,
        ServerConfig(address = Address.Tcp("127.0.0.1", 0), loops = 1)
      ).start()
    val client = Client(ClientConfig(connectionsPerHost = 256, maxQueued = 1024))
    try {
      val page = new StockPage(new Catalogue(client.service(services.url)), chosen(time), chosen(parallelism))
      program.run(chosen, Some(faults.routes))(page.routes)
    } finally {
      client.close()
      services.close()
      ()
    }
  }
}
