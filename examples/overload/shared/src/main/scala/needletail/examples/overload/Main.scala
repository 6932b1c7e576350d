package needletail.examples.overload

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.server.{AdminConfig, OverloadConfig, ServerConfig}

/** What `bench/overload` asks for more than it can do. */
object Main {
  private val options   = Options("overload", "Serves work that a server can be overloaded with.")
  private val listening = new Listening(options)
  private val workers   = options.int("workers", 1, "event loops; 0: one for each processor", 0 to 1024)
  private val off       = options.flag("unlimited", "without overload control, as most servers are")
  private val work      = options.duration("work", 2.millis, "processor time of a request for /cpu")
  private val calls     =
    options.int("calls", 50, "calls that the service behind /wait does at once", 1 to 100000)
  private val takes = options.duration("takes", 20.millis, "how long it takes for each")
  private val admin = options.int("admin", 0, "port for /health, /ready and /metrics; 0: none", 0 to 65535)

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val config = ServerConfig(
      loops = chosen(workers),
      overload =
        if (chosen(off)) OverloadConfig.off.copy(maxInFlight = Int.MaxValue) else OverloadConfig(),
      admin = if (chosen(admin) == 0) None else Some(AdminConfig(chosen(admin)))
    )
    val overload = new Overload(chosen(work).toNanos, new Service(chosen(calls), chosen(takes)))
    listening.serve(chosen, overload.routes, config)
  }
}
