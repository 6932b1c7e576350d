package needletail.io

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.{ExecutionContext, Future}

import sun.misc.{Signal, SignalHandler}

/** Signals of the operating system. */
object Signals {
  private val ending  = List("TERM", "INT").map(new Signal(_))
  private val hanging = new Signal("HUP")

  private var chosen: () => Unit          = null // of `onTerminate`
  private var before: List[SignalHandler] = null // what handled them; null: it still does
  private var come: Signal                = null // the last one that came while somebody waited

  // the same for SIGHUP
  private var chosenHangUp: () => Unit    = null
  private var beforeHangUp: SignalHandler = null

  private var waiting    = List.empty[Told] // those that `awaiting` has begun, and that have not ended
  private var last: Told = null             // of them when there were others no more

  private var hasGivenUp = false // that one, before what the signals were to end has ended

  /** What has come for one of those that wait. */
  private final class Told {
    var ending: Signal = null  // SIGTERM or SIGINT
    var isHungUp       = false // by a SIGHUP that has begun to end something

    def isToEnd: Boolean = (ending ne null) || isHungUp
  }

  /**
   * Calls `f`, on any thread, whenever the process receives SIGTERM or SIGINT, which then no longer end it. The `f` of
   * the last call replaces the earlier ones.
   */
  def onTerminate(f: () => Unit): Unit = synchronized {
    chosen = f
    catching(_ => f())
  }

  private def catching(f: SignalHandler): Unit = {
    val replaced = ending.map(Signal.handle(_, f))
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
    val own = new Told
    synchronized {
      catching { signal => if (tell(signal)) f() }
      waiting = own :: waiting
      if (hangUp ne null)
        try catchingHangUp(() => hungUp(hangUp))
        catch { case e: Throwable => waitEnds(own, isOver = false); throw e }
    }
    new SignalWait {
      def apply(): Unit = {
        val over = new CountDownLatch(1)
        stopped.onComplete(_ => over.countDown())(ExecutionContext.parasitic)
        try over.await()
        finally waitEnds(own, isOver = stopped.isCompleted)
      }
      def cancel(): Unit = waitEnds(own, isOver = false)
    }
  }

  /** Whether all have given up while the thread began that tells of a signal, which then is as before for those. */
  private def isTooLate: Boolean = waiting.isEmpty && hasGivenUp

  /** Returns whether it is for one of those that wait, or for what has ended. */
  private def tell(signal: Signal): Boolean = synchronized {
    come = signal
    waiting.foreach(_.ending = signal)
    val isDue = isTooLate
    if (isDue) Signal.raise(signal)
    !isDue
  }

  /** What it ends may have ended when `hangUp` returns. */
  private def hungUp(hangUp: () => Boolean): Unit = {
    // at once, so that nobody gives up in between without being marked
    val marked = synchronized {
      if (isTooLate) None
      else {
        val others = waiting.filterNot(_.isHungUp)
        others.foreach(_.isHungUp = true)
        Some(others)
      }
    }
    if (marked.isEmpty) Signal.raise(hanging)
    else {
      var ends = false
      try ends = hangUp()
      finally if (!ends) synchronized {
          marked.foreach(_.foreach(_.isHungUp = false))
          if (waiting.isEmpty && marked.exists(_.contains(last))) hangUpEnds(stays = last.isToEnd)
        }
    }
  }

  /** SIGHUP is sent again, as nobody could be told of it when it came. */
  private[needletail] def hangUpAgain(): Unit = Signal.raise(hanging)

  /** Ends the program as the signal that came last did before it was caught. */
  private[needletail] def endProgram(): Unit = synchronized {
    if (before ne null) restore()
    Signal.raise(if (come eq null) ending.head else come)
  }

  private def restore(): Unit = {
    ending.zip(before).foreach { case (signal, handler) => Signal.handle(signal, handler) }
    before = null
  }

  /** @param isOver whether what the signals were to end has ended; otherwise one that has come is still due */
  private def waitEnds(own: Told, isOver: Boolean): Unit = synchronized {
    waiting = waiting.filterNot(_ eq own)
    if (waiting.isEmpty) {
      last = own
      hasGivenUp = !isOver
      hangUpEnds(stays = isOver && own.isToEnd)
      if (chosen ne null) { val present = chosen; catching(_ => present()) }
      else if (before ne null) restore()
      if (!isOver) {
        if (own.isHungUp) Signal.raise(hanging)
        if (own.ending ne null) Signal.raise(own.ending)
      }
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
