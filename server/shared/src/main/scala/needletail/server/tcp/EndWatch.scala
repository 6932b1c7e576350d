package needletail.server.tcp

import java.util.concurrent.locks.LockSupport

import needletail.io.EventLoops

/**
 * Bounds the end of a server: user code that blocks an event loop would keep it from ending. From `begin` on, a thread of
 * its own watches the loops. Once the time for their end is over, and one has been in the same turn for `patienceNanos`,
 * it is given up.
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
  private var thread: Thread = null
  @volatile private var due  = 0L
  @volatile private var ended = false

  /** The loops should have ended in so many nanoseconds. May be called again with a shorter time. From any thread. */
  def begin(nanos: Long): Unit = synchronized {
    val at = System.nanoTime() + math.min(nanos, Long.MaxValue / 2)
    if (thread == null) {
      due = at
      thread = new Thread(() => watch(), "needletail-end")
      thread.setDaemon(true)
      if (!ended) thread.start()
    } else if (at - due < 0) due = at
  }

  /** The server has ended. From any thread. */
  def end(): Unit = synchronized {
    ended = true
    if (thread != null) LockSupport.unpark(thread)
  }

  /** Whether every loop that is not blocked has ended. From any thread. */
  def othersHaveEnded: Boolean =
    (0 until loops.size).forall(i => !loops(i).isAlive || loops(i).presentTurn == seen(i))

  private def watch(): Unit = while (!ended) {
    LockSupport.parkNanos(StepNanos)
    val now     = System.nanoTime()
    val blocked = (0 until loops.size).filter(isBlocked(_, now))
    val nobody  = now - due >= patienceNanos && !(0 until loops.size).exists(loops(_).isAlive)
    if (!ended && now - due >= 0 && (blocked.nonEmpty || nobody)) {
      ended = true
      giveUp(
        if (nobody) "its event loops have not ended, as user code blocks them"
        else blocked.map(reason).mkString("; ")
      )
    }
  }

  /** A turn is certain only when it is seen twice. */
  private def isBlocked(loop: Int, now: Long): Boolean = {
    val turn   = loops(loop).presentTurn
    val before = seen(loop)
    seen(loop) = turn
    loops(loop).isAlive && turn != Long.MinValue && turn == before && now - turn >= patienceNanos
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
