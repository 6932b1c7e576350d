package needletail.async

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.duration._
import scala.util.Try

/**
 * A loop for tests, driven by the thread that calls it: no sockets, no threads, and a clock of its own that
 * moves only when told to, so that an hour's time-out is tested in no time.
 *
 * `run` drives it until a value is there; `advance` and `runAll` drive it step by step. While one of them or
 * `within` runs, this is the calling thread's loop. What a task throws is thrown by the method that ran it,
 * when everything else has been run. Only `execute` may be called from other threads.
 *
 * @param patience where something outside is awaited (a future, blocking work), how long in real time `run`
 *                 waits for it before it lets the clock go on to the next timer
 */
final class ManualLoop(patience: FiniteDuration = 100.millis) extends Loop {
  private val tasks             = new LinkedBlockingQueue[Runnable]
  private val timers            = new TimerQueue
  private var now               = 0L
  private var outside           = 0 // how many promises wait for another thread
  private var thrown: Throwable = null

  def inLoop: Boolean               = Loop.currentOrNull eq this
  def execute(task: Runnable): Unit = tasks.put(task)
  def nowNanos: Long                = now

  def schedule(delayNanos: Long, task: Runnable): Timer = timers.add(now, delayNanos, task)

  /** How many timers wait: zero when nothing was left behind. */
  def pendingTimers: Int = timers.size

  /** Evaluates `body` as on the loop, without running what it leaves to be done. */
  def within[A](body: => A): A = {
    val before = Loop.currentOrNull
    Loop.enter(this)
    try body
    finally if (before == null) Loop.leave() else Loop.enter(before)
  }

  /** Runs all tasks, and the timers that are due now, until there are none. */
  def runAll(): Unit = {
    within { while (runOne()) () }
    raise()
  }

  /** Lets `duration` pass: runs all tasks, and all timers in the order in which they become due. */
  def advance(duration: FiniteDuration): Unit = {
    val end = now + duration.toNanos
    within {
      while (runOne()) ()
      while (timers.nextAt <= end) {
        now = timers.nextAt
        while (runOne()) ()
      }
    }
    now = end
    raise()
  }

  /**
   * Starts `body` and lets time pass until it has a result. Throws an `IllegalStateException` when nothing is
   * left that could complete it.
   */
  def run[A](body: => Async[A]): Try[A] = {
    val result = within {
      val async = Async.defer(body)
      while (!async.isCompleted && goOn()) ()
      async.poll
    }
    raise()
    result.getOrElse(throw new IllegalStateException("nothing is left that could complete the value"))
  }

  private def goOn(): Boolean =
    runOne() ||
      (outside > 0 && await(patience)) ||
      (if (timers.isEmpty) outside > 0 && await(ManualLoop.Longest)
       else {
         now = timers.nextAt
         true
       })

  private def runOne(): Boolean = {
    val task = tasks.poll()
    if (task != null) {
      guarded(task)
      true
    } else if (timers.nextAt <= now) {
      guarded(timers.take())
      true
    } else false
  }

  private def await(atMost: FiniteDuration): Boolean = {
    val task = tasks.poll(atMost.toNanos, TimeUnit.NANOSECONDS)
    if (task != null) guarded(task)
    task != null
  }

  private def guarded(task: Runnable): Unit =
    try task.run()
    catch {
      case Survivable(e) =>
        if (thrown == null) thrown = e else if (thrown ne e) thrown.addSuppressed(e)
    }

  private def raise(): Unit = if (thrown != null) {
    val first = thrown
    thrown = null
    throw first
  }

  private[async] def awaitOutside(change: Int): Unit = outside += change
}

object ManualLoop {

  /** How long `run` waits for something outside when it has nothing else to do. */
  private val Longest = 10.seconds

  /** Tells a manual loop that one thing more, or less, is awaited from other threads. */
  private[async] def awaitOutside(loop: Loop, change: Int): Unit = loop match {
    case manual: ManualLoop => manual.awaitOutside(change)
    case _                  => ()
  }
}
