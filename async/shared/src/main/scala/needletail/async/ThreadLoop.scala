package needletail.async

import java.util.concurrent.{LinkedBlockingQueue, RejectedExecutionException, TimeUnit}

/**
 * A loop on a daemon thread of its own that serves no sockets: for actors and timers in programs without a server, and
 * for tests in real time. Exceptions of tasks go to the thread's uncaught exception handler.
 */
final class ThreadLoop(name: String = "needletail-loop") extends Loop with AutoCloseable {
  private val tasks            = new LinkedBlockingQueue[Runnable]
  private val timers           = new TimerQueue
  @volatile private var closed = false
  private val thread           = new Thread(() => runTasks(), name)
  thread.setDaemon(true)
  thread.start()

  def inLoop: Boolean = Thread.currentThread eq thread

  def nowNanos: Long = System.nanoTime()

  /** Throws RejectedExecutionException after `close`. A task that was accepted will be run. */
  def execute(task: Runnable): Unit = {
    if (closed) throw new RejectedExecutionException(s"$name is closed")
    tasks.put(task)
    // the thread may have ended between the check and the put; a task that it did not take will never run
    if (closed && tasks.remove(task)) throw new RejectedExecutionException(s"$name is closed")
  }

  def schedule(delayNanos: Long, task: Runnable): Timer = timers.add(nowNanos, delayNanos, task)

  /** Ends the thread after the tasks that are queued now; timers are discarded. Does not wait. */
  def close(): Unit = if (!closed) tasks.put(() => closed = true)

  private val atEnds = new LastTasks // the thread's own

  override private[needletail] def atEnd(task: Runnable): Unit    = atEnds.add(task)
  override private[needletail] def notAtEnd(task: Runnable): Unit = atEnds.remove(task)

  /** Once it is closed it takes no task, and runs its last ones: what is to follow must not suffer. */
  override private[needletail] def unhandled(error: Throwable): Unit =
    if (closed) guarded(() => throw error) else super.unhandled(error)

  private def runTasks(): Unit = {
    Loop.enter(this)
    try takeTasks()
    finally end()
  }

  private def takeTasks(): Unit =
    while (!closed) {
      val wait = if (timers.isEmpty) Long.MaxValue else timers.nextAt - nowNanos
      if (wait <= 0) guarded(timers.take())
      // due timers and queued tasks alternate, so that neither starves the other
      val task = if (wait <= 0) tasks.poll() else next(wait)
      if (task != null) guarded(task)
    }

  /** It is closed, or a task has failed with a fatal error: either way it takes no more, and those who wait are told. */
  private def end(): Unit = {
    closed = true
    var fatal: Throwable           = null
    def last(task: Runnable): Unit =
      try guarded(task)
      catch { case e: Throwable => fatal = e }
    var task = tasks.poll()
    while (task != null) {
      last(task)
      task = tasks.poll()
    }
    atEnds.run(last(_))
    Loop.tellObservers(e => fatal = e)
    atEnds.run(last(_))
    if (fatal != null) throw fatal
  }

  /** The next task; null if there is none in so many nanoseconds, or if the thread is interrupted. */
  private def next(wait: Long): Runnable =
    try tasks.poll(wait, TimeUnit.NANOSECONDS)
    catch {
      case _: InterruptedException => null
    } // as above: a task may also have left the thread interrupted

  private def guarded(task: Runnable): Unit =
    try task.run()
    catch {
      case Survivable(e) => // also an interrupt, which was not meant for the loop: it continues
        val handler = thread.getUncaughtExceptionHandler
        if (handler != null)
          try handler.uncaughtException(thread, e)
          catch { case Survivable(broken) => ThreadLoop.print(e, broken) }
    }
}

private object ThreadLoop {

  /** An exception, and that of the handler which should have reported it. */
  private def print(e: Throwable, broken: Throwable): Unit = {
    if (broken ne e) e.addSuppressed(broken)
    try e.printStackTrace()
    catch { case Survivable(_) => System.err.println(e.getClass.getName) } // its text is an exception, too
  }
}
