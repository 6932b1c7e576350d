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
 * Work that was handed to other threads (`Async.blocking`) takes no virtual time: `run` and `advance` wait for its end
 * before the clock goes on, and throw an `IllegalStateException` when there is none in 20 seconds. Whether a future that
 * others will complete ever is cannot be known: `run` waits a second for it, once, before it lets the clock go on.
 *
 * @param patience to be set by tests of what happens while such work or such a future is not there yet: how long in
 *                 real time `run` waits for either before it lets the clock go on to the next timer; `advance` does not
 *                 wait then
 */
final class ManualLoop(patience: FiniteDuration = null) extends Loop {
  private val tasks             = new LinkedBlockingQueue[Runnable]
  private val timers            = new TimerQueue
  private var now               = 0L
  private var working           = 0     // pieces of work on other threads
  private var outside           = 0     // promises that others will complete, or not
  private var waited            = false // in vain, for what is outside now
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
    val end = now + math.min(duration.toNanos, Long.MaxValue / 4)
    within {
      settle()
      while (timers.nextAt <= end) {
        now = timers.nextAt
        settle()
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

  /** Runs all there is to do at this time. */
  private def settle(): Unit =
    while (runOne() || (patience == null && working > 0 && awaitWork())) ()

  private def goOn(): Boolean =
    runOne() ||
      (working > 0 && awaitWork()) ||
      (outside > 0 && awaitOthers()) ||
      (if (timers.isEmpty) working + outside > 0 && await(ManualLoop.Longest)
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

  private def awaitWork(): Boolean =
    if (patience != null) await(patience)
    else if (await(ManualLoop.Longest)) true
    else
      throw new IllegalStateException(
        s"blocking work has not ended in ${ManualLoop.Longest}, and virtual time does not pass before it has; for a " +
          "test of what happens while it runs, make the loop with a patience"
      )

  private def awaitOthers(): Boolean =
    if (patience != null) await(patience)
    else if (waited) false
    else {
      val came = await(1.second)
      waited = !came
      came
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

  private[async] def awaitWork(change: Int): Unit    = working += change
  private[async] def awaitOutside(change: Int): Unit = {
    outside += change
    waited = false
  }
}

object ManualLoop {

  /** How long it waits for something outside when it has nothing else to do. */
  private val Longest = 20.seconds

  /** Tells a manual loop that one piece of work more, or less, is on another thread. */
  private[async] def awaitWork(loop: Loop, change: Int): Unit = loop match {
    case manual: ManualLoop => manual.awaitWork(change)
    case _                  => ()
  }

  /** Tells a manual loop that one thing more, or less, is awaited from other threads. */
  private[async] def awaitOutside(loop: Loop, change: Int): Unit = loop match {
    case manual: ManualLoop => manual.awaitOutside(change)
    case _                  => ()
  }
}
