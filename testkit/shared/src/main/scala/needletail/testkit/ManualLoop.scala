package needletail.testkit

import java.util.concurrent.{LinkedBlockingQueue, TimeUnit}

import scala.concurrent.duration._
import scala.util.Try

import needletail.async.{Async, Loop, Survivable, Timer, TimerQueue}

/**
 * An event loop for tests: the thread that calls it does its work, it opens no sockets and starts no threads, and its
 * clock is virtual, so that a timeout of an hour is tested in no time.
 *
 * `run` works until a value is there; `advance` and `runAll` work step by step. While one of them or `within` runs,
 * this is the calling thread's loop. An exception thrown by a task, or by an actor (`ActorFailed`), is rethrown by the
 * method that ran it, after all other tasks have run; `getSuppressed` has further ones. Only `execute` may be called from
 * other threads.
 *
 * Work that was handed to other threads (`Async.blocking`) takes no virtual time: `run` and `advance` wait until it has
 * ended before they advance the clock, and throw an `IllegalStateException` if it has not ended after 20 seconds.
 * Whether a `Future` will be completed cannot be known: `run` waits one second of real time for it, once, before
 * it advances the clock.
 *
 * @param patience for tests of what happens while such work or such a future is unfinished: how long in real time `run`
 *                 waits for either before it advances the clock to the next timer; `advance` does not wait then. `null`
 *                 for the behaviour described above
 */
final class ManualLoop(patience: FiniteDuration = null) extends Loop {
  private val tasks             = new LinkedBlockingQueue[Runnable]
  private val timers            = new TimerQueue
  private var now               = 0L
  private var fired             = 0L    // timers
  private var working           = 0     // blocking tasks on other threads
  private var outside           = 0     // results that other threads may deliver
  private var waited            = false // without success, for the results counted by `outside`
  private var thrown: Throwable = null

  def inLoop: Boolean               = Loop.currentOrNull eq this
  def execute(task: Runnable): Unit = tasks.put(task)
  def nowNanos: Long                = now

  def schedule(delayNanos: Long, task: Runnable): Timer = timers.add(now, delayNanos, task)

  /** The number of timers that are set and not yet due: zero when no timer was left behind. */
  def pendingTimers: Int = timers.size

  /** Evaluates `body` as code that runs on the loop. Tasks that it leaves are not run. */
  def within[A](body: => A): A = {
    val before = Loop.currentOrNull
    Loop.enter(this)
    try body
    finally if (before == null) Loop.leave() else Loop.enter(before)
  }

  /** Runs all tasks and the timers that are due now, until none is left. Does not advance the clock. */
  def runAll(): Unit = {
    within { while (runOne()) () }
    raise()
  }

  /** Advances the clock by `duration`: runs all tasks, and all timers in the order in which they become due. */
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
   * Evaluates `body` on the loop and advances the clock until it has a result, which it returns, after the tasks that
   * wait by then. Throws IllegalStateException if no task, timer or other thread is left that could complete it, and if
   * timers go on without completing it: after a hundred years of virtual time, or ten million timers.
   */
  def run[A](body: => Async[A]): Try[A] = {
    val end       = now + ManualLoop.LongestRun.toNanos
    val most      = fired + ManualLoop.MostTimers
    var isEndless = false
    val result    = within {
      val async = Async.defer(body)
      while (!async.isCompleted && fired < most && goOn(end)) ()
      isEndless = fired >= most || !timers.isEmpty
      runWaiting()
      async.poll
    }
    raise()
    result.getOrElse(throw new IllegalStateException(
      "the value cannot be completed: " + (
        if (isEndless)
          s"timers go on, but it was not there after ${ManualLoop.LongestRun}, or after ${ManualLoop.MostTimers} of them"
        else "nothing is scheduled any more"
      )
    ))
  }

  /** Runs the tasks that wait now, but not what they leave, as that may never end. */
  private def runWaiting(): Unit = {
    var left = tasks.size
    while (left > 0) {
      val task = tasks.poll()
      if (task == null) left = 0 // one of them has run the loop itself
      else {
        guarded(task)
        left -= 1
      }
    }
  }

  /** Runs everything that is due now. */
  private def settle(): Unit =
    while (runOne() || (patience == null && working > 0 && awaitWork())) ()

  private def goOn(end: Long): Boolean =
    runOne() ||
      (working > 0 && awaitWork()) ||
      (outside > 0 && awaitOthers()) ||
      (if (timers.isEmpty) working + outside > 0 && await(ManualLoop.Longest)
       else
         timers.nextAt <= end && {
           now = timers.nextAt
           true
         })

  private def runOne(): Boolean = {
    val task = tasks.poll()
    if (task != null) {
      guarded(task)
      true
    } else if (timers.nextAt <= now) {
      fired += 1
      guarded(timers.take())
      true
    } else false
  }

  private def awaitWork(): Boolean =
    if (patience != null) await(patience)
    else if (await(ManualLoop.Longest)) true
    else
      throw new IllegalStateException(
        s"blocking work has not ended within ${ManualLoop.Longest}, and virtual time waits for it; to " +
          "test what happens meanwhile, create the loop with a `patience`"
      )

  private def awaitOthers(): Boolean =
    if (patience != null) await(patience)
    else if (waited) false
    else {
      val delivered = await(1.second)
      waited = !delivered
      delivered
    }

  private def await(atMost: FiniteDuration): Boolean = {
    val task = tasks.poll(atMost.toNanos, TimeUnit.NANOSECONDS)
    if (task != null) guarded(task)
    task != null
  }

  private def guarded(task: Runnable): Unit =
    try task.run()
    catch { case Survivable(e) => keep(e) }

  private def keep(e: Throwable): Unit =
    if (thrown == null) thrown = e else if (thrown ne e) thrown.addSuppressed(e)

  private def raise(): Unit = if (thrown != null) {
    val first = thrown
    thrown = null
    throw first
  }

  /** Thrown by the method that runs now, as a test may call no other; what happens in `within`, by the next one. */
  private[needletail] override def unhandled(error: Throwable): Unit =
    if (inLoop && Survivable(error)) keep(error) else super.unhandled(error)

  private[needletail] override def blockingWorkChanged(change: Int): Unit   = working += change
  private[needletail] override def outsideResultsChanged(change: Int): Unit = {
    outside += change
    waited = false
  }
}

private object ManualLoop {

  /** How long in real time a loop waits for another thread when nothing else is left to do. */
  val Longest: FiniteDuration = 20.seconds

  /** How far `run` advances the clock at most: more than a few settings at their longest have together. */
  val LongestRun: FiniteDuration = 36500.days

  /** How many timers `run` runs at most, for those that would take hours of real time until then. */
  final val MostTimers = 10000000L
}
