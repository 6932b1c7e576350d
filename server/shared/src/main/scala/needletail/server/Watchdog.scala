package needletail.server

import needletail.async.Survivable
import java.util.concurrent.atomic.AtomicLongArray
import java.util.concurrent.locks.LockSupport

/**
 * Finds loops that are blocked: a thread of its own that looks now and then whether each of them still goes round,
 * and says of one that does not what it is at, where the platform can tell with its stack. It costs the loops nothing.
 *
 * It blames nobody for what is not theirs: for the time in which the machine or the virtual machine stood still, as it
 * did so itself; for the loading of classes while the program is young; and no route but one whose handler runs.
 *
 * @param count of the loops
 * @param presentTurn when the turn that a loop is in began; `Long.MinValue` while it waits
 * @param stackOf what a loop does; empty where the platform does not tell
 * @param thresholdNanos how long one turn may take; one that takes longer is seen if it takes half as long again
 * @param work the route whose handler a loop runs now, as far as is known; empty where it runs none
 */
private[server] final class Watchdog(
    count: Int,
    presentTurn: Int => Long,
    stackOf: Int => Array[StackTraceElement],
    thresholdNanos: Long,
    log: Log,
    work: Int => String
) {
  import Watchdog._

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
  private def watch(): Unit = {
    val pause = Math.max(1000000L, thresholdNanos / 2)
    var last  = System.nanoTime()
    begun = last
    while (!stopping) {
      LockSupport.parkNanos(pause)
      val now = System.nanoTime()
      // As late as that, the loops may have stood still for the same reason.
      if (now - last > pause + thresholdNanos) forget() else look(now)
      last = now
    }
  }

  private def forget(): Unit = java.util.Arrays.fill(seen, Long.MinValue)

  /** When the watch began; for tests. */
  private[server] var begun: Long = System.nanoTime()

  private[server] def look(now: Long): Unit = {
    var i = 0
    while (i < count) {
      val turn = presentTurn(i)
      if (turn != Long.MinValue && turn == seen(i) && turn != reported(i) && now - turn >= thresholdNanos) {
        reported(i) = turn
        val stack = stackOf(i)
        val loads = stack.exists(isLoading)
        if (!loads || now - begun > YoungNanos) {
          total.incrementAndGet(i)
          say(i, now - turn, now, stack, loads)
        }
      }
      seen(i) = turn
      i += 1
    }
  }

  private def say(loop: Int, nanos: Long, now: Long, stack: Array[StackTraceElement], loads: Boolean): Unit =
    if (now - quietUntil(loop) < 0) unsaid(loop) += 1
    else {
      quietUntil(loop) = now + QuietNanos
      val at    = work(loop)
      val where =
        if (loads) " by the loading of classes"
        else if (at.isEmpty) " outside of handlers (in a callback, a timer or a stream)"
        else s" in $at"
      val role = if (loop == 0) "its connections and new ones wait" else "its connections wait"
      val more = if (unsaid(loop) == 0) "" else s" (and ${unsaid(loop)} times more since this was last said)"
      val advice = if (loads) "" else "; what blocks or computes for long belongs into Async.blocking"
      unsaid(loop) = 0
      val frames =
        if (stack.isEmpty) ""
        else stack.take(Frames).mkString("; its stack: ", " < ", "") // one line, as all of a log
      val text = s"loop $loop has been blocked for ${nanos / 1000000} ms$where, and $role$more$advice$frames"
      try log.warn(text)
      catch { case Survivable(_) => () } // a log that fails must not end the watch
    }

  private def isLoading(frame: StackTraceElement): Boolean = {
    val name = frame.getClassName
    frame.getMethodName == "<clinit>" || name == "java.lang.ClassLoader" ||
    name == "java.lang.invoke.MethodHandleNatives" || name.startsWith("jdk.internal.loader.")
  }
}

private[server] object Watchdog {

  /** Of each loop so much is said at most. */
  private final val QuietNanos = 10L * 1000 * 1000 * 1000

  private final val Frames = 16

  /** For so long after the watch has begun, most of a program's classes have yet to be loaded. */
  private final val YoungNanos = 20L * 1000 * 1000 * 1000
}
