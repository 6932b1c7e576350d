package needletail.server

import java.util.concurrent.atomic.AtomicReferenceArray

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future}

import needletail.async.{Async, Setting, Survivable, TimedOut}
import needletail.http._
import needletail.io.Address

/**
 * What those who run a server ask it: is it alive, does it take work, how does it do. Either on an address of their
 * own (`ServerConfig.admin`), or as routes of yours:
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
 * One belongs to one server, whose configuration says what else stands in the metrics (`ServerConfig.metrics`).
 */
final class Operations {
  import Operations._

  @volatile private var watched: TcpServer                       = null
  @volatile private var last: AtomicReferenceArray[LoopSnapshot] = null
  @volatile private var accepted                                 = 0L

  private var sources: Seq[MetricSource] = Nil

  private[server] def watch(server: TcpServer, more: Seq[MetricSource]): Unit = {
    if (watched != null) throw new IllegalStateException("these operations are another server's")
    last = new AtomicReferenceArray(server.loopTotal)
    sources = more
    watched = server
  }

  /** 200: whoever answers is alive. */
  def health: Reply = alive

  /** 200 while the server takes new work, else 503: before it has started, and from the beginning of a drain. */
  def ready: Reply = if (watched != null && watched.isReady) takesWork else takesNone

  /** The metrics as Prometheus reads them. A loop that does not report in time stands there as it was last seen. */
  def metrics: Reply = {
    val server = watched
    if (server == null) takesNone
    else
      new Reply.Later(
        Async.fromFuture(gathered(server))
          .within(Patience)
          .recover { case _: TimedOut | _: IllegalStateException => () }
          .map(_ => Response.ok.contentType(MetricText.contentType).text(render(server)))
      )
  }

  private def gathered(server: TcpServer): Future[Unit] = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    val loops                           = server.snapshots.map(_.map(report => last.set(report.loop, report)))
    val counts                          = server.acceptorCounts.map(c => accepted = c.total)
    Future.sequence(counts :: loops).map(_ => ())
  }

  private def render(server: TcpServer): String = {
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
    sources.foreach { source =>
      try source.write(out)
      catch { case Survivable(e) => server.log.error("a source of metrics failed", e) }
    }
    out.toString
  }

  /** Answers `/health`, `/ready` and `/metrics`; `more` is asked for everything else. */
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

private object Operations {

  /** How long a loop may take to report. */
  private val Patience = 500.millis

  private val alive       = Response.ok("alive\n")
  private val takesWork   = Response.ok("ready\n")
  private val takesNone   = Response(Status.ServiceUnavailable).text("not ready\n")
  private val notFound    = HttpError(Status.NotFound, "not found").response
  private val wrongMethod =
    HttpError(Status.MethodNotAllowed, "method not allowed").response.header("Allow", "GET, HEAD")
}

/**
 * An address for administrators: `/health`, `/ready` and `/metrics` there, on a loop of their own, so that they
 * answer also when the others are blocked or have all the connections they may. It closes last.
 *
 * @param port 0 lets the system pick
 * @param host who may connect: nobody but this machine, by default; there is no other protection
 * @param handler asked for every other path: what else administrators may want to ask or to switch
 * @param names by which it may be asked for, beside `host` and those of loopback: the Host header of each request must
 *   say one of them, or an address in digits where `host` is none of loopback; else 421. So no page in an
 *   administrator's browser gets at it under a name of its own that was made to point here (DNS rebinding)
 */
final case class AdminConfig(
    port: Int,
    host: String = "127.0.0.1",
    handler: Option[Handler] = None,
    names: Set[String] = Set.empty
) {
  Setting("AdminConfig").between("port", port, 0, 65535)

  private[server] def start(operations: Operations, config: ServerConfig): TcpServer = {
    val own = ServerConfig(
      address = Address.Tcp(host, port),
      loops = 1,
      maxConnections = AdminConfig.MaxConnections,
      headTimeout = AdminConfig.HeadTimeout,
      overload = OverloadConfig.off,
      blockedLoop = Duration.Zero,
      log = config.log
    )
    TcpServer.start(
      own.tcp.copy(loopName = "needletail-admin"),
      HttpProtocol(new KnownHosts(host, names, operations.handler(handler)), own)
    )
  }
}

object AdminConfig {
  private final val MaxConnections = 256

  /** Shorter than elsewhere, since who takes all connections and says nothing keeps others from asking for health. */
  private val HeadTimeout = 1.second
}
