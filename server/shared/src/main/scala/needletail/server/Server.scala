package needletail.server

import scala.concurrent.{ExecutionContext, Future}

import needletail.http.Handler
import needletail.io.{Address, Signals}

/**
 * An HTTP/1.1 server for a handler; `Routes` of the routing module is one.
 *
 * {{{
 *   Server(routes, port = 8080).run()
 * }}}
 */
final class Server private (handler: Handler, config: ServerConfig) {

  /**
   * Starts to serve; it listens when this returns.
   *
   * @throws java.io.IOException when it cannot listen, naming the address
   */
  def start(): RunningServer =
    Server.start(config, HttpProtocol(handler, config))

  /**
   * Serves until SIGTERM or SIGINT, drains and returns. `onStart` is called when it listens.
   *
   * @throws java.io.IOException when it cannot listen, naming the address
   * @throws java.lang.IllegalStateException when an event loop has ended by a fatal error, which the log tells
   */
  def run(onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")): Unit =
    Server.serve(start())(onStart)
}

object Server {
  def apply(handler: Handler, config: ServerConfig): Server = new Server(handler, config)

  /** On the loopback address unless another host is named: an address, a name, or `*` for all. */
  def apply(handler: Handler, port: Int, host: String = "127.0.0.1"): Server =
    new Server(handler, ServerConfig(address = Address.Tcp(host, port)))

  /** Starts to serve `protocol`; see `start` above. */
  private[needletail] def start(config: ServerConfig, protocol: Protocol): RunningServer = {
    val server     = TcpServer.start(config.tcp, protocol)
    val operations = config.operations.getOrElse(new Operations())
    operations.watch(server, config.metrics)
    try new RunningServer(server, config.admin.map(_.start(operations, config)))
    catch {
      case e: Throwable =>
        server.close()
        throw e
    }
  }

  /** Waits for SIGTERM or SIGINT, drains and returns. */
  private[needletail] def serve(server: RunningServer)(onStart: RunningServer => Unit): Unit = {
    val await = Signals.awaiting(server.stopped) { () =>
      server.drain()
      ()
    }
    onStart(server)
    await()
    server.stopped.value.foreach(_.get)
  }
}

/** A server that listens. Its methods may be called from any thread. */
final class RunningServer private[server] (server: TcpServer, admin: Option[TcpServer]) {

  /** Where it listens, with the real port. */
  def address: Address = server.address
  def port: Int        = server.port

  /** How to reach it from this machine. */
  def url: String = address match {
    case Address.Tcp(host, port) =>
      val name   = if (host.isEmpty || host == "*" || host == "0.0.0.0" || host == "::") "localhost" else host
      val scheme = if (server.isSecure) "https" else "http"
      s"$scheme://${if (name.contains(':')) s"[$name]" else name}:$port"
    case other => s"unix:$other"
  }

  /** Where administrators find it, with the real port, if anywhere. */
  def adminAddress: Option[Address] = admin.map(_.address)

  /** Does it take new work? False as soon as a drain begins. */
  def isReady: Boolean = server.isReady

  /** What it has done so far. */
  def statistics: Future[Statistics] = server.statistics

  /** Ends in an orderly way; see `TcpServer.drain`. Completed when it has ended. */
  def drain(): Future[Unit] = {
    server.drain()
    stopped
  }

  /** Ends at once: connections are cut off. */
  def close(): Future[Unit] = {
    server.close()
    stopped
  }

  /** Completed when it has ended, by whatever way; administrators could see to the last how it went. */
  val stopped: Future[Unit] =
    admin.fold(server.stopped) { a =>
      implicit val here: ExecutionContext = ExecutionContext.parasitic
      server.stopped.transformWith(how => a.close().transform(_ => how))
    }
}
