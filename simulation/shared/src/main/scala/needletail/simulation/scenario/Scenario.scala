package needletail.simulation.scenario

import scala.concurrent.duration._

import needletail.http.zlib.{Coders, Deflaters, Inflaters}
import needletail.server.RunningServer
import needletail.server.operations.Log
import needletail.simulation.service.UserCode
import needletail.simulation.visit.Probe
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
        world.checkIdle()
        whenIdle(server)
      }
    }
    if (world.fatalLoops == 0) {
      val isQuiet = server.isReady
      val begun   = world.now
      server.drain()
      if (!world.run(30.seconds.toNanos)(server.stopped.isCompleted))
        world.found("the drain did not end in its time")
      else if (isQuiet && world.now - begun > 3.seconds.toNanos)
        world.found(s"the drain took ${(world.now - begun) / 1000000} ms, though nobody was in its way")
      hasDrained()
      world.pass(10.seconds.toNanos)
    }
    world.run(10.seconds.toNanos)(world.loopsAlive == 0) // the clients' loops
    if (world.loopsAlive > 0) world.found(s"${world.loopsAlive} loops have not ended")
    if (world.network.descriptors != 0) world.found(s"${world.network.descriptors} descriptors are left open")
    code.checkStreams()
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

/** The log of a simulated server: writes to the trace, and sometimes throws. */
final class WorldLog(world: World, code: UserCode) extends Log {
  def warn(message: String): Unit = {
    world.trace.say(world, s"log: $message")
    code.at("the log")
  }
  def error(message: String, cause: Throwable): Unit = {
    world.trace.say(world, s"log: $message: $cause")
    code.at("the log")
  }
}
