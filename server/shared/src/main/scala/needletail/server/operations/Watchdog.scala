package needletail.server.operations

import needletail.async.Survivable
import java.util.concurrent.atomic.AtomicLongArray
import java.util.concurrent.locks.LockSupport

/**
 * Detects blocked event loops. A thread of its own checks at intervals whether each loop has begun another turn, and
 * logs one that has not, with its current route and, if the platform supports it, its stack. The loops do nothing for
 * it.
 *
 * Some delays are not reported: those in which the whole machine or virtual machine stood still, which stopped this
 * thread too, the loading of classes soon after the start, encryption and sending soon after the start, while the JVM has
 * not compiled what encrypts, and time in which a loop waited for a processor, as far as the platform tells it. A route is
 * named only while its handler runs. A turn that ends just as it is found too long is counted, and not logged by itself, as
 * nothing says any more what it did.
 *
 * @param count number of loops
 * @param presentTurn when the current turn of a loop began; `Long.MinValue` while the loop waits
 * @param stackOf the stack of a loop; empty if the platform has none
 * @param thresholdNanos how long a turn may take; a longer one is certainly detected at 1.5 times that
 * @param work the route whose handler a loop runs now; empty if it runs none or it is not known
 * @param delay for how many nanoseconds a loop has waited for a processor so far, given its current turn; -1 if that is
 *   not known
 */
