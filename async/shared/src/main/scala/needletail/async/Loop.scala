package needletail.async

import java.util.concurrent.{CountDownLatch, Executor}

/**
 * A thread that runs tasks one after another. Each `Async` belongs to the loop it was created on.
 *
 * `io.EventLoop` is the loop of a running program; tests drive one by hand. All methods may be called from any thread
 * unless stated otherwise.
 */
trait Loop extends Executor {

  /** Whether the calling thread is this loop's own. */
  def inLoop: Boolean

  /** Runs `task` on the loop, after the tasks queued already. Its exceptions are logged; the loop continues. */
  def execute(task: Runnable): Unit

  /** Runs `task` on the loop after `delayNanos`, not earlier. To be called on the loop's own thread. */
  def schedule(delayNanos: Long, task: Runnable): Timer

  /** The loop's monotonic clock in nanoseconds. It may lag by the length of one turn of the loop. */
  def nowNanos: Long

  /** The same clock, read now. */
  private[needletail] def clockNanos: Long = nowNanos

  /** Where its blocking work runs; null for the shared threads. */
  private[needletail] def blockingThreads: Executor = null

  /** Blocks the calling thread, which is another one than the loop's, until `done` is open. */
  private[needletail] def block(done: CountDownLatch): Unit = done.await()

  /** Runs `task` on the loop's thread when the loop has ended; once, even if registered several times. On the loop. */
  private[needletail] def atEnd(task: Runnable): Unit = { val _ = task }

  /** The task is not run at the end any more. On the loop. */
  private[needletail] def notAtEnd(task: Runnable): Unit = { val _ = task }

  /**
   * Reports an exception of user code that belongs to no result, as if a task had thrown it. To be called on the loop's
   * thread.
   */
  private[needletail] def unhandled(error: Throwable): Unit = execute(() => throw error)

  /**
   * Called on the loop's thread when blocking work for it begins on another thread (`change` is 1) and when the work
   * has ended or is not awaited any more (-1). For loops with a virtual clock, which must not advance meanwhile.
   */
  private[needletail] def blockingWorkChanged(change: Int): Unit = { val _ = change }

  /** The same for results that other threads may deliver, or may never deliver: `Async.callback` and `fromFuture`. */
  private[needletail] def outsideResultsChanged(change: Int): Unit = { val _ = change }
}

/** A scheduled task. */
trait Timer {

  /** Cancels the task unless it has run. To be called on the loop's own thread. Cheap; may be called more than once. */
  def cancel(): Unit
}

object Loop {
  RuntimeFix.need()

  private val here = new ThreadLocal[Loop]

  /** The loop of the calling thread, or null if it has none (not an Option, as every request asks). */
  def currentOrNull: Loop = here.get()

  /** The clock of the calling thread's loop, read now; on any other thread the system's. In nanoseconds. */
  private[needletail] def nanoTime(): Long = {
    val loop = here.get()
    if (loop == null) System.nanoTime() else loop.clockNanos
  }

  /** The loop of the calling thread. Throws IllegalStateException if it has none. */
  def current: Loop = {
    val loop = here.get()
    if (loop == null)
      throw new IllegalStateException(
        "this must be called on an event loop's own thread: in a handler, by Async.run(loop) elsewhere, or where a lazy val " +
          "is first used by a handler"
      )
    loop
  }

  /** Makes `loop` the calling thread's loop, for as long as the thread lives or until `leave`. */
  private[needletail] def enter(loop: Loop): Unit = here.set(loop)
  private[needletail] def leave(): Unit           = here.remove()

  /**
   * Calls the observers of results that fatal errors have kept from being called, when the calling thread's loop ends.
   * What they throw goes to `failed`.
   */
  private[needletail] def tellObservers(failed: Throwable => Unit): Unit = Trampoline.here.finish(failed)
}
