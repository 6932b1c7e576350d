package needletail.async

import scala.collection.mutable.ArrayDeque

/**
 * A thread's queue of completed values whose observers are still to be called, so that neither long chains of
 * observers nor deep recursion through `flatMap` uses stack.
 *
 * A completed value is put here; the first one runs the queue until it is empty, and values completed meanwhile wait.
 * Functions of completed values are called at once, up to a bounded depth.
 */
private[async] final class Trampoline {
  import Trampoline._

  private var ring: Array[Turn] = new Array(Smallest) // its length is a power of two
  private var head              = 0
  private var count             = 0
  private var depth             = 0
  private var draining          = false

  private var releasing = 0
  private val releases  = new ArrayDeque[Turn](0)

  /** Runs `turn`: at once if nothing else is running, otherwise after what waits already. */
  def push(turn: Turn): Unit = {
    append(turn)
    goOn()
  }

  /** Runs what is queued, unless that is being done. */
  def goOn(): Unit = if (!draining && count > 0) drain()

  /** Queues `turn` until the running turn has ended, or until the stack is shallow again. */
  def append(turn: Turn): Unit = {
    if (count == ring.length) resize(count * 2)
    ring((head + count) & (ring.length - 1)) = turn
    count += 1
  }

  /**
   * Releases `aborted`, which mostly aborts and releases what it waited for, now: only from deep within another call of
   * this, a little later, before the outermost one returns. So a long chain uses no stack. Observers are called after: by `goOn`.
   */
  def release(aborted: Turn): Unit =
    if (releasing == DeepestRelease) releases.append(aborted)
    else {
      val first = !draining
      draining = true
      releasing += 1
      try {
        aborted.release()
        if (releasing == 1) while (releases.nonEmpty) releases.removeHead().release()
      } finally {
        releasing -= 1
        if (first) draining = false
      }
    }

  /**
   * Whether the caller may call a function of a completed value; then `leave` must follow. False at depth `Deepest`.
   */
  def enter(): Boolean = depth < Deepest && {
    depth += 1
    true
  }

  def leave(): Unit = depth -= 1

  /** Runs postponed turns if the stack is shallow again. Returns true if any was run. */
  def resume(): Boolean =
    depth == 0 && count > 0 && !draining && {
      drain()
      true
    }

  private def drain(): Unit = {
    draining = true
    try
      while (count > 0) {
        val turn = ring(head)
        ring(head) = null
        head = (head + 1) & (ring.length - 1)
        count -= 1
        turn.takeTurn()
      }
    finally draining = false
    if (ring.length > LargestKept) { ring = new Array(Smallest); head = 0 }
  }

  /** Calls the observers that fatal errors have kept from being called; what they throw goes to `failed`. */
  def finish(failed: Throwable => Unit): Unit =
    while (!draining && (count > 0 || releases.nonEmpty))
      try
        if (releases.nonEmpty) releases.removeHead().release() else drain()
      catch { case e: Throwable => failed(e) }

  private def resize(size: Int): Unit = {
    val larger = new Array[Turn](size)
    val toEnd  = ring.length - head
    System.arraycopy(ring, head, larger, 0, toEnd)
    System.arraycopy(ring, 0, larger, toEnd, count - toEnd)
    ring = larger
    head = 0
  }
}

private[async] object Trampoline {
  private final val Smallest    = 16
  private final val LargestKept = 4096

  /** Something that can be queued here. */
  trait Turn {
    private[async] def takeTurn(): Unit

    /** Stops waiting for anything. Called once this one was aborted. */
    private[async] def release(): Unit
  }

  /** Depth of nested calls on completed values before they are postponed: some tens of kilobytes of stack. */
  private final val Deepest = 128

  private final val DeepestRelease = 32

  private val all = new ThreadLocal[Trampoline] {
    override def initialValue(): Trampoline = new Trampoline
  }

  def here: Trampoline = all.get()

  /** Reports an exception that belongs to no result: to the loop, which logs it, or to the thread's handler. */
  def report(error: Throwable): Unit = {
    val loop = Loop.currentOrNull
    if (loop != null) loop.unhandled(error)
    else {
      val thread = Thread.currentThread
      thread.getUncaughtExceptionHandler match {
        case null    => throw error
        case handler => handler.uncaughtException(thread, error)
      }
    }
  }
}
