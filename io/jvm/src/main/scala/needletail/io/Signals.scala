package needletail.io

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future}

import sun.misc.{Signal, SignalHandler}

/** Signals of the operating system. */
object Signals {
  private val ending = List("TERM", "INT").map(new Signal(_))

  private var chosen: () => Unit          = null  // of `onTerminate`
  private var before: List[SignalHandler] = null  // what handled them; null: it still does
  private var waits                       = 0
  @volatile private var hasCome           = false // while somebody waited

  /**
   * Calls `f`, on any thread, whenever the process receives SIGTERM or SIGINT, which then no longer end it. The `f` of
   * the last call replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    chosen = f
    catching(f)
  }

  private def catching(f: () => Unit): Unit = {
    val replaced = ending.map(Signal.handle(_, _ => f()))
    if (before eq null) before = replaced
  }

  /**
   * Calls `f`, on any thread, whenever the process receives SIGHUP, which then no longer ends it; unless it was started
   * with SIGHUP ignored, as `nohup` does. Signals that come while `f` runs have it run once more, all together.
   */
  def onHangUp(f: () => Unit): Unit = {
    val once = joined(f)
    Signal.handle(new Signal("HUP"), _ => once.run())
    ()
  }

  /** Runs `f`, unless another thread does: then that one runs it once more, however often it is asked meanwhile. */
  private[io] def joined(f: () => Unit): Runnable = {
    val asked = new AtomicInteger
    () =>
      if (asked.getAndIncrement() == 0) {
        var seen = 1
        while (seen > 0) {
          try f()
          catch { case e: Throwable => asked.set(0); throw e }
          seen = asked.addAndGet(-seen)
        }
      }
  }

  /** As `onTerminate`, from now on, until what it returns has waited: until `stopped` is complete. */
  def awaiting(stopped: Future[Unit])(f: () => Unit): SignalWait = {
    synchronized {
      hasCome = false
      catching { () => hasCome = true; f() }
      waits += 1
    }
    new SignalWait {
      def apply(): Unit = {
        val over = new CountDownLatch(1)
        stopped.onComplete(_ => over.countDown())(ExecutionContext.parasitic)
        try over.await()
        finally waitEnds(isOver = stopped.isCompleted)
      }
      def cancel(): Unit = waitEnds(isOver = false)
    }
  }

  /** @param isOver whether what the signals were to end has ended; otherwise one that has come is still due */
  private def waitEnds(isOver: Boolean): Unit = synchronized {
    waits -= 1
    if (waits == 0 && !(isOver && hasCome)) {
      if (chosen ne null) catching(chosen)
      else {
        ending.zip(before).foreach { case (signal, handler) => Signal.handle(signal, handler) }
        before = null
      }
      if (hasCome) Signal.raise(ending.head)
    }
  }
}
