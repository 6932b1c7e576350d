package needletail.server

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.concurrent.{ExecutionContext, Future}
import scala.util.Success

import needletail.http.Handler
import needletail.io.{Address, Platform, Signals, SystemPlatform}

/**
 * An HTTP/1.1 server for a handler; `Routes` of the routing module is one.
 *
 * {{{
 *   Server(routes, port = 8080).run()
 * }}}
 */
final class Server private (handler: Handler, config: ServerConfig) {

  /**
   * Starts to serve; it listens when this returns. Its loops keep the program alive until it is drained or closed; no
   * signal does that. `run` and `Server.runAll` see to it.
   *
   * @throws CannotListen where it is told to, naming the address
   */
  def start(): RunningServer = startOn(SystemPlatform)

  private[needletail] def startOn(platform: Platform): RunningServer =
    Server.start(config, HttpProtocol(handler, config), platform)

  /**
   * Serves until SIGTERM or SIGINT, drains and returns. `onStart` is called when it listens.
   *
   * @throws CannotListen where it is told to, naming the address: in a `main` that lets it pass, one line on the
   *   standard error stream, and status 1
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

  /**
   * Serves several until SIGTERM or SIGINT, drains them all and returns when all have ended. When one ends by itself,
   * by a fatal error or as somebody closes it, so do the others.
   *
   * {{{
   *   Server.runAll(Server(shop, port = 8080), Server(administration, port = 8081))
   * }}}
   * @throws CannotListen where one of them is told to; the others are closed then
   * @throws java.lang.IllegalStateException when an event loop of one has ended by a fatal error
   */
  def runAll(servers: Server*): Unit =
    runAll(
      servers,
      (all: Seq[RunningServer]) => all.foreach(server => println(s"listening on ${server.url}"))
    )

  /** The same; `onStart` is called when all listen. */
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

  /** Starts to serve `protocol`; see `start` above. */
  private[needletail] def start(
      config: ServerConfig,
      protocol: Protocol,
      platform: Platform = SystemPlatform
  ): RunningServer = {
    val server     = TcpServer.start(config.tcp.copy(platform = platform), protocol)
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
  private[needletail] def serve(server: RunningServer)(onStart: RunningServer => Unit): Unit =
    serveAll(List(server))(_ => onStart(server))

  /** Servers that are to be drained by a signal; several `run` may be under way, on threads of their own. */
  private val running = ConcurrentHashMap.newKeySet[RunningServer]

  /** Those of them that a signal has told to drain. */
  private val told = ConcurrentHashMap.newKeySet[RunningServer]

  /** On a signal; on one more they end at once. */
  private def drainAll(): Unit = running.forEach { server =>
    if (told.add(server)) server.drain() else server.close()
    ()
  }

  private def serveAll(servers: List[RunningServer])(onStart: Seq[RunningServer] => Unit): Unit = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic
    servers.foreach { server =>
      running.add(server)
      server.stopped.onComplete { _ =>
        running.remove(server)
        told.remove(server)
        servers.foreach(_.drain())
      }
    }
    val all   = Future.traverse(servers)(_.stopped.transform(how => Success(how)))
    val await = Signals.awaiting(all.map(_ => ()))(() => drainAll())
    onStart(servers)
    await()
    all.value.foreach(_.get.foreach(_.get))
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

  /** Completed when it has begun to drain; for handlers there is `request.connection.draining`. */
  def draining: Future[Unit] = server.drainBegun

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
      // a server that nobody can look at or ask for its health is no whole one
      a.stopped.onComplete(how => if (how.isFailure) server.close())
      server.stopped.transformWith(how => a.close().transform(end => if (how.isSuccess) end else how))
    }
}
