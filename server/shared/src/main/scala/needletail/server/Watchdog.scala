package needletail.server

import needletail.async.Survivable
import java.util.concurrent.atomic.AtomicLongArray
import java.util.concurrent.locks.LockSupport

import needletail.io.EventLoops

/**
 * Finds loops that are blocked: a thread of its own that looks now and then whether each of them still goes round,
 * and says of one that does not what it is at, where the platform can tell with its stack. It costs the loops nothing.
 *
 * @param thresholdNanos how long one turn may take; one that takes longer is seen if it takes half as long again
 * @param work what a loop is at or was at last, as far as is known
 */
private[server] final class Watchdog(
    loops: EventLoops,
    thresholdNanos: Long,
    log: Log,
    work: Int => String
) {
  import Watchdog._

  private val count      = loops.size
  private val seen       = new Array[Long](count) // the turn that each loop was in when we looked last
  private val reported   = new Array[Long](count) // the last of its turns that was found too long
  private val quietUntil = new Array[Long](count)
  private val unsaid     = new Array[Int](count)  // found, but not said, as they came too fast
  private val total      = new AtomicLongArray(count)
  @volatile private var stopping = false

  java.util.Arrays.fill(seen, Long.MinValue)
  java.util.Arrays.fill(reported, Long.MinValue)
  java.util.Arrays.fill(quietUntil, System.nanoTime())

  private val thread = new Thread(() => watch(), "needletail-watchdog")
  thread.setDaemon(true)

  /** May be called once, and after `stop`. */
  def start(): Unit = if (!stopping) thread.start()

  def stop(): Unit = {
    stopping = true
    LockSupport.unpark(thread)
  }

  /** How many turns of that loop were found too long. */
  def found(loop: Int): Long = total.get(loop)

  // Parked, as on Native Thread.sleep opens a pipe each time: it fails where no descriptor is left.
  private def watch(): Unit = while (!stopping) {
    LockSupport.parkNanos(Math.max(1000000L, thresholdNanos / 2))
    look(System.nanoTime())
  }

  private def look(now: Long): Unit = {
    var i = 0
    while (i < count) {
      val turn = loops(i).presentTurn
      if (turn != Long.MinValue && turn == seen(i) && turn != reported(i) && now - turn >= thresholdNanos) {
        reported(i) = turn
        total.incrementAndGet(i)
        say(i, now - turn, now)
      }
      seen(i) = turn
      i += 1
    }
  }

  private def say(loop: Int, nanos: Long, now: Long): Unit =
    if (now - quietUntil(loop) < 0) unsaid(loop) += 1
    else {
      quietUntil(loop) = now + QuietNanos
      val at    = work(loop)
      val where = if (at.isEmpty) "" else s" in $at"
      val role  = if (loop == 0) "its connections and new ones wait" else "its connections wait"
      val more  = if (unsaid(loop) == 0) "" else s" (and ${unsaid(loop)} times more since this was last said)"
      unsaid(loop) = 0
      val stack  = loops(loop).stackTrace.take(Frames)
      val frames =
        if (stack.isEmpty) "" else stack.mkString("; its stack: ", " < ", "") // one line, as all of a log
      val text = s"loop $loop has been blocked for ${nanos / 1000000} ms$where, and $role$more; " +
        s"what blocks or computes for long belongs into Async.blocking$frames"
      try log.warn(text)
      catch { case Survivable(_) => () } // a log that fails must not end the watch
    }
}

private[server] object Watchdog {

  /** Of each loop so much is said at most. */
  private final val QuietNanos = 10L * 1000 * 1000 * 1000

  private final val Frames = 16
}
