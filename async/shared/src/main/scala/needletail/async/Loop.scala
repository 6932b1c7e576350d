package needletail.async

import java.util.concurrent.Executor

/**
 * One thread that runs tasks one after another: the home of every [[Async]] made on it.
 *
 * `io.EventLoop` is the loop of a running program; tests drive one by hand. All methods may be called from
 * any thread unless they say otherwise.
 */
trait Loop extends Executor {

  /** Is the calling thread this loop's own? */
  def inLoop: Boolean

  /** Runs `task` on the loop, after what is queued already. What it throws is logged; the loop goes on. */
  def execute(task: Runnable): Unit

  /** Runs `task` on the loop `delayNanos` from now, not earlier. To be called on the loop's own thread. */
  def schedule(delayNanos: Long, task: Runnable): Timer

  /** The loop's clock in nanoseconds, monotonic; it may lag by the length of one turn of the loop. */
  def nowNanos: Long

  /** The same clock, read anew. */
  private[needletail] def clockNanos: Long = nowNanos

  /** Where its blocking work runs; null for the threads that all share. */
  private[needletail] def blockingThreads: Executor = null
}

/** A task that waits for its time. */
trait Timer {

  /** Forgets the task unless it ran already; to be called on the loop's own thread. Cheap; may be repeated. */
  def cancel(): Unit
}

object Loop {
  Mended.need()

  private val here = new ThreadLocal[Loop]

  /** The loop whose thread calls, or `null` on any other thread (no Option: this is on the way of a request). */
  def currentOrNull: Loop = here.get()

  /** The clock of the loop whose thread calls, read anew; on any other thread the system's. */
  private[needletail] def nanoTime(): Long = {
    val loop = here.get()
    if (loop == null) System.nanoTime() else loop.clockNanos
  }

  /** The loop whose thread calls. */
  def current: Loop = {
    val loop = here.get()
    if (loop == null) throw new IllegalStateException("this must be called on an event loop's own thread")
    loop
  }

  /** Makes `loop` the calling thread's own, for as long as the thread lives or until `leave`. */
  private[needletail] def enter(loop: Loop): Unit = here.set(loop)
  private[needletail] def leave(): Unit           = here.remove()
}
