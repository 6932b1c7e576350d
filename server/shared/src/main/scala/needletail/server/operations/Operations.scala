package needletail.server.operations

import java.util.concurrent.atomic.AtomicReferenceArray

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}

import needletail.async.{Async, Survivable, TimedOut}
import needletail.http.{Handler, Reply, Response}
import needletail.http.message.{HttpError, Method, Status}
import needletail.metrics.{MetricSource, MetricText}

/**
 * Health, readiness and metrics of a server. They are served on an address of their own (`ServerConfig.admin`), or by
 * your own routes:
 *
 * {{{
 *   val operations = new Operations()
 *   val routes = Routes(
 *     (GET / "health" to operations.health).priority(Priority.Critical),
 *     (GET / "metrics" to operations.metrics).priority(Priority.Critical),
 *     …
 *   )
 *   Server(routes, ServerConfig(operations = Some(operations))).run()
 * }}}
 * An instance belongs to one server. `ServerConfig.metrics` adds further metrics.
 */
final class Operations {
  import Operations._

  @volatile private var watched: ObservedServer                  = null
  @volatile private var last: AtomicReferenceArray[LoopSnapshot] = null
  @volatile private var accepted                                 = 0L

  private var sources: Seq[MetricSource] = Nil

  /**
   * Connects this to a server.
   *
   * @throws java.lang.IllegalStateException if this belongs to a server already
   */
  private[server] def watch(server: ObservedServer, more: Seq[MetricSource]): Unit = {
    if (watched != null)
      throw new IllegalStateException("these Operations belong to another server: each server needs its own")
    last = new AtomicReferenceArray(server.loopTotal)
    sources = more
    watched = server
  }

  /** 200: a server that answers is alive. */
  def health: Reply = alive

  /** 200 while the server accepts new work, otherwise 503: before it has started, and from the beginning of a drain. */
  def ready: Reply = if (watched != null && watched.isReady) takesWork else takesNone

  /**
   * The metrics in the text format of Prometheus; 503 before the server has started. For a loop that does not report
   * within 0.5 s its last report is used.
   */
  def metrics: Reply = {
    val server = watched
    if (server == null) takesNone
    else
      new Reply.Later(
        Async.fromFuture(gathered(server))
          .timeout(Patience)
          .recover { case _: TimedOut | _: IllegalStateException => () }
          .map(_ => Response.ok.contentType(MetricText.contentType).text(render(server)))
      )
  }

  private def gathered(server: ObservedServer): Future[Unit] = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    val loops                           = server.snapshots.map(_.map(report => last.set(report.loop, report)))
    val counts                          = server.connectionCounts.map(c => accepted = c.total)
    Future.sequence(counts :: loops).map(_ => ())
  }

  private def render(server: ObservedServer): String = {
    val out   = new MetricText
    val loops = (0 until last.length).map(i => last.get(i)).filter(_ != null)
    ServerMetrics.write(
      out,
      server.isReady,
      server.uptimeNanos / 1e9,
      accepted,
      server.maxConnections,
      loops,
      server.blockedTurns
    )
    server.tls.foreach(TlsMetrics.write(out, _))
    sources.foreach { source =>
      try source.write(out)
      catch { case Survivable(e) => server.log.error("a source of metrics failed", e) }
    }
    out.toString
  }

  /** Serves `/health`, `/ready` and `/metrics`; `more` serves all other paths, or 404. */
  private[server] def handler(more: Option[Handler]): Handler = request =>
    request.path match {
      case path @ ("/health" | "/ready" | "/metrics") =>
        if ((request.method ne Method.GET) && (request.method ne Method.HEAD)) wrongMethod
        else if (path == "/health") health
        else if (path == "/ready") ready
        else metrics
      case _ => more.fold[Reply](notFound)(_(request))
    }
}

private[server] object Operations {

  /** How long a loop may take to report. */
  private val Patience = 500.millis

  private val alive       = Response.ok("alive\n")
  private val takesWork   = Response.ok("ready\n")
  private val takesNone   = Response(Status.ServiceUnavailable).text("not ready\n")
  private val notFound    = Response.of(HttpError(Status.NotFound, "not found"))
  private val wrongMethod =
    Response.of(HttpError(Status.MethodNotAllowed, "method not allowed")).header("Allow", "GET, HEAD")
}
