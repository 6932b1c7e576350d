package needletail.server

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.concurrent.{ExecutionContext, Future}
import scala.util.Success

import needletail.async.Async
import needletail.http.{ConnectionInfo, Handler}
import needletail.io.{Address, Signals}
import needletail.io.platform.Platform
import needletail.io.system.SystemPlatform
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.connection.{HttpProtocol, Protocol}
import needletail.server.operations.Operations
import needletail.server.tcp.{CodecProtocol, TcpServer}
import needletail.tcp.Codec

/**
 * An HTTP/1.1 server for a handler, such as `Routes` of the routing module.
 *
 * {{{
 *   Server(routes, port = 8080).run()
 * }}}
 */
final class Server private (handler: Handler, config: ServerConfig) {

  /**
   * Starts the server; it listens when this returns. Its loops keep the program alive until it is drained or closed.
   * Signals are not handled; use `run` or `Server.runAll` for that.
   *
   * @throws CannotListen if the address cannot be bound
   */
  def start(): RunningServer = startOn(SystemPlatform)

  private[needletail] def startOn(platform: Platform): RunningServer =
    Server.start(config, HttpProtocol(handler, config), platform)

  /**
   * Serves until SIGTERM or SIGINT, then drains and returns. `onStart` is called when the server listens. SIGHUP makes
   * a server with TLS read its certificates again.
   *
   * @throws CannotListen if the address cannot be bound; a `main` that does not catch it prints one line on the
   *   standard error stream and exits with status 1
   * @throws java.lang.IllegalStateException if an event loop was ended by a fatal error, which is in the log
   */
  def run(onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")): Unit =
    Server.serve(start())(onStart)
}

object Server {

  /** Creates a server without starting it. */
  def apply(handler: Handler, config: ServerConfig): Server = new Server(handler, config)

  /**
   * Creates a server with default settings.
   *
   * @param host the address to listen on, by number or name; `*` for all
   */
  def apply(handler: Handler, port: Int, host: String = "127.0.0.1"): Server =
    new Server(handler, ServerConfig(address = Address.Tcp(host, port)))

  /**
   * Runs several servers until SIGTERM or SIGINT, drains them and returns when all have stopped. When one stops for
   * another reason, such as a fatal error or `close`, the others are drained too.
   *
   * {{{
   *   Server.runAll(Server(shop, port = 8080), Server(administration, port = 8081))
   * }}}
   *
   * @throws CannotListen when one of the addresses cannot be bound; the other servers are closed
   * @throws java.lang.IllegalStateException when an event loop was ended by a fatal error
   */
  def runAll(servers: Server*): Unit =
    runAll(
      servers,
      (all: Seq[RunningServer]) => all.foreach(server => println(s"listening on ${server.url}"))
    )

  /** The same; `onStart` is called when all servers listen. */
  def runAll(servers: Seq[Server], onStart: Seq[RunningServer] => Unit): Unit = {
    val started = mutable.ListBuffer.empty[RunningServer]
    try servers.foreach(server => started += server.start())
    catch {
      case e: Throwable =>
        started.foreach(_.close())
        throw e
    }
    serveAll(started.toList)(onStart)
  }

  /**
   * Starts a server for the protocol of a codec, as `TcpServer.serve` does, and with it the administration server of
   * `config`, whose /ready and /metrics are about it.
   */
  def withCodec[I, O](codec: Codec[I, O], config: ServerConfig)(
      session: ConnectionInfo => I => Async[Answer[O]]
  ): RunningServer = start(config, new CodecProtocol(codec, config, session))

  /** Starts a server for `protocol`, with the operations and the administration server of `config`. */
  private[needletail] def start(
      config: ServerConfig,
      protocol: Protocol,
      platform: Platform = SystemPlatform
  ): RunningServer = {
    val server = TcpServer.start(TcpSettings(config).copy(platform = platform), protocol)
    try {
      val operations = config.operations.getOrElse(new Operations())
      operations.watch(server, config.metrics)
      new RunningServer(server, config.admin.map(AdminServer.start(_, operations, config.log)))
    } catch {
      case e: Throwable =>
        server.close()
        throw e
    }
  }

  /** Serves until SIGTERM or SIGINT, then drains and returns. */
  private[needletail] def serve(server: RunningServer)(onStart: RunningServer => Unit): Unit =
    serveAll(List(server))(_ => onStart(server))

  /** Servers that a signal drains; several calls of `run` may be in progress, on threads of their own. */
  private val running = ConcurrentHashMap.newKeySet[RunningServer]

  private def reloadAll(): Unit = running.forEach(_.reload())

  /** Those that a signal has begun to drain. */
  private val draining = ConcurrentHashMap.newKeySet[RunningServer]

  /** The first signal drains, a second one closes. */
  private def drainAll(): Unit = running.forEach { server =>
    if (draining.add(server)) server.drain() else server.close()
    ()
  }

  private def serveAll(servers: List[RunningServer])(onStart: Seq[RunningServer] => Unit): Unit = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    servers.foreach { server =>
      running.add(server)
      server.stopped.onComplete { _ =>
        running.remove(server)
        draining.remove(server)
        servers.foreach(_.drain())
      }
    }
    val all   = Future.traverse(servers)(_.stopped.transform(how => Success(how)))
    val await = Signals.awaiting(all.map(_ => ()))(() => drainAll())
    if (servers.exists(_.isSecure)) Signals.onHangUp(() => reloadAll())
    onStart(servers)
    await()
    all.value.foreach(_.get.foreach(_.get))
  }
}
