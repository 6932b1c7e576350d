package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

import sun.misc.Signal

/** Signals of the operating system. */
object Signals {

  /**
   * Calls `f`, on any thread, whenever the process receives SIGTERM or SIGINT, which then no longer end it. The `f` of
   * the last call replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit =
    for (name <- List("TERM", "INT")) Signal.handle(new Signal(name), _ => f())

  /**
   * Calls `f`, on any thread, whenever the process receives SIGHUP, which then no longer ends it; unless it was started
   * with SIGHUP ignored, as `nohup` does.
   */
  def onHangUp(f: () => Unit): Unit = { Signal.handle(new Signal("HUP"), _ => f()); () }

  /**
   * As `onTerminate`, from now on. The function it returns, to be called once, waits until `stopped` is complete.
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
