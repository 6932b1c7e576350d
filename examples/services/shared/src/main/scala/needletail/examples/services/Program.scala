package needletail.examples.services

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.http.{Handler, MetricSource}
import needletail.routing.Routes
import needletail.server.{AdminConfig, ServerConfig}

/** The `main` of a service: its options, and how it is run. */
final class Program(options: Options) {
  private val listening = new Listening(options)
  private val workers   = options.int("workers", 0, "event loops; 0: one for each processor", 0 to 1024)
  private val admin     = options.int(
    "admin",
    0,
    "port for /health, /ready, /metrics and what the program lets administrators switch; 0: none",
    0 to 65535
  )
  private val adminHost = options.text("admin-host", "127.0.0.1", "address of that port")

  /** Serves `routes` until it is told to end, and `administration` to those on this machine, if they asked for it. */
  def run(
      chosen: Options.Values,
      administration: Option[Handler] = None,
      metrics: Seq[MetricSource] = Nil
  )(routes: Routes): Unit = {
    val config = ServerConfig(
      loops = chosen(workers),
      handlerTimeout = Program.HandlerTimeout,
      admin = if (chosen(admin) == 0) None
      else
        Some(AdminConfig(chosen(admin), chosen(adminHost), handler = administration.map(new LocalOnly(_)))),
      metrics = metrics
    )
    listening.serve(chosen, routes, config)
  }
}

object Program {

  /** Longer than a service that is down lets wait, so that its own error is what its client sees. */
  val HandlerTimeout: FiniteDuration = Fault.Hanging * 2
}
