package needletail.examples.memcached

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.io.{Address, Signals}
import needletail.server.ServerConfig

object Main {
  private val options   = Options("memcached", "A cache with memcached's text protocol.")
  private val listening = new Listening(options, behind = false)
  private val shards    =
    options.int("shards", 4, "number of actors that store the items; each has a thread", 1 to 1024)
  private val memory = options.size("memory", 64L * 1024 * 1024, "maximum total size of the items")

  private final val sample = "set a 0 0 2\\r\\nhi\\r\\nget a\\r\\nquit\\r\\n"

  /** How netcat is told this address. */
  private[memcached] def reached(address: Address): String = address match {
    case Address.Unix(path)   => s"-U $path"
    case Address.Tcp(_, port) => s"127.0.0.1 $port"
    case other                => other.toString
  }

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    listening.run(chosen, ServerConfig(idleTimeout = 10.minutes)) { config =>
      val server =
        try new MemcachedServer(config, chosen(shards), chosen(memory))
        catch {
          case e: IllegalArgumentException =>
            System.err.println(e.getMessage)
            sys.exit(2)
        }
      val await = Signals.awaiting(server.stopped) { () =>
        server.drain()
        ()
      }
      println(s"listening on ${server.address}; try: printf '$sample' | nc ${reached(server.address)}")
      await()
    }
  }
}
