package needletail.server.tcp

import java.io.IOException
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean
import java.util.concurrent.locks.LockSupport

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future, Promise}
import scala.util.{Failure, Success}

import needletail.async.Async
import needletail.io.{Address, EventLoops, Listener, TlsIdentity}
import needletail.io.platform.{AddressInUse, ListenOptions, Platform}
import needletail.io.system.SystemPlatform
import needletail.server.config.{ServerConfig, TcpSettings}
import needletail.server.connection.Protocol
import needletail.server.failure.CannotListen
import needletail.server.operations.{
  ConnectionCounts,
  Log,
  LoopCounts,
  LoopSnapshot,
  ObservedServer,
  ProcessorWait,
  RareWarning,
  Statistics,
  Watchdog
}
import needletail.tcp.Codec

/**
 * A running server for any protocol: its event loops, its listener and its connections. [[Server]] starts one. Its
 * methods may be called from any thread.
 */
final class TcpServer private (configured: TcpSettings, protocol: Protocol)
    extends ObservedServer {
  private implicit val here: ExecutionContext = ExecutionContext.parasitic

  private val guardedLog   = Log.named(configured.log)(() => url)
  private val settings     = configured.copy(log = guardedLog)
  private val startedNanos = settings.platform.nanoTime()
  private val loopCount    = settings.loopCount
  private val gone         = Promise[Unit]()
  private val loops        = new EventLoops(
    loopCount,
    name = settings.loopName,
    daemon = !settings.keepsAlive,
    poller = settings.poller,
    platform = settings.platform,
    onFailure = guardedLog.error(_, _),
    onFailed = lost(_)
  )
  private val ready       = new AtomicBoolean(false)
  private val draining    = new AtomicBoolean(false)
  private val drainBegins = new Announcement[Unit]("draining", guardedLog)

  private val failedHandshakes = new HandshakeWarnings(guardedLog, () => settings.platform.nanoTime())
  private val failedHeaders    = new RareWarning(TcpServer.QuietNanos)

  /** A proxy that is not set up as this server is causes it for each connection. */
  private def headerFailed(peer: String, cause: Throwable): Unit =
    failedHeaders.warn(guardedLog, settings.platform.nanoTime())(
      RareWarning.shown(s"a connection from the proxy $peer was closed: ${cause.getMessage}")
    )

  /** As configured, or as many as the process may have descriptors for. */
  private[server] val maxConnections: Int = ConnectionBudget.of(settings)

  private val members  = new Array[PerLoopServer](loopCount)
  private val acceptor = new Acceptor(loops(0), settings, maxConnections, members, gone)

  settings.tls.foreach(_.attach()) // before a connection can come; detached when the loops have ended

  private val listener: Listener =
    elseEnd {
      for (i <- 0 until loopCount)
        members(i) =
          new PerLoopServer(
            i,
            loops(i),
            protocol.onLoop(loops(i), guardedLog),
            settings,
            acceptor.closed,
            failedHandshakes.failed(_, _),
            headerFailed(_, _)
          )
      listen()
    }

  /** For what a server is made of: its port is closed if that fails. */
  private def elseEnd[A](body: => A): A =
    try body
    catch {
      case e: Throwable =>
        if (watchdog != null) watchdog.stop() // null while the listener is being made
        loops.stop()
        settings.tls.foreach(tls => loops.stopped.onComplete(_ => tls.detach()))
        throw e
    }

  private lazy val processorWaits = Array.tabulate(loopCount)(i => new ProcessorWait(loops(i).execute(_)))

  private val watchdog =
    if (settings.blockedNanos > 0)
      new Watchdog(
        loopCount,
        i => loops(i).presentTurn,
        i => loops(i).stackTrace,
        settings.blockedNanos,
        settings.log,
        i => members(i).presentWork,
        (i, turn) => processorWaits(i).nanos(turn)
      )
    else null
  if (watchdog != null) loops(0).execute { () =>
    // later: starting a thread takes a noticeable part of the time in which a native program starts
    loops(0).schedule(TcpServer.WatchAfterNanos, () => watchdog.start())
    ()
  }

  private val certificates = settings.tls.map(new CertificateReloader(_, loops(0), guardedLog))
  elseEnd(certificates.foreach(_.start()))

  /**
   * Reads the certificates again, if it uses TLS: new connections have the new ones. If that fails, the old ones stay
   * and the log says why. Blocks while it reads.
   */
  def reload(): Unit = certificates.foreach(_.reload())

  /** The address it listens on, with the actual port. */
  def address: Address = listener.address

  /** Whether it uses TLS. */
  def isSecure: Boolean = settings.tls.isDefined

  /**
   * See [[needletail.server.RunningServer.url]]; before it listens, by the address it is to listen on, without a port that
   * the system will choose.
   */
  private[server] def url: String = (if (listener == null) configured.address else listener.address) match {
    case Address.Tcp(host, port) =>
      val name = if (host.isEmpty || host == "*" || host == "0.0.0.0" || host == "::") "localhost" else host
      s"${protocol.scheme(configured.tls.isDefined)}://${if (name.contains(':')) s"[$name]"
        else name}${if (port > 0) s":$port" else ""}"
    case other => s"unix:$other"
  }

  /** The port it listens on; 0 for a Unix socket. */
  def port: Int = address match {
    case Address.Tcp(_, port) => port
    case _                    => 0
  }

  /** Completes when a drain begins or the server is closed. */
  def drainBegun: Future[Unit] = drainBegins.future

  /** Whether it accepts new work. Becomes false before anything else of a drain happens. */
  def isReady: Boolean = ready.get

  private val over     = Promise[Unit]()
  private val endWatch = new EndWatch(loops, i => members(i).presentWork, settings.patienceNanos, giveUp)

  /** Its loops should end in so many nanoseconds. Without a thread to watch that, it ends all the same, if they do. */
  private def watchEnd(nanos: Long): Unit = if (settings.platform eq SystemPlatform)
    try endWatch.begin(nanos)
    catch { case e: OutOfMemoryError => guardedLog.error("blocked event loops will not be given up", e) }

  /**
   * Completes when the server was drained or closed, every connection is closed and its loops have ended. Fails if a
   * loop was ended by a fatal error of the virtual machine, such as running out of memory: the other loops end too,
   * since a server that serves only some of its connections would go unnoticed. Fails also if it
   * should have ended, and user code has blocked a loop for ten seconds: then the other loops have ended, and that one is
   * given up, with its thread and its connections; if it is the first, also with the listener.
   */
  val stopped: Future[Unit] = Announcement.of(ended, "stopped", guardedLog).future

  /** The same for the server's own callbacks: see [[Announcement]]. */
  private[server] def ended: Future[Unit] = over.future
  loops.stopped.onComplete { _ =>
    endWatch.end()
    settings.tls.foreach(_.detach())
    over.tryComplete(
      gone.future.value.getOrElse(Failure(new IllegalStateException("its event loops have ended")))
    )
  }
  gone.future.onComplete { _ =>
    ready.set(false)
    if (watchdog != null) watchdog.stop()
    loops.stop()
  }

  /** May be called again for the same loop. */
  private def lost(name: String): Unit = {
    gone.tryFailure(new IllegalStateException(s"the event loop $name has ended"))
    loops.stop()
    if (endWatch != null) watchEnd(0) // null while it is being made
  }

  /** Ends without the loops that are blocked. The log comes last, as it could be what blocks. */
  private def giveUp(reason: String): Unit = {
    val cause = new IllegalStateException(reason)
    gone.tryFailure(cause)
    var left = TcpServer.OthersSteps // the others have this time to close their connections
    while (left > 0 && !endWatch.othersHaveEnded) {
      left -= 1
      LockSupport.parkNanos(TcpServer.StepNanos)
    }
    if (over.tryFailure(cause)) guardedLog.error("the server could not end in an orderly way", cause)
  }

  /** Its statistics so far, gathered from the loops. Fails with IllegalStateException if the server has stopped. */
  def statistics: Future[Statistics] = {
    val accepted = connectionCounts
    for {
      counts <- accepted
      all    <- Future.sequence(snapshots)
    } yield {
      val sum = new LoopCounts
      all.foreach(snapshot => sum.add(snapshot.counts))
      Statistics(
        uptimeNanos.nanos,
        sum.requests,
        counts.total,
        counts.open,
        counts.most,
        sum.errors,
        sum.failures,
        sum.timeouts,
        sum.bytesRead,
        sum.bytesWritten
      )
    }
  }

  private[server] def snapshots: List[Future[LoopSnapshot]] = members.toList.map(_.report())

  private[server] def connectionCounts: Future[ConnectionCounts] = acceptor.counts

  private[server] def blockedTurns(loop: Int): Long = if (watchdog == null) 0 else watchdog.found(loop)

  private[server] def loopTotal: Int           = loopCount
  private[server] def uptimeNanos: Long        = settings.platform.nanoTime() - startedNanos
  private[server] def tls: Option[TlsIdentity] = settings.tls
  private[server] def log: Log                 = guardedLog

  /**
   * Stops gracefully. `isReady` becomes false. After `drainDelay`, connections that wait in the backlog are accepted as
   * far as limits allow, unless the listening socket is inherited, and the listener is closed. Then idle connections are
   * kept for `drainGrace`, for one more request each; those of a codec are closed at once. Requests in progress are
   * finished; what is left `drainTimeout` after `drainDelay` is cut off. May be called more than once; completes as
   * `stopped` does.
   */
  def drain(): Future[Unit] = {
    ready.set(false)
    if (draining.compareAndSet(false, true))
      try
        loops(0).execute { () =>
          tellOpen("draining")
          failedHandshakes.tellRest()
          loops(0).schedule(settings.drainDelayNanos, () => acceptor.drain(accepts = true))
          loops(0).schedule(settings.drainDelayNanos + settings.drainTimeoutNanos, () => timedOut())
          ()
        }
      catch { case _: RejectedExecutionException => () } // it has stopped already
    if (!gone.isCompleted) watchEnd(settings.drainDelayNanos + settings.drainTimeoutNanos)
    drainBegins.complete(Success(())) // last, as it may run user code on this thread
    stopped
  }

  /** Stops at once: connections are cut off. Completes as `stopped` does. */
  def close(): Future[Unit] = {
    ready.set(false)
    draining.set(true)
    acceptor.drain(accepts = false)
    cutOff()
    if (!gone.isCompleted) watchEnd(0)
    drainBegins.complete(Success(()))
    stopped
  }

  private def timedOut(): Unit = {
    if (!gone.isCompleted) tellOpen("the drain has taken its whole time, what is left is cut off")
    cutOff()
  }

  private def tellOpen(message: String): Unit =
    connectionCounts.foreach(counts => log.info(s"$message; connections open: ${counts.open}"))(
      ExecutionContext.parasitic
    )

  private def cutOff(): Unit = members.foreach(_.abort())

  /**
   * Binds on the calling thread, so that a failure is thrown to the caller; connections are accepted on the first
   * loop.
   */
  private def listen(): Listener = {
    val options  = ListenOptions(backlog = settings.backlog, reusePort = settings.reusePort)
    val listener =
      try
        Listener.prepare(
          settings.address,
          loops(0),
          options,
          acceptor.accepted,
          () => acceptor.shortOfDescriptors()
        )
      catch {
        case e: IOException =>
          throw new CannotListen(e.getMessage, isInUse = e.getCause.isInstanceOf[AddressInUse])
      }
    acceptor.listener = listener
    listener.begin()
    ready.set(true)
    listener
  }
}

object TcpServer {
  private final val WatchAfterNanos = 1000L * 1000 * 1000
  private final val StepNanos       = 20L * 1000 * 1000
  private final val OthersSteps     = 100
  private final val QuietNanos      = 60L * 1000 * 1000 * 1000

  private[server] def start(settings: TcpSettings, protocol: Protocol): TcpServer =
    new TcpServer(settings, protocol)

  /** Serves the protocol of a codec, without an administration server. */
  private[needletail] def serve[I, O](
      codec: Codec[I, O],
      config: ServerConfig
  )(session: MessageConnection[O] => I => Async[Answer[O]]): TcpServer =
    serveOn(SystemPlatform, codec, config)(session)

  private[needletail] def serveOn[I, O](platform: Platform, codec: Codec[I, O], config: ServerConfig)(
      session: MessageConnection[O] => I => Async[Answer[O]]
  ): TcpServer =
    start(
      TcpSettings(config).copy(platform = platform),
      new CodecProtocol(codec, config, session)
    )
}
