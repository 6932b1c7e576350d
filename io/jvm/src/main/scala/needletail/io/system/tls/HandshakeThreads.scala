package needletail.io.system.tls

import needletail.async.{OnDemandThreads, Survivable}
import needletail.io.tls.HandshakeLine

import scala.concurrent.duration._

/**
 * Compute handshakes for all servers of the program: as many at once as there are processors, in the order of
 * [[needletail.io.tls.HandshakeLine]]. Those that wait are bounded by the servers' limits of handshakes under way. The threads
 * end when there is nothing to do for a while.
 */
private[tls] object HandshakeThreads {

  /** A step of a handshake. From any thread. */
  trait Task extends Runnable with HandshakeLine.Entry {

    /** It is not to be run any more. */
    def refuse(): Unit
  }

  private val line    = new HandshakeLine[Task] // with its lock
  private val threads =
    new OnDemandThreads("needletail-tls", Runtime.getRuntime.availableProcessors, Int.MaxValue, 10.seconds)

  /**
   * Has another thread run `task`, or refuse it. Throws what the system throws that gives no further thread.
   *
   * @param isFresh whether it is the first step
   */
  def execute(task: Task, isFresh: Boolean): Unit = {
    line.synchronized(line.add(task, isFresh, System.nanoTime()))
    try threads.execute(() => step()) // as many steps as tasks, in whatever order these are taken
    catch {
      case Survivable(e) if line.synchronized(line.remove(task)) => throw e
      case Survivable(_)                                         => step() // another step has taken it
    }
  }

  private def step(): Unit = {
    var late = taken(isRefused = true)
    while (late ne null) {
      late.refuse()
      late = taken(isRefused = true)
    }
    val task = taken(isRefused = false)
    if (task ne null) task.run()
  }

  private def taken(isRefused: Boolean): Task = line.synchronized {
    val now = System.nanoTime()
    if (isRefused) line.refused(now) else line.next(now)
  }
}
