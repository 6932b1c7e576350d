package needletail.io

import needletail.async.{Async, Loop, Signal, Survivable, Timer}

import java.util.concurrent.{Executor, RejectedExecutionException}

/**
 * One thread that waits for its connections, runs their handlers, its timers and its tasks.
 *
 * A turn: wait (not at all while work is there) → events → timers that are due → the tasks queued by then → what is to
 * be done in every turn → what was put off to the end of the turn. What user code throws ends the connection it was called for, never the loop; a
 * fatal error of the virtual machine ends the loop and closes what it owns. Made by [[EventLoops]].
 */
final class EventLoop private[io] (
    val index: Int,
    name: String,
    daemon: Boolean,
    pollerKind: PollerKind,
    onEnd: () => Unit,
    private[needletail] val platform: Platform = SystemPlatform,
    failures: (String, Throwable) => Unit = null,
    onFatal: () => Unit = () => ()
) extends Loop {
  import EventLoop.*

  EventLoop.beReady()

  private var thread  = new Thread(() => live(), name)
  private val tasks   = new TaskQueue
  private val timers  = new TimerHeap
  private val turnEnd = new TurnEnd
  private val poller  = platform.openPoller(this, pollerKind)

  /** What its connections hold. */
  private[needletail] val memory = new LoopMemory

  private var nanos      = platform.nanoTime()
  private var millis     = 0L            // 0: not asked for in this turn
  private var due        = Long.MaxValue // of the first timer, when the wait was over
  private var clockFresh = true          // false during the wait
  private var buffer     = new Array[Byte](ReadBufferSize)

  private var everyTurn: Runnable = null // most loops have none

  private var starvedListeners: List[Listener] = Nil // they wait for a descriptor

  @volatile private var stopping = false
  @volatile private var ended    = false
  private var isEnding           = false

  thread.setDaemon(daemon)

  def inLoop: Boolean = Thread.currentThread() eq thread

  /** False once the loop has ended; it takes no tasks then. */
  def isAlive: Boolean = !ended

  /** What it waits with: `epoll` or `io_uring`, on the JVM `nio`. */
  def pollerName: String = poller.name

  /** Has it been told to end? Its connections are or will be closed then, and its timers never fire. */
  private[needletail] def isStopping: Boolean = stopping

  /** The clock as of this turn's beginning. */
  def nowNanos: Long = nanos

  override private[needletail] def clockNanos: Long = platform.nanoTime()

  /** When the first timer was due at the beginning of this turn, MaxValue where there was none: so long it may wait. */
  private[needletail] def dueNanos: Long = due

  /** What the processor has done for the loop's thread, asked on that; -1 where it is not known. */
  private[needletail] def processorNanos: Long = platform.processorNanos()

  override private[needletail] def blockingThreads: Executor = platform.blocking

  /**
   * For watchdogs, on any thread: when the turn that the loop is in began, or `Long.MinValue` while it waits. What
   * this reads is not synchronised: only a turn that is seen twice is a fact.
   */
  private[needletail] def presentTurn: Long = if (clockFresh) nanos else Long.MinValue

  /** What its thread is doing, for messages; empty where the platform does not tell. From any thread. */
  private[needletail] def stackTrace: Array[StackTraceElement] = thread.getStackTrace

  /** The wall clock in milliseconds since 1970, read at most once a turn; on the loop's own thread. */
  def nowMillis: Long = {
    if (millis == 0) millis = platform.currentTimeMillis()
    millis
  }

  /**
   * Runs `task` on the loop, after what is queued already.
   *
   * @throws java.util.concurrent.RejectedExecutionException when the loop has ended
   */
  def execute(task: Runnable): Unit = {
    if (task eq null) throw new NullPointerException("task")
    tasks.add(task) match {
      case TaskQueue.Added    => ()
      case TaskQueue.MustWake => poller.wakeUp()
      case _                  => throw new RejectedExecutionException(s"the event loop $name has ended")
    }
  }

  def schedule(delayNanos: Long, task: Runnable): Timer = {
    val timer = new ScheduledTask(timers, task)
    // Not the cached clock, which lags: the task must not run early. Half the range keeps differences exact.
    timers.add(timer, platform.nanoTime() + math.max(0L, math.min(delayNanos, Long.MaxValue / 2)))
    timer
  }

  /**
   * Runs `task` at the end of this turn, before the loop waits; on the loop's own thread. What such a task puts off in
   * its turn runs at the end of the next turn, which then comes without waiting. Allocates nothing.
   */
  def endOfTurn(task: Runnable): Unit = turnEnd.add(task)

  /**
   * Runs `task` in every turn from now on, null for none: for those who keep time more exactly than the loop's own
   * waiting does, and have someone who wakes it. On the loop's own thread; `task` must not throw.
   */
  private[needletail] def eachTurn(task: Runnable): Unit = everyTurn = task

  /** From any thread: the loop begins a turn, now or as soon as the present one is over. Allocates nothing. */
  private[needletail] def wake(): Unit = poller.wakeUp()

  // For this package: what connections and listeners need of their loop.

  private[io] def watch(d: Descriptor, source: Pollable, interest: Int): Unit =
    poller.register(d, source, interest)
  private[io] def setInterest(d: Descriptor, interest: Int): Unit = poller.setInterest(d, interest)

  /**
   * Gives a descriptor back to the system, whether it was watched or not, when no event of this turn is left: else
   * such an event could be taken for one of a new descriptor of the same number.
   */
  private[io] def releaseAtTurnEnd(d: Descriptor): Unit = endOfTurn(() => release(d))

  /** The same at once, for those who are at the end of the turn already. */
  private[io] def release(d: Descriptor): Unit = {
    poller.forget(d)
    d.close()
    if (starvedListeners.nonEmpty) {
      val waiting = starvedListeners
      starvedListeners = Nil
      waiting.foreach(_.descriptorReturned())
    }
  }

  private[io] def awaitDescriptor(l: Listener): Unit =
    if (!starvedListeners.contains(l)) starvedListeners = l :: starvedListeners

  /** The array that reads go into: at least `size` octets, the loop's own, overwritten by the next read. */
  private[io] def readBuffer(size: Int): Array[Byte] = {
    if (buffer.length < size) buffer = new Array[Byte](Math.max(size, EventLoop.ReadBufferSize))
    buffer
  }

  /** That array is somebody else's now, if it was the one for reads. */
  private[io] def giveAway(bytes: Array[Byte]): Unit = if (bytes eq buffer) buffer = EventLoop.noBuffer

  /** How many timers are set, on the loop. */
  private[needletail] def timersSet: Int = timers.size

  private[io] def addTimer(node: TimerNode, due: Long): Unit = timers.add(node, due)
  private[io] def removeTimer(node: TimerNode): Unit         = timers.remove(node)

  /** Called by the Poller for each source that is ready. */
  private[needletail] def dispatch(source: Pollable, ready: Int): Unit = {
    if (!clockFresh) wakeFromPoll()
    try source.onReady(ready)
    catch { case e: Throwable => survive(source, e) }
  }

  private[io] def start(): Unit = platform.start(this)

  private[io] def startThread(): Unit = thread.start()

  /** Instead of `start`: the calling thread is the loop's own until it ends. */
  private def runHere(): Unit = {
    thread = Thread.currentThread()
    live()
  }

  /** Any thread: ends the loop after the turn it is in. */
  private[needletail] def stop(): Unit = {
    stopping = true
    if (tasks.add(() => ()) == TaskQueue.MustWake) poller.wakeUp()
  }

  /** Instead of `start`: gives back what the loop holds. */
  private[io] def discard(): Unit = poller.close()

  // The thread's life.

  private def live(): Unit = {
    Loop.enter(this)
    try while (!stopping) turn()
    catch { case e: Throwable => fatal(e) }
    finally end()
  }

  /** Says so before anything is closed: what the end of a connection sets off must not look like an orderly end. */
  private[needletail] def fatal(e: Throwable): Unit =
    try onFatal()
    finally report(s"the event loop $name ends", e)

  /** For who drives the loop from outside: the calling thread is its own until `leave`. */
  private[needletail] def enter(): Unit = {
    thread = Thread.currentThread()
    Loop.enter(this)
  }

  private[needletail] def leave(): Unit = {
    thread = null
    Loop.leave()
  }

  private def turn(): Unit = goOn(beforeWait())

  /** The first half of a turn: how many milliseconds to wait, 0 for none, -1 until woken. */
  private[needletail] def beforeWait(): Int = {
    val timeout = timeoutMillis()
    clockFresh = false
    timeout
  }

  /** The other half: waits, and does what there is to do. */
  private[needletail] def goOn(timeout: Int): Unit = {
    poller.poll(timeout)
    if (!clockFresh) wakeFromPoll()
    runTimers()
    runTasks(tasks.takeAll())
    if (everyTurn ne null) run(everyTurn)
    runTurnEnd()
  }

  /** How long to wait: 0 while anything is to be done, -1 until woken. Leaves the queue asleep if it is not 0. */
  private def timeoutMillis(): Int =
    if (!turnEnd.isEmpty) 0
    else {
      val timeout =
        if (timers.isEmpty) -1
        else {
          val wait = timers.firstDue - nanos
          // Rounded up, or the loop would spin through the last millisecond.
          if (wait <= 0) 0 else math.min((wait + 999999) / 1000000, MaxWaitMillis).toInt
        }
      if (timeout == 0 || !tasks.fallAsleep()) 0 else timeout
    }

  /** The wait is over, with an event or without one: the first thing in a turn. */
  private def wakeFromPoll(): Unit = {
    tasks.awake()
    nanos = platform.nanoTime()
    millis = 0
    due = if (timers.isEmpty) Long.MaxValue else timers.firstDue
    clockFresh = true
  }

  /** No more of them than there are now: one that sets itself anew for a time that has passed has its next turn. */
  private def runTimers(): Unit = {
    var left = timers.size
    while (left > 0) {
      val timer = timers.takeDue(nanos)
      if (timer eq null) left = 0
      else {
        left -= 1
        try timer.fire()
        catch { case e: Throwable => survive(timer, e) }
      }
    }
  }

  private def runTasks(oldest: TaskQueue.Node): Unit = {
    var node = oldest
    while (node ne null) {
      run(node.task)
      node = node.next
    }
  }

  private def runTurnEnd(): Unit =
    if (!turnEnd.isEmpty) {
      var task = turnEnd.begin()
      while (task ne null) {
        run(task)
        task = turnEnd.next()
      }
    }

  private def run(task: Runnable): Unit =
    try task.run()
    catch { case e: Throwable => survive(task, e) }

  /** Tells whoever the loop belongs to; where that is nobody, or they fail, all who have asked for it. */
  private[needletail] def report(text: String, cause: Throwable): Unit =
    if (failures eq null) EventLoop.report(text, cause)
    else
      try failures(text, cause)
      catch {
        case e: Throwable => EventLoop.report(text, cause); EventLoop.report("the log of failures failed", e)
      }

  private val draining = new Signal

  /** Complete when `beginDrain` has been called; on the loop. */
  private[needletail] def drainBegins: Async[Unit] = draining

  /** Tells those who wait for it that the loop's server has begun to drain; on the loop. */
  private[needletail] def beginDrain(): Unit = draining.happen()

  /**
   * The one place where exceptions of user code end: reported, their connection closed, the loop lives on. One that is
   * at its end goes on with that, whatever comes.
   */
  private def survive(culprit: AnyRef, e: Throwable): Unit = {
    if (!Survivable(e) && !isEnding) throw e
    report(s"an exception on the event loop $name", e)
    culprit match {
      case f: Fallible => f.failed(e)
      case _           => ()
    }
  }

  private[needletail] def end(): Unit =
    try {
      isEnding = true
      poller.foreach { source =>
        try source.onLoopEnd()
        catch { case e: Throwable => survive(source, e) }
      }
      runTurnEnd() // closes what was told to close just now
      ended = true
      runTasks(tasks.close())
      runTurnEnd()
      timers.clear()
    } finally {
      ended = true
      tasks.close()
      poller.close()
      Loop.leave()
      onEnd()
    }
}

