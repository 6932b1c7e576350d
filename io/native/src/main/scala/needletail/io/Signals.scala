package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.loop.FailureLog

/** Signals of the operating system. */
object Signals {
  @volatile private var action: () => Unit = null // null: not installed yet
  @volatile private var hangUp: () => Unit = null

  /**
   * Calls `f`, on any thread, whenever the process receives SIGTERM or SIGINT, which then no longer end it. The `f` of
   * the last call replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    if (catching(f)) {
      // A signal handler may do almost nothing, so it only wakes this thread.
      val thread = new Thread(() => await(() => false), "needletail-signals")
      thread.setDaemon(true)
      thread.start()
    }
  }

  /**
   * Calls `f`, on any thread, whenever the process receives SIGHUP, which then no longer ends it; unless it was
   * started with SIGHUP ignored, as `nohup` does. It is noticed while signals are waited for, so after `onTerminate` or
   * within what `awaiting` returns.
   */
  def onHangUp(f: () => Unit): Unit = {
    hangUp = f
    KernelError.check(Kernel.signalHangUp())
    ()
  }

  /**
   * As `onTerminate`, from now on, without a thread of its own. The function it returns, to be called once, waits
   * until `stopped` is complete, and calls `f` meanwhile. (Starting a thread takes a millisecond or more on Native.)
   */
  def awaiting(stopped: Future[Unit])(f: () => Unit): () => Unit = synchronized {
    if (catching(f)) { () =>
      stopped.onComplete(_ => Kernel.signalWake())(ExecutionContext.parasitic)
      await(() => stopped.isCompleted)
    } else { () => // the thread of an earlier call waits for signals
      val over = new CountDownLatch(1)
      stopped.onComplete(_ => over.countDown())(ExecutionContext.parasitic)
      over.await()
    }
  }

  /** Installs `f`. Returns true for the first call, after which a thread must wait for the signals. */
  private def catching(f: () => Unit): Boolean = {
    val first = action eq null
    action = f
    if (first) KernelError.check(Kernel.signalOpen())
    first
  }

  private def await(until: () => Boolean): Unit =
    while (!until() && Kernel.signalWait() == 0)
      if (!until())
        try {
          if (Kernel.signalHungUp() != 0) hangUp()
          if (Kernel.signalTerminated() != 0) action()
        } catch { case e: Throwable => FailureLog.report("an exception in a signal's action", e) }
}
