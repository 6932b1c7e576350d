package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

/** What the operating system says to the process. */
object Signals {
  @volatile private var action: () => Unit = null // null: not installed yet

  /**
   * Calls `f` on some thread whenever SIGTERM or SIGINT comes; the process then does not die by itself any more. The
   * last call's `f` replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    if (catching(f)) {
      // A handler may do next to nothing, so it only wakes this thread.
      val thread = new Thread(() => await(() => false), "needletail-signals")
      thread.setDaemon(true)
      thread.start()
    }
  }

  /**
   * The same, on a thread that has nothing else to do: what is returned, called once, waits until `stopped` is
   * complete, and calls `f` meanwhile. Signals are caught from now on. (To start a thread takes a
   * millisecond or more here, which a program that is quick to start would notice.)
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

  /** True when this is the first call, and somebody must wait for the signals from now on. */
  private def catching(f: () => Unit): Boolean = {
    val first = action eq null
    action = f
    if (first) KernelError.check(Kernel.signalOpen())
    first
  }

  private def await(until: () => Boolean): Unit =
    while (!until() && Kernel.signalWait() == 0)
      if (!until())
        try action()
        catch { case e: Throwable => EventLoop.report("an exception in a signal's action", e) }
}
