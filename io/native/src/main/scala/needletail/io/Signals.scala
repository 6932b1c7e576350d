package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{ExecutionContext, Future}

import needletail.io.kernel.{Kernel, KernelError}
import needletail.io.loop.FailureLog

/** Signals of the operating system. */
object Signals {
  @volatile private var action: () => Unit = null // null: not installed yet
  @volatile private var hangUp: () => Unit = null

  private var chosen: () => Unit       = null // of `onTerminate`
  private var chosenHangUp: () => Unit = null // of `onHangUp`

  private var waiting    = List.empty[Told] // those that `awaiting` has begun, and that have not ended
  private var last: Told = null             // of them when there were others no more
  private var come = 0 // the number of SIGTERM or SIGINT that came last while somebody waited

  /** What has come for one of those that wait. */
  private final class Told {
    var ending   = 0     // SIGTERM or SIGINT
    var isHungUp = false // by a SIGHUP that has begun to end something

    def isToEnd: Boolean = ending != 0 || isHungUp
  }

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
      startThread()
    }
    heard()
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
    catchingHangUp(f)
    chosenHangUp = f
  }

  private def catchingHangUp(f: () => Unit): Unit = {
    // one that came while it was to end nothing
    if (waiting.isEmpty && (chosenHangUp eq null)) { val _ = Kernel.signalHungUp() }
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
    val own = new Told
    synchronized {
      catching(f)
      if (hangUp ne null)
        try catchingHangUp(() => hungUp(hangUp))
        catch { case e: Throwable => waitEnds(own, isOver = false); throw e }
      waiting = own :: waiting
      heard()
    }
    new SignalWait {
      def apply(): Unit =
        try if (takesTurn()) awaitSignals(own, stopped) else awaitEnd(stopped)
        finally waitEnds(own, isOver = stopped.isCompleted)
      def cancel(): Unit = waitEnds(own, isOver = false)
    }
  }

  /** While nobody waits for signals, a second one ends the program, also if the first one has been noticed. */
  private def heard(ended: Told = null): Unit = Kernel.signalUnheard(
    if (isAwaited) 0 else if (waiting.exists(one => (one ne ended) && one.ending != 0)) 2 else 1
  )

  /** @param isOver whether what the signals were to end has ended; otherwise one that has come is still due */
  private def waitEnds(own: Told, isOver: Boolean): Unit = synchronized {
    waiting = waiting.filterNot(_ eq own)
    if (waiting.nonEmpty) heard()
    else {
      last = own
      if (isOver) {
        // what nobody was told of came when all had ended: it must not end a program that goes on
        val late = Kernel.signalTerminated()
        if (late != 0) own.ending = late
        if (chosenHangUp eq null) { val _ = Kernel.signalHungUp() }
      }
      hangUpEnds(stays = isOver && own.isToEnd, isDue = !isOver && own.isHungUp)
      val due = if (isOver) 0 else own.ending
      if (chosen ne null) {
        action = chosen
        if (due != 0) Kernel.signalWake(due)
      } else {
        action = null
        if (isOver && own.ending != 0) Kernel.signalUnheard(2) // without a handler none would end PID 1
        else Kernel.signalClose(due)
      }
    }
  }

  /**
   * @param stays whether SIGHUP is not to end a program that has been asked to end already, and does so
   * @param isDue whether one is to be sent again
   */
  private def hangUpEnds(stays: Boolean, isDue: Boolean = false): Unit =
    if (chosenHangUp ne null) {
      hangUp = chosenHangUp
      if (isDue) hangUpAgain()
    } else if (!stays) Kernel.signalHangUpEnd(if (isDue) 1 else 0)

  /** What it ends may have ended when `hangUp` returns. */
  private def hungUp(hangUp: () => Boolean): Unit = {
    val marked = synchronized {
      val others = waiting.filterNot(_.isHungUp)
      others.foreach(_.isHungUp = true)
      others
    }
    var ends = false
    try ends = hangUp()
    finally if (!ends) synchronized {
        marked.foreach(_.isHungUp = false)
        if (waiting.isEmpty && marked.contains(last)) hangUpEnds(stays = last.isToEnd)
      }
  }

  /** Whether a thread waits for signals. */
  private[io] def isHeard: Boolean = synchronized(isAwaited)

  /** SIGHUP is sent again, as nobody could be told of it when it came. */
  private[needletail] def hangUpAgain(): Unit = Kernel.signalHangUpAgain()

  /** Ends the program as the signal that came last did before it was caught. */
  private[needletail] def endProgram(): Unit = Kernel.signalEnd(synchronized(come))

  private def takesTurn(): Boolean = synchronized {
    val isFirst = !isAwaited
    if (isFirst) isAwaited = true else others += 1
    heard()
    isFirst
  }

  private def awaitSignals(own: Told, stopped: Future[Unit]): Unit = {
    stopped.onComplete(_ => Kernel.signalWake(0))(ExecutionContext.parasitic)
    await(() => stopped.isCompleted)
    synchronized {
      if (others > 0 || (chosen ne null)) startThread()
      else {
        isAwaited = false
        heard(ended = own)
      }
      if (waiting.length > 1) Kernel.signalWake(0) // one that has come just now is for the others
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
          val present = told()
          if (present ne null) present()
        } catch { case e: Throwable => FailureLog.report("an exception in a signal's action", e) }

  /** What is to be done about a signal that has come; null: nothing. */
  private def told(): () => Unit = synchronized {
    val number = Kernel.signalTerminated()
    if (number == 0) null
    else {
      come = number
      waiting.foreach(_.ending = number)
      action
    }
  }
}
