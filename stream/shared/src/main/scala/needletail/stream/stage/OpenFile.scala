package needletail.stream.stage

import java.io.Closeable
import java.util.concurrent.atomic.AtomicInteger

import scala.annotation.tailrec

import needletail.async.{Async, Blocking, Loop, Survivable}

/**
 * A file that threads for blocking work use for a loop, one at a time. It is closed exactly once: by the thread that
 * uses it, if the loop wants it closed meanwhile. `T` is a stream of `java.io`, since an interrupt closes a channel.
 */
private[needletail] final class OpenFile[T <: Closeable](open: () => T) {
  import OpenFile._
  private val state   = new AtomicInteger(Idle)
  private var file: T = _ // null before the first use; written and read in state Busy or Closed

  /** Opens the file if necessary and uses it, on a thread of its own. A failure closes it. */
  def use[A](body: T => A): Async[A] = useUntil((_: A) => false)(body)

  /** As `use`, and closes the file before the result if that is the last one. */
  def useUntil[A](isLast: A => Boolean)(body: T => A): Async[A] = {
    val work = Blocking.default.startOrNull {
      if (!state.compareAndSet(Idle, Busy)) throw new java.io.IOException("the file is closed")
      var keep = false
      try {
        if (file == null) file = open()
        val answer = body(file)
        keep = !isLast(answer)
        answer
      } finally
        if (!keep || !state.compareAndSet(Busy, Idle)) {
          state.set(Closed)
          closeNow()
        }
    }
    if (work != null) work
    else {
      close()
      Blocking.noRoom
    }
  }

  /** As `use`, and closes the file afterwards; the failure of closing is one of the result. */
  def finish[A](body: T => A): Async[A] = use { file =>
    val answer = body(file)
    file.close()
    answer
  }

  /** Closes it as soon as it is not in use. May be called more than once. */
  @tailrec def close(): Unit = {
    val now = state.get
    if (now == Busy || now == Idle) {
      // its thread may begin or end its work at this moment
      if (!state.compareAndSet(now, if (now == Busy) Unwanted else Closed)) close()
      else if (now == Idle && file != null) closeIdle()
    }
  }

  /** Closing may wait for the disk; if no thread is available, it is done here. */
  private def closeIdle(): Unit =
    if (Loop.currentOrNull == null) closeNow()
    else if (Blocking.default.startOrNull(closeNow()) == null) closeNow()

  private def closeNow(): Unit =
    if (file != null)
      try file.close()
      catch { case Survivable(_) => () } // nothing was lost that was promised
}

private object OpenFile {
  private final val Idle     = 0
  private final val Busy     = 1
  private final val Unwanted = 2 // in use, to be closed after that
  private final val Closed   = 3
}
