package needletail.simulation.scenario

import scala.concurrent.Future
import scala.concurrent.duration._

import needletail.http.zlib.{Coders, Deflaters, Inflaters}
import needletail.io.{Address, EventLoops}
import needletail.server.{RunningServer, ServerConfig}
import needletail.metrics.MetricSource
import needletail.server.operations.{Log, Operations}
import needletail.simulation.peer.{HttpExchange, Probe}
import needletail.simulation.reader.StrictRequestReader
import needletail.simulation.service.UserCode
import needletail.simulation.world.{Endpoint, PeerConnection, World}

/** A scenario that a simulation runs. It checks what must hold afterwards. */
trait Scenario {
  def run(): Unit

  /**
   * Checks the server without faults: it must be alive and healthy; then it drains, and nothing must be left of it. If
   * it was killed by a fatal error, it must have ended as a whole.
   *
   * @param clients loops that are not the server's; null for none
   */
  protected def finish(
      world: World,
      code: UserCode,
      server: RunningServer,
      probe: Probe,
      clients: EventLoops = null
  ): Unit = {
    val isKilled = failed(world, clients) < world.fatalLoops
    checkFatal(world, code)
    if (isKilled) checkKilled(world, server.stopped)
    else if (server.isReady) {
      // all timeouts pass
      world.pass(60.seconds.toNanos)
      if (server.isReady) {
        probe.lives()
        world.pass(10.seconds.toNanos)
        world.checkIdle(keptTimers)
        whenIdle(server)
      }
    }
    if (!isKilled) {
      val most = if (server.isReady) 3.seconds else 30.seconds
      server.drain()
      checkDrain(world, server.stopped, most)
      hasDrained()
      world.pass(10.seconds.toNanos)
    }
    world.run(10.seconds.toNanos)(world.loopsAlive == 0) // the clients' loops
    checkNothingLeft(world)
    code.checkEnd()
  }

  /** The server that `start` has started; None if a fatal error of its log has failed that, which must leave nothing. */
  protected final def started(world: World, code: UserCode)(start: => RunningServer): Option[RunningServer] =
    try Some(start)
    catch {
      case _: VirtualMachineError if code.hasBeenFatal =>
        world.stopFaults()
        world.pass(10.seconds.toNanos)
        checkNothingLeft(world)
        None
    }

  /** How many of these loops a fatal error has ended; 0 for null. */
  protected final def failed(world: World, loops: EventLoops): Int =
    if (loops == null) 0 else (0 until loops.size).count(i => world.failedLoops.contains(loops(i)))

  /** Only a fatal error ends a loop. */
  protected final def checkFatal(world: World, code: UserCode): Unit =
    if (world.fatalLoops > 0 && !code.hasBeenFatal)
      world.found("a loop has ended, though nothing fatal was thrown")

  /** A server of which a loop has been ended by a fatal error ends as a whole, and says so. */
  protected final def checkKilled(world: World, stopped: Future[Unit]): Unit =
    if (!world.run(30.seconds.toNanos)(stopped.isCompleted))
      world.found("a loop has ended, and the server has not")
    else if (stopped.value.exists(_.isSuccess))
      world.found("a fatal error ended the server, and it says that all is well")

  /** Reads along what the library's client writes to that port, and what it has to send as content, null for anything. */
  protected final def readRequests(
      world: World,
      port: Int,
      content: StrictRequestReader.Head => Array[Byte]
  ): Unit = world.network.onConnect = (to, end) =>
    if (to == port) {
      val reader = new StrictRequestReader(
        s"127.0.0.1:$port",
        content,
        what => world.found(s"connection ${end.index}: $what")
      )
      end.onSent = reader.feed
    }

  /**
   * Reads the metrics among everything else, as their sources throw, too, in some simulations. Chosen by the seed itself,
   * as other scenarios are.
   */
  protected final def readMetrics(
      world: World,
      port: Int,
      secure: Endpoint => PeerConnection = identity
  ): Unit =
    if (world.seed % 10 == 9)
      for (after <- Seq(1.milli, 100.millis, 2.seconds)) world.after(after.toNanos) {
        val call = new HttpExchange(world, port, "/metrics", secure = secure)
        world.after(1.second.toNanos)(call.close())
      }

  /** Timers that the server keeps on its first loop as long as it runs. */
  protected def keptTimers: Int = 0

  /** Checks that a drain that has just begun ends in its time: within `most` if nobody is in its way. */
  protected def checkDrain(world: World, stopped: Future[Unit], most: FiniteDuration): Unit = {
    val begun = world.now
    if (!world.run(30.seconds.toNanos)(stopped.isCompleted)) world.found("the drain did not end in its time")
    else if (world.now - begun > most.toNanos)
      world.found(s"the drain took ${(world.now - begun) / 1000000} ms, though nobody was in its way")
  }

  /** Checks that no loop and no descriptor is left. */
  protected def checkNothingLeft(world: World): Unit = {
    if (world.loopsAlive > 0) world.found(s"${world.loopsAlive} loops have not ended")
    if (world.network.descriptors != 0) world.found(s"${world.network.descriptors} descriptors are left open")
  }

  /** Compressors and decompressors that this thread has made and not ended, without those kept for the next use. */
  protected def codersInUse: Int = Coders.alive - Deflaters.spare - Inflaters.spare

  /** Whether there are as many as `before`, unless a fatal error has left some behind. */
  protected def checkCoders(world: World, before: Int): Unit =
    if (world.fatalLoops == 0 && codersInUse != before)
      world.found(s"${codersInUse - before} compressors and decompressors were never released")

  /** Further checks of a server that is alive and has no clients; it is drained next. */
  protected def whenIdle(server: RunningServer): Unit = ()

  /** Further checks after that drain. */
  protected def hasDrained(): Unit = ()
}

object Scenario {

  /** A configuration with short timeouts, to be copied with what a scenario needs. */
  def serverConfig(log: Log): ServerConfig = ServerConfig(
    address = Address.Tcp("127.0.0.1", 0),
    headTimeout = 2.seconds,
    bodyTimeout = 3.seconds,
    idleTimeout = 5.seconds,
    crowdedIdleTimeout = 100.millis,
    writeTimeout = 3.seconds,
    handlerTimeout = 4.seconds,
    lingerTimeout = 1.second,
    drainGrace = 200.millis,
    drainTimeout = 5.seconds,
    blockedLoop = Duration.Zero,
    log = log
  )

  /**
   * The same with user code.
   *
   * @param operations null for none
   */
  def serverConfig(world: World, code: UserCode, operations: Operations = null): ServerConfig =
    serverConfig(new TraceLog(world, code)).copy(
      operations = Option(operations),
      metrics = if (operations == null) Nil else Seq[MetricSource](_ => code.at("a source of metrics")),
      accessLog = if (world.random.percent(50)) Some((_, _, _, _) => code.at("the access log")) else None
    )
}

/** The log of a simulated server: writes to the trace, and sometimes throws. */
final class TraceLog(world: World, code: UserCode) extends Log {
  override def info(message: String): Unit = world.trace.say(world, s"log: $message")
  def warn(message: String): Unit          = {
    world.trace.say(world, s"log: $message")
    code.at("the log")
  }
  def error(message: String, cause: Throwable): Unit = {
    world.trace.say(world, s"log: $message: $cause")
    code.reported(cause, "the log")
  }
}
