package needletail.examples.overload

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.server.{OverloadConfig, ServerConfig}

/** The server that `bench/overload` overloads. */
object Main {
  private val options   = Options("overload", "Serves work for overload tests.")
  private val listening = new Listening(options)
  private val workers   = options.int("workers", 1, "event loops; 0: one per processor", 0 to 1024)
  private val off       = options.flag("unlimited", "turn overload control off")
  private val work      = options.duration("work", 2.millis, "processor time of a request to /cpu")
  private val calls     =
    options.int("calls", 50, "concurrent calls of the service behind /wait", 1 to 100000)
  private val takes = options.duration("takes", 20.millis, "time of each of these calls")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val config = ServerConfig(
      loops = chosen(workers),
      overload =
        if (chosen(off)) OverloadConfig.off.copy(maxInFlight = Int.MaxValue) else OverloadConfig()
    )
    val overload = new Overload(chosen(work).toNanos, new Service(chosen(calls), chosen(takes)))
    listening.serve(chosen, overload.routes, config)
  }
}
