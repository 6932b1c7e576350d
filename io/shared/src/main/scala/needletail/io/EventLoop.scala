package needletail.io

import needletail.async.{Async, LastTasks, Loop, Signal, Timer, TimerHeap, TimerNode}
import needletail.io.loop._
import needletail.io.platform.{Descriptor, Platform, PlatformLoop, Pollable, PollerKind}

import java.util.concurrent.{CountDownLatch, Executor, RejectedExecutionException}

/**
 * One thread that waits for its connections and runs their handlers, its timers and its tasks. Made by [[EventLoops]].
 *
 * It runs in turns. Each turn:
 *
 *   1. waits for events, or for the first timer; not at all while tasks are queued,
 *   1. calls the handlers of the connections and listeners that are ready,
 *   1. runs the timers that are due,
 *   1. runs the tasks that were queued by then (`execute`),
 *   1. runs the task of every turn, if one is set,
 *   1. runs the tasks for the end of the turn (`endOfTurn`).
 *
 * An exception of user code is reported (`onFailure`) and closes the connection that it was called for, never the
 * loop. A fatal error of the virtual machine ends the loop and closes what it owns.
 */
final class EventLoop private[io] (
    val index: Int,
    name: String,
    daemon: Boolean,
    pollerKind: PollerKind,
    onEnd: () => Unit,
    private[needletail] val platform: Platform,
    failures: (String, Throwable) => Unit = null,
    onFatal: () => Unit = () => ()
) extends PlatformLoop {
  EventLoop.loadLog()

  private var thread  = new Thread(() => live(), name)
  private val tasks   = new TaskQueue
  private val timers  = new TimerHeap
  private val poller  = platform.openPoller(this, pollerKind)
  private val reports = new LoopReports(failures)

  /** What its connections read into, the memory that they hold, and which are to compute a TLS handshake. */
  private[io] val reads              = new ReadArrays
  private[needletail] val memory     = new LoopMemory
  private[needletail] val handshakes = new HandshakeTurns(endOfTurn(_), () => nanos, () => clockNanos)

  /** What waits until it has closed a descriptor. */
  private[io] val descriptorWaiters = new DescriptorWaiters

  /** What its end ends. */
  private[needletail] val unendedWork = new UnendedWork

  private var nanos      = platform.nanoTime()
  private var millis     = 0L            // 0: not read in this turn
  private var due        = Long.MaxValue // of the first timer, at the end of the wait
  private var clockFresh = true          // false during the wait

  private val work = new TurnWork(timers, nanos, () => platform.nanoTimeBeforeWait(), reportOf(_))
  private var everyTurn: Runnable = null // most loops have none

  @volatile private var stopping = false
  @volatile private var ended    = false

  thread.setDaemon(daemon)

  /** Whether the calling thread is the loop's own. */
  def inLoop: Boolean = Thread.currentThread() eq thread

  /** Whether the loop still runs. Once it has ended it takes no tasks. */
  def isAlive: Boolean = !ended

  /** The system interface it waits with: `epoll`, `io_uring` or, on the JVM, `nio`. */
  def pollerName: String = poller.name

  /** Whether `stop` was called. Then its connections are or will be closed, and its timers never fire. */
  private[needletail] def isStopping: Boolean = stopping

  /** The clock in nanoseconds, monotonic, as it was at the beginning of this turn. */
  def nowNanos: Long = nanos

  override private[needletail] def clockNanos: Long = platform.nanoTime()

  /** As `clockNanos`, for callers that call it after the work that they do: the wait is reckoned from then if it is the last. */
  private[needletail] def readClock(): Long = work.ended(platform.nanoTime())

  /** When the first timer was due, as of the beginning of this turn; Long.MaxValue if there was none. */
  private[needletail] def dueNanos: Long = due

  /** Processor time of the loop's thread in nanoseconds; -1 if unknown. To be called on that thread. */
  private[needletail] def processorNanos: Long = platform.processorNanos()

  /** See `Platform.waits`. To be called on that thread. */
  private[needletail] def waits(): Long = platform.waits()

  override private[needletail] def blockingThreads: Executor = platform.blocking

  override private[needletail] def block(done: CountDownLatch): Unit = platform.block(done)

  /**
   * When the current turn began, or `Long.MinValue` while the loop waits; for watchdogs, from any thread. Read without
   * synchronisation, so a turn is certain only when it is seen twice.
   */
  private[needletail] def presentTurn: Long = if (clockFresh) nanos else Long.MinValue

  /** The stack trace of its thread, for messages; empty if the platform has none. From any thread. */
  private[needletail] def stackTrace: Array[StackTraceElement] = thread.getStackTrace

  /** The wall clock in milliseconds since 1970, read at most once a turn; on the loop's own thread. */
  def nowMillis: Long = {
    if (millis == 0) millis = platform.currentTimeMillis()
    millis
  }

  /**
   * Runs `task` on the loop, after the tasks queued already. From any thread.
   *
   * @throws java.util.concurrent.RejectedExecutionException if the loop has ended
   */
  def execute(task: Runnable): Unit = {
    if (task eq null) throw new NullPointerException("task")
    tasks.add(task) match {
      case TaskQueue.Added    => ()
      case TaskQueue.MustWake => poller.wakeUp()
      case _                  => throw new RejectedExecutionException(s"the event loop $name has ended")
    }
  }

  /** Runs `task` after `delayNanos`, not earlier. To be called on the loop's thread. */
  def schedule(delayNanos: Long, task: Runnable): Timer = {
    val timer = new ScheduledTask(timers, task)
    // Not the cached clock, which lags: the task must not run early. Half the range keeps differences exact.
    timers.add(timer, platform.nanoTime() + math.max(0L, math.min(delayNanos, Long.MaxValue / 2)))
    timer
  }

  /**
   * Runs `task` at the end of this turn, before the loop waits. To be called on the loop's thread. What such a task
   * itself adds runs at the end of the next turn, which then begins without waiting. Allocates nothing.
   */
  def endOfTurn(task: Runnable): Unit = work.atTurnEnd(task)

  /**
   * Runs `task` as soon as the handler, timer or task that runs now has returned, before any other: for what cannot
   * wait until all that is ready in this turn has been handled. To be called on the loop's thread; there is one at most,
   * and the last one called for replaces it.
   */
  private[needletail] def runNext(task: Runnable): Unit = work.runNext(task)

  /**
   * Runs `task` in every turn from now on, null for none: for callers that need more exact times than the loop's wait
   * has, and wake it from another thread. To be called on the loop's thread; `task` must not throw.
   */
  private[needletail] def onEveryTurn(task: Runnable): Unit = everyTurn = task

  /** Makes the loop begin a turn, now or after the current one. From any thread. Allocates nothing. */
  private[needletail] def wake(): Unit = poller.wakeUp()

  // For the connections and listeners of this package.

  private[io] def watch(d: Descriptor, source: Pollable, interest: Int): Unit =
    poller.register(d, source, interest)

  private[io] def setInterest(d: Descriptor, interest: Int): Unit = poller.setInterest(d, interest)

  /** Watches it no more; an event of this turn may still arrive. */
  private[io] def unwatch(d: Descriptor): Unit = poller.release(d)

  /**
   * Closes a descriptor, watched or not, at the end of this turn: an event of this turn that is still to be dispatched
   * could otherwise be taken for one of a new descriptor with the same number.
   */
  private[io] def releaseAtTurnEnd(d: Descriptor): Unit = endOfTurn(() => release(d))

  /** The same at once, for callers that run at the end of the turn. */
  private[io] def release(d: Descriptor): Unit = {
    poller.forget(d)
    d.close()
    descriptorWaiters.closed()
  }

  /** The number of timers that are set. To be called on the loop. */
  private[needletail] def timersSet: Int = timers.size

  private[io] def addTimer(node: TimerNode, due: Long): Unit = timers.add(node, due)
  private[io] def removeTimer(node: TimerNode): Unit         = timers.remove(node)

  /** Called by the Poller for each source that is ready. */
  private[needletail] def dispatch(source: Pollable, ready: Int): Unit = {
    if (!clockFresh) wakeFromPoll()
    work.begins()
    try source.onReady(ready)
    catch { case e: Throwable => work.survive(source, e) }
    work.over()
  }

  private[io] def start(): Unit = platform.start(this)

  private[needletail] def startThread(): Unit = thread.start()

  /** Instead of `start`: the calling thread is the loop's own until it ends. */
  private[io] def runHere(): Unit = {
    thread = Thread.currentThread()
    live()
  }

  /** Ends the loop after its current turn. From any thread. */
  private[needletail] def stop(): Unit = {
    stopping = true
    if (tasks.add(() => ()) == TaskQueue.MustWake) poller.wakeUp()
  }

  /** Instead of `start`: closes the loop's poller. */
  private[io] def discard(): Unit = poller.close()

  // The thread

  private def live(): Unit = {
    Loop.enter(this)
    try while (!stopping) goOn(beforeWait())
    catch { case e: Throwable => fatal(e) }
    finally end()
  }

  /** Reports before any connection is closed, as that must not look like an orderly end. */
  private[needletail] def fatal(e: Throwable): Unit = {
    work.endBegins()
    try onFatal()
    finally report(s"the event loop $name ends", e)
  }

  /** For a platform that runs the turns itself: the calling thread is the loop's own until `leave`. */
  private[needletail] def enter(): Unit = {
    thread = Thread.currentThread()
    Loop.enter(this)
  }

  private[needletail] def leave(): Unit = {
    thread = null
    Loop.leave()
  }

  /** The first half of a turn. Returns how many milliseconds to wait; 0 for none, -1 until it is woken. */
  private[needletail] def beforeWait(): Int = {
    val timeout = timeoutMillis()
    clockFresh = false
    timeout
  }

  /** The second half of a turn: see the class. */
  private[needletail] def goOn(timeout: Int): Unit = {
    poller.poll(timeout)
    if (!clockFresh) wakeFromPoll()
    work.runTimers()
    work.runTasks(tasks.takeAll())
    if (everyTurn ne null) work.run(everyTurn)
    work.runTurnEnd()
    reports.throwLast()
  }

  /** As `beforeWait`: 0 if anything is queued. Otherwise the task queue is asleep afterwards. */
  private def timeoutMillis(): Int =
    if (!work.isTurnOver) 0
    else {
      val timeout = if (timers.isEmpty) -1 else timers.millisToFirst(work.endedAt)
      if (timeout == 0 || !tasks.fallAsleep()) 0 else timeout
    }

  /** The wait has ended, with or without an event. */
  private def wakeFromPoll(): Unit = {
    tasks.awake()
    nanos = platform.nanoTime()
    work.turnBegins(nanos)
    millis = 0
    due = timers.firstDue
    clockFresh = true
  }

  /** Reports to the owner of the loops (`EventLoops`), else to `EventLoop.onFailure`. Throws nothing. */
  private[needletail] def report(text: String, cause: Throwable): Unit = reports.report(text, cause)

  private def reportOf(e: Throwable): Unit = report(s"an exception on the event loop $name", e)

  private val draining = new Signal

  /** Completes when `beginDrain` is called. To be called on the loop. */
  private[needletail] def drainBegins: Async[Unit] = draining

  /** Completes `drainBegins`: the loop's server has begun to drain. To be called on the loop. */
  private[needletail] def beginDrain(): Unit = draining.happen()

  private val atEnds = new LastTasks

  override private[needletail] def atEnd(task: Runnable): Unit    = atEnds.add(task)
  override private[needletail] def notAtEnd(task: Runnable): Unit = atEnds.remove(task)

  /** A loop that has ended takes no task, and runs its last ones: what is to follow must not suffer. */
  override private[needletail] def unhandled(error: Throwable): Unit =
    if (ended) reportOf(error) else super.unhandled(error)

  private[needletail] def end(): Unit =
    try {
      work.endBegins()
      stopping = true // also where a fatal error ends it: nobody is to begin or to wait for something new
      poller.foreach { source =>
        try source.onLoopEnd()
        catch { case e: Throwable => work.survive(source, e) }
      }
      work.resumeTurnEnd()
      work.runTurnEnd() // closes the connections that were closed just now
      ended = true
      work.runUntried()
      work.runTasks(tasks.close())
      work.runTurnEnd()
      timers.clear()
      unendedWork.endAll(work.survive(_, _))
      atEnds.run(work.run(_))
      Loop.tellObservers(work.survive(this, _))
      work.runTurnEnd()
      atEnds.run(work.run(_))
    } finally {
      ended = true
      try {
        tasks.close()
        poller.close()
        Loop.leave()
      } finally onEnd() // also where memory has run out: others wait for it
    }
}

object EventLoop {

  /**
   * Called with an exception that nothing else caught: a text and the cause. It must not throw. By default both are
   * written to standard error. Loops of a server report to its log instead (`ServerConfig.log`).
   */
  def onFailure: (String, Throwable) => Unit            = FailureLog.hook
  def onFailure_=(f: (String, Throwable) => Unit): Unit = FailureLog.hook = f

  /** Loading a class may need a descriptor, and the failure to report may be that there is none. */
  private def loadLog(): Unit = { val _ = onFailure }

  private[needletail] def report(text: String, cause: Throwable): Unit = Loop.currentOrNull match {
    case loop: EventLoop => loop.reports.reportToHook(text, cause)
    case _               => FailureLog.report(text, cause)
  }
}
