package needletail.io

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future}

import sun.misc.{Signal, SignalHandler}

/** Signals of the operating system. */
object Signals {
  private val ending  = List("TERM", "INT").map(new Signal(_))
  private val hanging = new Signal("HUP")

  private var chosen: () => Unit          = null  // of `onTerminate`
  private var before: List[SignalHandler] = null  // what handled them; null: it still does
  private var waits                       = 0
  @volatile private var hasCome           = false // while somebody waited

  // the same for SIGHUP
  private var chosenHangUp: () => Unit    = null
  private var beforeHangUp: SignalHandler = null
  @volatile private var hasHungUp         = false // and that began to end something

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
  def onHangUp(f: () => Unit): Unit = synchronized {
    chosenHangUp = f
    catchingHangUp(f)
  }

  private def catchingHangUp(f: () => Unit): Unit = {
    val once     = joined(f)
    val replaced = Signal.handle(hanging, _ => once.run())
    if (beforeHangUp eq null) beforeHangUp = replaced
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

  /**
   * As `onTerminate`, and as `onHangUp` with `hangUp` unless that is null, from now on, until what it returns has
   * waited: until `stopped` is complete.
   *
   * @param hangUp returns whether it has begun to end something
   */
  def awaiting(stopped: Future[Unit], hangUp: () => Boolean = null)(f: () => Unit): SignalWait = {
    synchronized {
      hasCome = false
      hasHungUp = false
      catching { () => hasCome = true; f() }
      waits += 1
      if (hangUp ne null)
        try catchingHangUp(() => hungUp(hangUp))
        catch { case e: Throwable => waitEnds(isOver = false); throw e }
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

  /** What it ends may have ended when `hangUp` returns. */
  private def hungUp(hangUp: () => Boolean): Unit = {
    val before = hasHungUp
    var ends   = false
    hasHungUp = true
    try ends = hangUp()
    finally if (!ends && !before) synchronized {
        hasHungUp = false
        if (waits == 0) hangUpEnds(stays = hasCome)
      }
  }

  /** What `hangUp` was to end, when it had started, it did not. */
  private[needletail] def hangUpEndedNothing(): Unit = synchronized { hasHungUp = false }

  /** Ends the program as SIGTERM did before it was caught. */
  private[needletail] def endProgram(): Unit = synchronized {
    if (before ne null) restore()
    Signal.raise(ending.head)
  }

  private def restore(): Unit = {
    ending.zip(before).foreach { case (signal, handler) => Signal.handle(signal, handler) }
    before = null
  }

  /** @param isOver whether what the signals were to end has ended; otherwise one that has come is still due */
  private def waitEnds(isOver: Boolean): Unit = synchronized {
    waits -= 1
    if (waits == 0) hangUpEnds(stays = isOver && (hasCome || hasHungUp))
    if (waits == 0) {
      if (chosen ne null) catching(chosen)
      else if (before ne null) restore()
      if (hasCome && !isOver) Signal.raise(ending.head)
    }
  }

  /** @param stays whether SIGHUP is not to end a program that has been asked to end already, and does so */
  private def hangUpEnds(stays: Boolean): Unit =
    if (chosenHangUp ne null) catchingHangUp(chosenHangUp)
    else if (!stays && (beforeHangUp ne null)) {
      Signal.handle(hanging, beforeHangUp)
      beforeHangUp = null
    }
}
