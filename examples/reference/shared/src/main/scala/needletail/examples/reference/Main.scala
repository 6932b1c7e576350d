package needletail.examples.reference

import java.nio.file.Paths

import scala.concurrent.duration._

import needletail.examples.{Listening, Options}
import needletail.http.Https
import needletail.io.PollerKind
import needletail.server.{OverloadConfig, ServerConfig}
import needletail.websocket.PerMessageDeflate

/** The server for tests and measurements; see [[Reference]] for its routes. */
object Main {
  private val options     = Options("reference", "Serves routes for testing and measuring HTTP servers.")
  private val listening   = new Listening(options)
  private val workers     = options.int("workers", 0, "event loops; 0: one per processor", 0 to 1024)
  private val headTimeout =
    options.duration("head-timeout", FiniteDuration(5, SECONDS), "time limit for a request's head")
  private val bodyTimeout =
    options.duration("body-timeout", FiniteDuration(5, SECONDS), "time limit for a pause inside a body")
  private val idleTimeout =
    options.duration("idle-timeout", FiniteDuration(8, SECONDS), "time limit for an idle connection")
  private val poller = options.choice(
    "poller",
    PollerKind.Auto,
    "poller of the event loops on Native: auto, epoll or io_uring",
    PollerKind.all
  )
  private val hsts = options.duration(
    "hsts",
    FiniteDuration(0, SECONDS),
    "how long browsers are to use HTTPS only (HSTS), with --cert; 0: they are not told"
  )
  private val maxBody = options.size("max-body", Long.MaxValue, "maximum size of a request body")

  private val routes =
    options.int("routes", 0, "number of additional typed routes, GET /api/rN/ID/item/NAME?limit=N", 0 to 1000)

  private val static =
    options.text("static", "", "directory whose files are served below /static/; none unless given")
  private val codings =
    options.text(
      "codings",
      "gzip,deflate",
      "codings for /text, the preferred one first: gzip, deflate, br, zstd"
    )
  private val deflate =
    options.flag("deflate", "compress the messages of WebSockets (permessage-deflate)")
  private val takeover = options.flag("deflate-takeover", "with context takeover")

  private val unlimited =
    options.flag("no-overload-control", "turn overload control off")

  def main(args: Array[String]): Unit = options.run(args) { chosen =>
    val config = options.made(
      ServerConfig(
        loops = chosen(workers),
        poller = chosen(poller),
        headTimeout = chosen(headTimeout),
        bodyTimeout = chosen(bodyTimeout),
        idleTimeout = chosen(idleTimeout),
        maxBody = chosen(maxBody),
        overload = if (chosen(unlimited)) OverloadConfig.off else OverloadConfig(),
        serverHeader = Some("needletail")
      )
    )
    val compression =
      if (chosen(deflate)) Some(PerMessageDeflate(minSize = 0, contextTakeover = chosen(takeover))) else None
    val files = Some(chosen(static)).filter(_.nonEmpty).map(Paths.get(_))
    val web   = options.made(WebContent.routes(files, chosen(codings).split(',').map(_.trim).toList))
    if (chosen(hsts) > Duration.Zero) listening.requireTls(chosen, "--hsts")
    val all = Reference.withTyped(chosen(routes)) ++ Reference.webSockets(compression) ++ web
    listening.serve(
      chosen,
      if (chosen(hsts) > Duration.Zero) all.mapResponse(Https.strict(chosen(hsts))) else all,
      config
    )
  }
}
