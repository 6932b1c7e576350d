package needletail.examples

import java.io.IOException

import needletail.io.Address
import needletail.server.ServerConfig

/** The options by which the example programs say where they listen. */
final class Listening(options: Options) {
  private val host = options.text("host", "127.0.0.1", "address to listen on")
  private val port = options.int("port", 8080, "port to listen on; 0 picks a free one", 0 to 65535)

  /**
   * Runs `serve` with the address chosen. Where no port was named and the usual one is taken, the next free one
   * is used; where it can't listen, it says so on standard error and exits with status 1.
   */
  def run(chosen: Options.Values, config: ServerConfig = ServerConfig())(serve: ServerConfig => Unit): Unit = {
    def at(port: Int, others: Int): Unit =
      try serve(config.copy(address = Address.Tcp(chosen(host), port)))
      catch {
        case _: IOException if others > 0 => at(port + 1, others - 1)
        case e: IOException               =>
          System.err.println(e.getMessage)
          sys.exit(1)
      }
    at(chosen(port), if (chosen.has(port)) 0 else Listening.Others)
  }
}

object Listening {
  private final val Others = 20
}
