package needletail.simulation.scenario

import scala.concurrent.Future
import scala.concurrent.duration._

import needletail.http.zlib.{Coders, Deflaters, Inflaters}
import needletail.io.Address
import needletail.server.{RunningServer, ServerConfig}
import needletail.server.operations.{Log, Operations}
import needletail.simulation.peer.Probe
import needletail.simulation.service.UserCode
import needletail.simulation.world.World

/** A scenario that a simulation runs. It checks what must hold afterwards. */
trait Scenario {
  def run(): Unit

  /**
   * Checks the server without faults: it must be alive and healthy; then it drains, and nothing must be left of it. If
   * it was killed by a fatal error, it must have ended as a whole.
   */
  protected def finish(world: World, code: UserCode, server: RunningServer, probe: Probe): Unit = {
    if (world.fatalLoops > 0) {
      if (!code.hasBeenFatal) world.found("a loop has ended, though nothing fatal was thrown")
      if (!world.run(30.seconds.toNanos)(server.stopped.isCompleted))
        world.found("a loop has ended, and the server has not")
      else if (server.stopped.value.exists(_.isSuccess))
        world.found("a fatal error ended the server, and it says that all is well")
    } else if (server.isReady) {
      // all timeouts pass
      world.pass(60.seconds.toNanos)
      if (server.isReady) {
        probe.lives()
        world.pass(10.seconds.toNanos)
        world.checkIdle(keptTimers)
        whenIdle(server)
      }
    }
    if (world.fatalLoops == 0) {
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

  /**
   * A configuration with short timeouts, to be copied with what a scenario needs.
   *
   * @param operations null for none
   */
  def serverConfig(log: Log, operations: Operations = null): ServerConfig = ServerConfig(
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
    operations = Option(operations),
    log = log
  )
}

/** The log of a simulated server: writes to the trace, and sometimes throws. */
final class TraceLog(world: World, code: UserCode) extends Log {
  def warn(message: String): Unit = {
    world.trace.say(world, s"log: $message")
    code.at("the log")
  }
  def error(message: String, cause: Throwable): Unit = {
    world.trace.say(world, s"log: $message: $cause")
    code.at("the log")
  }
}
