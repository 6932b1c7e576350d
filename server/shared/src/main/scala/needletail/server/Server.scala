package needletail.server

import java.util.concurrent.ConcurrentHashMap

import scala.collection.mutable
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.Success

import needletail.async.Async
import needletail.http.Handler
import needletail.io.{Address, Signals}
import needletail.io.platform.Platform
import needletail.io.system.SystemPlatform
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.connection.{HttpProtocol, Protocol}
import needletail.server.operations.Operations
import needletail.server.tcp.{CodecProtocol, MessageConnection, TcpServer}
import needletail.tcp.Codec

/**
 * A server: of HTTP/1.1 for a handler, such as `Routes` of the routing module, or of another protocol for a codec
 * (`Server.withCodec`).
 *
 * {{{
 *   Server(routes, port = 8080).run()
 * }}}
 *
 * @param protocol creates the protocol; called at each start
 */
final class Server private (config: ServerConfig, protocol: () => Protocol) {

  /**
   * Starts the server; it listens when this returns. Its loops keep the program alive until it is drained or closed.
   * Signals are not handled; use `run` or `Server.runAll` for that.
   *
   * @throws CannotListen if the address cannot be bound
   */
  def start(): RunningServer = startOn(SystemPlatform)

  private[needletail] def startOn(platform: Platform): RunningServer =
    Server.start(config, protocol(), platform)

  /** For a caller that waits for its end, and so keeps the program alive itself: a loop that is blocked need not. */
  private def startHere(): RunningServer =
    Server.start(config, protocol(), keepsAlive = Thread.currentThread().isDaemon)

  /**
   * Serves until SIGTERM or SIGINT, then drains and returns. `onStart` is called when the server listens. SIGHUP makes
   * a server with TLS read its certificates again, and one without drain; under `nohup` it has no effect. A signal that
   * comes while the server starts takes effect when it has started; a second SIGTERM or SIGINT meanwhile ends the
   * program. On Native the time of `onStart` belongs to the start. If `onStart` throws, the server is closed and `run`
   * throws it; SIGTERM and SIGINT then end the program, as before.
   *
   * @throws CannotListen if the address cannot be bound; a `main` that does not catch it prints one line on the
   *   standard error stream and exits with status 1
   * @throws java.lang.IllegalStateException if an event loop was ended by a fatal error, which is in the log, or could
   *   not be ended, because user code blocks it
   * @throws java.lang.InterruptedException if the calling thread is interrupted; the server is then closed. On Native
   *   the thread that notices signals, the first of those that wait, cannot be interrupted
   */
  def run(onStart: RunningServer => Unit = server => println(s"listening on ${server.url}")): Unit =
    Server.serve(startHere())(onStart)
}

object Server {

  /** Creates a server of HTTP without starting it. */
  def apply(handler: Handler, config: ServerConfig): Server =
    new Server(config, () => HttpProtocol(handler, config))

  /**
   * Creates a server of HTTP with default settings.
   *
   * @param host the address to listen on, by number or name; `*` for all
   */
  def apply(handler: Handler, port: Int, host: String = "127.0.0.1"): Server =
    Server(handler, ServerConfig(address = Address.Tcp(host, port)))

  /**
   * Creates a server of the protocol of a codec, without starting it:
   *
   * {{{
   *   Server.withCodec(codec, ServerConfig().withPort(7000))(_ => message => Answer(message)).run()
   * }}}
   * @param config its settings about connections apply, those about HTTP do not. Its administration server's /ready and
   *   /metrics are about this server.
   * @param session called for each connection, on its loop; the function it returns answers that connection's
   *   messages, one after another. By the connection, the server can send messages beside the answers
   */
  def withCodec[I, O](codec: Codec[I, O], config: ServerConfig)(
      session: MessageConnection[O] => I => Async[Answer[O]]
  ): Server = new Server(config, () => new CodecProtocol(codec, config, session))

  /**
   * Runs several servers, of HTTP or of other protocols, until SIGTERM or SIGINT, drains them and returns when all have
   * stopped. When one stops for another reason, such as a fatal error or `close`, the others are drained too.
   *
   * {{{
   *   Server.runAll(Server(shop, port = 8080), Server(administration, port = 8081))
   * }}}
   *
   * @throws CannotListen when one of the addresses cannot be bound; the other servers are closed
   * @throws java.lang.IllegalStateException when an event loop was ended by a fatal error, or could not be ended
   * @throws java.lang.InterruptedException as `run` does
   */
  def runAll(servers: Server*): Unit =
    runAll(
      servers,
      (all: Seq[RunningServer]) => all.foreach(server => println(s"listening on ${server.url}"))
    )

  /** The same; `onStart` is called when all servers listen. If it throws, they are closed and `runAll` throws it. */
  def runAll(servers: Seq[Server], onStart: Seq[RunningServer] => Unit): Unit = {
    def start(): List[RunningServer] = {
      val started = mutable.ListBuffer.empty[RunningServer]
      try servers.foreach(server => started += server.startHere())
      catch {
        case e: Throwable =>
          started.foreach(_.close())
          throw e
      }
      started.toList
    }
    serveAll(start())(onStart)
  }

