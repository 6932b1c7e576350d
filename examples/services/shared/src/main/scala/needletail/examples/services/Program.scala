package needletail.examples.services

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.http.Handler
import needletail.metrics.MetricSource
import needletail.routing.Routes
import needletail.server.{AdminConfig, ServerConfig}

/** The `main` of a service: its options, and how it runs. */
final class Program(options: Options) {
  private val listening = new Listening(options)
  private val workers   = options.int("workers", 0, "event loops; 0: one per processor", 0 to 1024)

  /** Serves `routes` until it is stopped, and at the admin port `administration` to this machine. */
  def run(
      chosen: Options.Values,
      administration: Option[Handler] = None,
      metrics: Seq[MetricSource] = Nil
  )(routes: Routes): Unit = {
    val config = ServerConfig(
      loops = chosen(workers),
      handlerTimeout = Program.HandlerTimeout,
      admin =
        Some(AdminConfig(0, handler = administration.map(new LocalOnly(_)))), // --admin says at which port
      metrics = metrics
    )
    listening.serve(chosen, routes, config)
  }
}

object Program {

  /** Longer than a service that is down waits, so that its client sees its own error. */
  val HandlerTimeout: FiniteDuration = Fault.Hanging * 2
}