private[server] final class Watchdog(
    count: Int,
    presentTurn: Int => Long,
    stackOf: Int => Array[StackTraceElement],
    thresholdNanos: Long,
    log: Log,
    work: Int => String,
    delay: (Int, Long) => Long = (_, _) => -1
) {
  import Watchdog._

  private val seen       = new Array[Long](count) // the turn of each loop at the last check
  private val reported   = new Array[Long](count) // the last turn of each loop that was found too long
  private val quietUntil = new Array[Long](count)
  private val unlogged   = new Array[Int](count)  // found too long, but not logged
  private val delayed    =
    new Array[Long](count) // the last turn of each loop whose delay was looked at early on
  private val delayThen          = new Array[Long](count)    // and that delay
  private val sentThen           = new Array[Boolean](count) // and whether it was sending
  private val total              = new AtomicLongArray(count)
  @volatile private var stopping = false

  java.util.Arrays.fill(seen, Long.MinValue)
  java.util.Arrays.fill(reported, Long.MinValue)
  java.util.Arrays.fill(delayed, Long.MinValue)
  java.util.Arrays.fill(quietUntil, System.nanoTime())

  private val thread = new Thread(() => watch(), "needletail-watchdog")
  thread.setDaemon(true)

  /** To be called once; does nothing after `stop`. */
  def start(): Unit = if (!stopping) thread.start()

  def stop(): Unit = {
    stopping = true
    LockSupport.unpark(thread)
  }

  /** How many turns of that loop were found too long. From any thread. */
  def found(loop: Int): Long = total.get(loop)

  // Parks, since Thread.sleep opens a pipe each time on Native, which fails if no descriptor is left.
  private def watch(): Unit = {
    val pause = Math.max(1000000L, thresholdNanos / 2)
    var last  = System.nanoTime()
    begun = last
    while (!stopping) {
      LockSupport.parkNanos(pause)
      val now = System.nanoTime()
      // If this thread was that late, the loops may have been stopped for the same reason.
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
      if (turn != Long.MinValue) {
        if (turn == seen(i) && turn != reported(i) && now - turn >= thresholdNanos) {
          val waited = waitedInTurn(i, turn)
          if (now - turn - waited >= thresholdNanos) found(i, turn, now, waited)
        }
        // few turns take that long; looked at before a turn is too long, in two looks at least
        if (turn != delayed(i) && now - turn >= thresholdNanos / 4) {
          delayed(i) = turn
          delayThen(i) = delay(i, turn)
          sentThen(i) = isSending(stackOf(i))
        }
      }
      seen(i) = turn
      i += 1
    }
  }

  /** For how long a loop has waited for a processor in this turn, as far as it is known. */
  private def waitedInTurn(loop: Int, turn: Long): Long =
    if (turn != delayed(loop) || delayThen(loop) < 0) 0
    else Math.max(0L, delay(loop, turn) - delayThen(loop))

  private def found(loop: Int, turn: Long, now: Long, waited: Long): Unit = {
    reported(loop) = turn
    val at      = work(loop)
    val stack   = stackOf(loop)
    val isOver  = presentTurn(loop) != turn // then they are of what came after it
    val isYoung = now - begun <= YoungNanos
    // before that it may have run handlers: soon after the start those of many requests take long as well
    def hasSent = isYoung || turn == delayed(loop) && sentThen(loop)
    val own     =
      if (isOver) ""
      else if (stack.exists(isLoading)) Loading
      else if (isSending(stack) && hasSent) Sending
      else ""
    if (own.isEmpty || !isYoung) {
      total.incrementAndGet(loop)
      if (isOver) unlogged(loop) += 1
      else report(loop, now - turn - waited, waited, now, at, stack, own)
    }
  }

  private def report(
      loop: Int,
      nanos: Long,
      waited: Long,
      now: Long,
      at: String,
      stack: Array[StackTraceElement],
      own: String
  ): Unit =
    if (now - quietUntil(loop) < 0) unlogged(loop) += 1
    else {
      quietUntil(loop) = now + QuietNanos
      val where =
        if (own.nonEmpty) own
        else if (at.isEmpty) " outside of handlers (in a callback, a timer or a stream)"
        else s" in $at"
      val beside =
        if (waited < 1000000) "" else s" (and has waited ${waited / 1000000} ms for a processor)"
      val role = if (loop == 0) "its connections and new ones wait" else "its connections wait"
      val more =
        if (unlogged(loop) == 0) "" else s" (and ${unlogged(loop)} times more since this was last logged)"
      val advice = if (own.nonEmpty) "" else "; use Async.blocking for blocking calls and long computations"
      unlogged(loop) = 0
      val frames =
        if (stack.isEmpty) ""
        else stack.take(Frames).mkString("; its stack: ", " < ", "") // one line
      val text =
        s"loop $loop has been blocked for ${nanos / 1000000} ms$beside$where, and $role$more$advice$frames"
      try log.warn(text)
      catch { case Survivable(_) => () } // a log that fails must not end this thread
    }

  private def isLoading(frame: StackTraceElement): Boolean = {
    val name = frame.getClassName
    frame.getMethodName == "<clinit>" || name == "java.lang.ClassLoader" ||
    name == "java.lang.invoke.MethodHandleNatives" || name.startsWith("jdk.internal.loader.")
  }

  /** Whether it passes output on, or encrypts it, and no code of users' was called by that. */
  private def isSending(stack: Array[StackTraceElement]): Boolean = {
    val own = stack.iterator.map(_.getClassName).dropWhile(isJdks).takeWhile(_.startsWith("needletail.io."))
    own.contains(Output)
  }

  private def isJdks(name: String): Boolean = Jdks.exists(name.startsWith(_))
}

private[server] object Watchdog {

  /** Each loop is logged at most once in this time. */
  private final val QuietNanos = 10L * 1000 * 1000 * 1000

  /** Frames of a stack that are logged. */
  private final val Frames = 16

  /** For this long after the start, what a JVM does slowly only then is not reported. */
  private final val YoungNanos = 20L * 1000 * 1000 * 1000

  // What a loop does that is no code of users'

  private final val Loading = " by the loading of classes"
  private final val Sending = " by the encryption and sending of output"

  private final val Output = "needletail.io.ConnectionOutput"
  private val Jdks         = Seq("java.", "javax.", "jdk.", "sun.", "com.sun.", "org.conscrypt.")
}