  /** Starts a server for `protocol`, with the operations and the administration server of `config`. */
  private[needletail] def start(
      config: ServerConfig,
      protocol: Protocol,
      platform: Platform = SystemPlatform,
      keepsAlive: Boolean = true
  ): RunningServer = {
    val settings = TcpSettings(config).copy(platform = platform, keepsAlive = keepsAlive)
    val server   = TcpServer.start(settings, protocol)
    try {
      val operations = config.operations.getOrElse(new Operations())
      operations.watch(server, config.metrics)
      new RunningServer(server, config.admin.map(AdminServer.start(_, operations, config.log, keepsAlive)))
    } catch {
      case e: Throwable =>
        server.close()
        throw e
    }
  }

  /** Starts a server, serves until SIGTERM or SIGINT, then drains and returns. */
  private[needletail] def serve(start: => RunningServer)(onStart: RunningServer => Unit): Unit =
    serveAll(List(start))(all => onStart(all.head))

  /** Servers that a signal drains; several calls of `run` may be in progress, on threads of their own. */
  private val running = mutable.LinkedHashSet.empty[RunningServer]

  /** Those that a signal has begun to drain. */
  private val draining = ConcurrentHashMap.newKeySet[RunningServer]

  /** A call of `run` whose servers are being started, and what signals have asked of it. Guarded by `running`. */
  private final class Starting {
    var isToEnd, isHungUp, isToReload = false
  }
  private val starting = mutable.HashSet.empty[Starting]

  /**
   * With TLS, operators ask for new certificates; without, a terminal has been closed. The shell and the kernel each
   * send it then, so the second one closes nothing. What is being started may have TLS: it has its certificates read when
   * it has started, if others have done so now; if none has, the signal is sent again when it has started, or failed.
   * Returns whether it ends something.
   */
  private[server] def hungUp(): Boolean = {
    val all = running.synchronized {
      val isSecure = running.exists(_.isSecure)
      starting.foreach(one => if (isSecure) one.isToReload = true else one.isHungUp = true)
      if (starting.isEmpty || isSecure) running.toList else Nil
    }
    if (all.exists(_.isSecure)) {
      reload(all)
      false
    } else {
      all.foreach(server => if (draining.add(server)) server.drain())
      all.nonEmpty
    }
  }

  private def reload(servers: List[RunningServer]): Unit =
    servers.filter(_.isSecure).distinctBy(_.identity).foreach(_.reload())

  /**
   * The first signal drains, once it has started also what is being started; a second one closes. While something is
   * being started, which may wait for a name or a file for ever, a second one ends the program.
   */
  private def drainAll(): Unit = {
    val (all, ends) = running.synchronized {
      val isSecond = starting.exists(_.isToEnd)
      starting.foreach(_.isToEnd = true)
      (running.toList, isSecond)
    }
    if (ends) Signals.endProgram()
    else all.foreach(server => if (draining.add(server)) server.drain() else server.close())
  }

  private def serveAll(start: => List[RunningServer])(onStart: List[RunningServer] => Unit): Unit = {
    implicit val here: ExecutionContext = ExecutionContext.parasitic

    val ended = Promise[Unit]()
    val own   = new Starting
    running.synchronized(starting += own)
    // before a port is open, as a signal would end the program until then
    val await =
      try Signals.awaiting(ended.future, hangUp = () => hungUp())(() => drainAll())
      catch {
        case e: Throwable =>
          running.synchronized(starting -= own)
          throw e
      }
    val servers =
      try {
        val started = start
        running.synchronized {
          starting -= own
          running ++= started
        }
        started
      } catch {
        case e: Throwable =>
          // in this order: a SIGHUP that comes in between is still this start's
          try await.cancel()
          finally running.synchronized { starting -= own; () }
          if (own.isHungUp) Signals.hangUpAgain() // for those that run, or as before
          throw e
      }
    servers.foreach { server =>
      server.ended.onComplete { _ =>
        running.synchronized(running -= server)
        draining.remove(server)
        servers.foreach(_.drain())
      }
    }
    if (own.isHungUp) Signals.hangUpAgain() else if (own.isToReload) reload(servers)
    if (own.isToEnd) servers.foreach(server => if (draining.add(server)) server.drain())
    val all = Future.traverse(servers)(_.endTold.transform(how => Success(how)))
    all.onComplete(_ => ended.success(()))
    def elseClose[A](undo: () => Unit)(body: => A): A =
      try body
      catch {
        case e: Throwable =>
          servers.foreach(_.close())
          undo()
          throw e
      }
    elseClose(() => await.cancel())(onStart(servers))
    elseClose(() => ())(await())
    all.value.foreach(_.get.foreach(_.get))
  }
}