object EventLoop {

  /**
   * Makes the calling thread a loop, on which `begin` is run, and returns when that loop was told to stop. For
   * programs that have one thing to do: to start a thread takes longer than that may.
   */
  private[needletail] def here(name: String)(begin: EventLoop => Unit): Unit = {
    val loop = new EventLoop(0, name, daemon = false, PollerKind.Epoll, () => ())
    loop.execute(() => begin(loop))
    loop.runHere()
  }

  /**
   * What a loop does with an exception that nobody else caught: text and cause. It must not throw. Loops of a server
   * report to its log instead (`ServerConfig.log`).
   */
  @volatile var onFailure: (String, Throwable) => Unit = FailureLog.toStandardError

  /** To load a class may take a descriptor, and what there is to report may be that there is none. */
  private def beReady(): Unit = { val _ = onFailure }

  private[needletail] def report(text: String, cause: Throwable): Unit =
    try onFailure(text, cause)
    catch { case e: Throwable => FailureLog.toStandardError(s"the failure hook itself failed on: $text", e) }

  private final val ReadBufferSize = 64 * 1024
  private val noBuffer             = new Array[Byte](0)
  private final val MaxWaitMillis  = 3600000L // an hour: an early look at the timers does no harm

  private final class ScheduledTask(timers: TimerHeap, task: Runnable) extends TimerNode with Timer {
    private[needletail] def fire(): Unit = task.run()
    def cancel(): Unit                   = timers.remove(this)
  }
}
