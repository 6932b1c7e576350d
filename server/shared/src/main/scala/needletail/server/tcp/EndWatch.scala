package needletail.server.tcp

import java.util.concurrent.atomic.AtomicIntegerArray
import java.util.concurrent.locks.LockSupport

import needletail.io.EventLoops

/**
 * Bounds the end of a server: user code that blocks an event loop would keep it from ending. From `begin` on, a thread of
 * its own watches the loops. Once the time for their end is over, and one has been seen in the same turn for
 * `patienceNanos`, it is given up. Looks are counted, not time: while the whole program is stopped, nobody looks.
 *
 * @param presentWork the route whose handler a loop runs now; empty if it runs none
 * @param giveUp called once, on that thread, with the reason
 */
private[server] final class EndWatch(
    loops: EventLoops,
    presentWork: Int => String,
    patienceNanos: Long,
    giveUp: String => Unit
) {
  import EndWatch._

  private val seen           = Array.fill(loops.size)(Long.MinValue) // the turn of each loop at the last look
  private val looks          = new Array[Int](loops.size)            // in a row at which it was in that turn
  private val left           = new AtomicIntegerArray(loops.size)    // 1: it was given up
  private val patience       = math.max(2L, patienceNanos / StepNanos)
  private var late           = 0L                                    // looks since the end was due
  private var thread: Thread = null
  @volatile private var due  = 0L
  @volatile private var ended = false

  /** The loops should have ended in so many nanoseconds. May be called again with a shorter time. From any thread. */
  def begin(nanos: Long): Unit = synchronized {
    val at = System.nanoTime() + math.min(nanos, Long.MaxValue / 2)
    if (thread == null) {
      due = at
      val watcher = new Thread(() => watch(), "needletail-end")
      watcher.setDaemon(true)
      if (!ended) watcher.start()
      thread = watcher
    } else if (at - due < 0) due = at
  }

  /** The server has ended. From any thread. */
  def end(): Unit = synchronized {
    ended = true
    if (thread != null) LockSupport.unpark(thread)
  }

  /** Whether every loop that was not given up has ended. From any thread. */
  def othersHaveEnded: Boolean = (0 until loops.size).forall(i => !loops(i).isAlive || left.get(i) != 0)

  private def watch(): Unit = while (!ended) {
    LockSupport.parkNanos(StepNanos)
    look(isDue = System.nanoTime() - due >= 0)
  }

  /** One look at all loops, of its thread only. */
  private[tcp] def look(isDue: Boolean): Unit = {
    val blocked = (0 until loops.size).filter(isBlocked)
    if (isDue) late += 1
    val nobody = late >= patience && !(0 until loops.size).exists(loops(_).isAlive)
    if (!ended && isDue && (blocked.nonEmpty || nobody)) {
      ended = true
      blocked.foreach(left.set(_, 1))
      giveUp(
        if (nobody) "its event loops have not ended, as user code blocks them"
        else blocked.map(reason).mkString("; ")
      )
    }
  }

  private def isBlocked(loop: Int): Boolean = {
    val turn = loops(loop).presentTurn
    looks(loop) = if (turn != Long.MinValue && turn == seen(loop)) looks(loop) + 1 else 0
    seen(loop) = turn
    loops(loop).isAlive && looks(loop) >= patience
  }

  private def reason(loop: Int): String = {
    val work  = presentWork(loop)
    val where = if (work.isEmpty) "outside of handlers (in a callback, a timer or a stream)" else s"in $work"
    s"event loop $loop is blocked $where, and was given up"
  }
}

private[server] object EndWatch {
  private final val StepNanos = 500L * 1000 * 1000
}
