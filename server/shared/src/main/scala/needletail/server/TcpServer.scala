package needletail.server

import java.io.IOException
import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration._
import scala.concurrent.{ExecutionContext, Future, Promise}

import needletail.async.Async
import needletail.http.ConnectionInfo
import needletail.io._

/**
 * A running server of some protocol: its loops, its listener and its connections. [[Server]] makes one for
 * HTTP, `TcpServer.serve` one for any [[Codec]]. Its methods may be called from any thread.
 */
final class TcpServer private (settings: TcpSettings, protocol: Protocol) {
  private implicit val here: ExecutionContext = ExecutionContext.parasitic

  private val startedNanos = settings.platform.nanoTime()
  private val loopCount    = settings.loopCount
  private val guardedLog   = Log.guarded(settings.log)
  private val loops        = new EventLoops(
    loopCount,
    name = settings.loopName,
    poller = settings.poller,
    platform = settings.platform,
    onFailure = guardedLog.error(_, _)
  )
  private val ready       = new AtomicBoolean(false)
  private val draining    = new AtomicBoolean(false)
  private val gone        = Promise[Unit]()
  private val drainBegins = Promise[Unit]()

  /** As configured, or as many as there are descriptors for. */
  private[server] val maxConnections: Int = ConnectionBudget.of(settings)

  private val members  = new Array[LoopMember](loopCount)
  private val acceptor = new Acceptor(loops(0), settings, maxConnections, members, gone)

  private val listener: Listener =
    try {
      for (i <- 0 until loopCount)
        members(i) = new LoopMember(i, loops(i), protocol.onLoop(loops(i)), settings, acceptor.closed)
      listen()
    } catch {
      case e: Throwable =>
        loops.stop()
        throw e
    }

  private val watchdog =
    if (settings.blockedNanos > 0)
      new Watchdog(
        loopCount,
        i => loops(i).presentTurn,
        i => loops(i).stackTrace,
        settings.blockedNanos,
        settings.log,
        i => members(i).presentWork
      )
    else null
  if (watchdog != null) loops(0).execute { () =>
    // not at once: to start a thread takes a part of the time in which a native program starts
    loops(0).schedule(TcpServer.WatchAfterNanos, () => watchdog.start())
    ()
  }

  /** Where it listens, with the real port. */
  def address: Address = listener.address

  /** Is it spoken to over TLS? */
  def isSecure: Boolean = settings.tls.isDefined

  /** The port, where it listens on one; 0 for a Unix socket. */
  def port: Int = address match {
    case Address.Tcp(_, port) => port
    case _                    => 0
  }

  /** Completed when a drain has begun, or the server was closed. */
  def drainBegun: Future[Unit] = drainBegins.future

  /** Does it take new work? False before anything else of a drain happens. */
  def isReady: Boolean = ready.get

  /**
   * Completed when it has been drained or closed, every connection is gone and its loops have ended; failed when a
   * loop has ended by itself, by a fatal error of the virtual machine such as want of memory. What would be left could
   * serve a part of what is asked, and nobody would know: so the others end too, and whoever runs it may start anew.
   */
  val stopped: Future[Unit] = gone.future.transformWith { how =>
    ready.set(false)
    if (watchdog != null) watchdog.stop()
    loops.stop()
    loops.stopped.transform(_ => how)
  }
  loops.failed.foreach(name => gone.tryFailure(new IllegalStateException(s"the event loop $name has ended")))

  /** What it has done so far, gathered from its loops; fails when it has stopped. */
  def statistics: Future[Statistics] = {
    val accepted = acceptorCounts
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

  /** What each loop reports, when it comes to it. */
  private[server] def snapshots: List[Future[LoopSnapshot]] = members.toList.map(_.report())

  private[server] def acceptorCounts: Future[Acceptor.Counts] = acceptor.counts

  /** How often each loop was found blocked. */
  private[server] def blockedTurns(loop: Int): Long = if (watchdog == null) 0 else watchdog.found(loop)

  private[server] def loopTotal: Int    = loopCount
  private[server] def uptimeNanos: Long = settings.platform.nanoTime() - startedNanos
  private[server] def log: Log          = guardedLog

  /**
   * Stops in an orderly way: readiness goes, then the listener, idle connections are closed, what is under way
   * is finished, and what is not by the drain's deadline is cut off. May be repeated; completed like `stopped`.
   */
  def drain(): Future[Unit] = {
    ready.set(false)
    drainBegins.trySuccess(())
    if (draining.compareAndSet(false, true))
      try
        loops(0).execute { () =>
          loops(0).schedule(settings.drainDelayNanos, () => acceptor.drain())
          loops(0).schedule(settings.drainDelayNanos + settings.drainTimeoutNanos, () => cutOff())
          ()
        }
      catch { case _: RejectedExecutionException => () } // it has stopped already
    stopped
  }

  /** Stops at once: connections are cut off. */
  def close(): Future[Unit] = {
    ready.set(false)
    draining.set(true)
    drainBegins.trySuccess(())
    acceptor.drain()
    cutOff()
    stopped
  }

  private def cutOff(): Unit = members.foreach(_.abort())

  /** Binds here, so that who starts the server hears of a failure; accepts on the first loop, once all is in place. */
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
      catch { case e: IOException => throw new CannotListen(e.getMessage) }
    acceptor.listener = listener
    listener.begin()
    ready.set(true)
    listener
  }
}

object TcpServer {
  private final val WatchAfterNanos = 1000L * 1000 * 1000

  private[server] def start(settings: TcpSettings, protocol: Protocol): TcpServer =
    new TcpServer(settings, protocol)

  /**
   * Serves a protocol of your own; it listens when this returns.
   *
   * @param config its settings that speak of connections apply; those of HTTP do not
   * @param session called for each connection, on its loop; what it returns answers that connection's messages,
   *   one after another
   * @throws java.io.IOException when it cannot listen
   */
  def serve[I, O](
      codec: Codec[I, O],
      config: ServerConfig
  )(session: ConnectionInfo => I => Async[Answer[O]]): TcpServer =
    serveOn(SystemPlatform, codec, config)(session)

  private[needletail] def serveOn[I, O](platform: Platform, codec: Codec[I, O], config: ServerConfig)(
      session: ConnectionInfo => I => Async[Answer[O]]
  ): TcpServer =
    start(
      config.tcp.copy(platform = platform),
      _ =>
        new LoopProtocol {
          private var idle   = config.idleTimeout.toNanos
          private val bounds =
            CodecSettings(
              config.maxHead,
              config.maxPendingOutput,
              config.writeTimeout.toNanos,
              config.lingerTimeout.toNanos,
              config.halfCloseGrace.toNanos,
              Log.guarded(config.log)
            )
          val counts                                              = new LoopCounts
          def idleTimeout(nanos: Long): Unit                      = idle = nanos
          def connected(connection: Connection): ServedConnection = {
            val answer = session(new ConnectionFacts(connection))
            new CodecConnection[I, O](
              connection,
              codec,
              bounds,
              message => {
                counts.requests += 1
                answer(message)
              },
              () => idle,
              counts
            )
          }
        }
    )
}
