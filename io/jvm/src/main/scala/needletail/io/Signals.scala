package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

import sun.misc.Signal

/** What the operating system says to the process. */
object Signals {

  /**
   * Calls `f` on some thread whenever SIGTERM or SIGINT comes; the process then does not die by itself any more. The
   * last call's `f` replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit =
    for (name <- List("TERM", "INT")) Signal.handle(new Signal(name), _ => f())

  /**
   * The same, for a thread that has nothing else to do: what is returned, called once, waits until `stopped` is
   * complete. Signals are caught from now on.
   */
  def awaiting(stopped: Future[Unit])(f: () => Unit): () => Unit = {
    onTerminate(f)
    () => {
      val over = new CountDownLatch(1)
      stopped.onComplete(_ => over.countDown())(ExecutionContext.parasitic)
      over.await()
    }
  }
}
