package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.loop.FailureLog

/** Signals of the operating system. */
object Signals {
  @volatile private var action: () => Unit = null // null: not installed yet
  @volatile private var hangUp: () => Unit = null

  private var chosen: () => Unit = null  // of `onTerminate`
  private var waits              = 0     // how many `awaiting` has begun, and that have not ended
  @volatile private var hasCome  = false // SIGTERM or SIGINT, while somebody waited

  private var chosenHangUp: () => Unit = null  // of `onHangUp`
  @volatile private var hasHungUp      = false // SIGHUP, while somebody waited, and it began to end something

  private var isAwaited = false // whether a thread waits for signals, which one only can do
  private var others    = 0     // threads that would, but wait for their own end meanwhile

  /**
   * Calls `f`, on any thread, whenever the process receives SIGTERM or SIGINT, which then no longer end it. The `f` of
   * the last call replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    chosen = f
    catching(f)
    if (!isAwaited) {
      isAwaited = true
      Kernel.signalUnheard(0)
      startThread()
    }
  }

  /** A signal handler may do almost nothing, so it only wakes this thread. */
  private def startThread(): Unit = {
    val thread = new Thread(() => await(() => false), "needletail-signals")
    thread.setDaemon(true)
    thread.start()
  }

  /**
   * Calls `f`, on any thread, whenever the process receives SIGHUP, which then no longer ends it; unless it was
   * started with SIGHUP ignored, as `nohup` does. It is noticed while signals are waited for, so after `onTerminate` or
   * within what `awaiting` returns.
   */
  def onHangUp(f: () => Unit): Unit = synchronized {
    chosenHangUp = f
    catchingHangUp(f)
  }

  private def catchingHangUp(f: () => Unit): Unit = {
    hangUp = f
    KernelError.check(Kernel.signalHangUp())
    ()
  }

  /**
   * As `onTerminate`, and as `onHangUp` with `hangUp` unless that is null, from now on, without a thread of its own,
   * until what it returns has waited: until `stopped` is complete. It calls `f` and `hangUp` meanwhile. (Starting a
   * thread takes a millisecond or more on Native.)
   *
   * @param hangUp returns whether it has begun to end something
   */
  def awaiting(stopped: Future[Unit], hangUp: () => Boolean = null)(f: () => Unit): SignalWait = {
    synchronized {
      hasCome = false
      hasHungUp = false
      catching(f)
      waits += 1
      if (hangUp ne null)
        try catchingHangUp(() => hungUp(hangUp))
        catch { case e: Throwable => waitEnds(isOver = false); throw e }
      Kernel.signalUnheard(if (isAwaited) 0 else 1)
    }
    new SignalWait {
      def apply(): Unit =
        try if (takesTurn()) awaitSignals(stopped) else awaitEnd(stopped)
        finally waitEnds(isOver = stopped.isCompleted)
      def cancel(): Unit = waitEnds(isOver = false)
    }
  }

  /** @param isOver whether what the signals were to end has ended; otherwise one that nobody has taken is raised again */
  private def waitEnds(isOver: Boolean): Unit = synchronized {
    waits -= 1
    if (waits == 0 && isOver) {
      // what nobody was told of came when all had ended: it must not end a program that goes on
      if (Kernel.signalTerminated() != 0) hasCome = true
      if (chosenHangUp eq null) { val _ = Kernel.signalHungUp() }
    }
    if (waits == 0) hangUpEnds(stays = isOver && (hasCome || hasHungUp))
    if (waits == 0 && !(isOver && hasCome))
      if (chosen ne null) action = chosen
      else {
        Kernel.signalClose()
        action = null
      }
  }

  /** @param stays whether SIGHUP is not to end a program that has been asked to end already, and does so */
  private def hangUpEnds(stays: Boolean): Unit =
    if (chosenHangUp ne null) hangUp = chosenHangUp
    else if (!stays) Kernel.signalHangUpEnd()

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

  /** Whether a thread waits for signals. */
  private[io] def isHeard: Boolean = synchronized(isAwaited)

  /** What `hangUp` was to end, when it had started, it did not. */
  private[needletail] def hangUpEndedNothing(): Unit = synchronized { hasHungUp = false }

  /** Ends the program as SIGTERM did before it was caught. */
  private[needletail] def endProgram(): Unit = Kernel.signalEnd()

  private def takesTurn(): Boolean = synchronized {
    Kernel.signalUnheard(0)
    val isFirst = !isAwaited
    if (isFirst) isAwaited = true else others += 1
    isFirst
  }

  private def awaitSignals(stopped: Future[Unit]): Unit = {
    stopped.onComplete(_ => Kernel.signalWake())(ExecutionContext.parasitic)
    await(() => stopped.isCompleted)
    synchronized {
      if (others > 0 || (chosen ne null)) startThread()
      else {
        isAwaited = false
        // those that are being started have been told of the first one, and the next one ends the program
        Kernel.signalUnheard(if (hasCome && waits > 1) 2 else 1)
      }
      if (waits > 1) Kernel.signalWake() // one that has come just now is for the others
    }
  }

  /** Another thread waits for signals. */
  private def awaitEnd(stopped: Future[Unit]): Unit = {
    val over = new CountDownLatch(1)
    stopped.onComplete(_ => over.countDown())(ExecutionContext.parasitic)
    try over.await()
    finally synchronized(others -= 1)
  }

  /** Installs `f`. */
  private def catching(f: () => Unit): Unit = {
    val isFirst = action eq null
    action = f
    if (isFirst)
      try { KernelError.check(Kernel.signalOpen()); () }
      catch { case e: Throwable => action = null; throw e }
  }

  private def await(until: () => Boolean): Unit =
    while (!until() && Kernel.signalWait() == 0)
      if (!until())
        try {
          if (Kernel.signalHungUp() != 0) hangUp()
          if (Kernel.signalTerminated() != 0) {
            val present = synchronized { hasCome = true; action }
            if (present ne null) present()
          }
        } catch { case e: Throwable => FailureLog.report("an exception in a signal's action", e) }
}
