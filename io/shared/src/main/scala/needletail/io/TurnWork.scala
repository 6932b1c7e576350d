package needletail.io

import java.util.function.LongSupplier

import needletail.async.{Survivable, TimerHeap}
import needletail.io.loop.{EndOfTurnQueue, EndOfWork, TaskQueue}
import needletail.io.platform.Fallible

/**
 * Runs what is due in the turns of a loop: its timers, its tasks, and what is left to the end of a turn; and deals with
 * what user code throws, there and in the handlers of connections. That is reported, told to what has thrown it if it is
 * [[Fallible]], and the next one runs. A fatal error is rethrown, so that the loop ends: once it is ending, everything
 * that is left runs, whatever is thrown. Used on the loop only.
 *
 * @param began when the loop began, by its clock
 * @param clock see [[EndOfWork]]
 * @param report tells an exception of user code; throws nothing
 */
private[io] final class TurnWork(
    timers: TimerHeap,
    began: Long,
    clock: LongSupplier,
    report: Throwable => Unit
) {
  private val ends                    = new EndOfWork(began, clock)
  private val turnEnd                 = new EndOfTurnQueue
  private var turn                    = began // when the present one began
  private var urgent: Runnable        = null  // see `EventLoop.runNext`
  private var untried: TaskQueue.Node = null  // taken from the queue: after a fatal error the end runs them
  private var isEnding                = false

  /** A turn begins. */
  def turnBegins(now: Long): Unit = turn = now

  /** When the present turn's work ended, about. */
  def endedAt: Long = ends.ofTurn(turn)

  /** Work has ended at `now`, which is returned. */
  def ended(now: Long): Long = ends.at(now)

  /** A handler is called. */
  @inline def begins(): Unit = ends.begins(turn)

  /** A handler has returned. */
  @inline def over(): Unit = if (urgent ne null) runUrgent()

  /** The loop is ending: nothing is rethrown from now on. */
  def endBegins(): Unit = isEnding = true

  /** Where exceptions of user code end. */
  def survive(culprit: AnyRef, e: Throwable): Unit = {
    if (!Survivable(e) && !isEnding) throw e
    report(e)
    culprit match {
      case f: Fallible =>
        try f.failed(e)
        catch { case again: Throwable if isEnding => report(again) }
      case _ => ()
    }
  }

  def run(task: Runnable): Unit = {
    begins()
    try task.run()
    catch { case e: Throwable => survive(task, e) }
    over()
  }

  /** To be run before anything else. */
  def runNext(task: Runnable): Unit = urgent = task

  @noinline private def runUrgent(): Unit = {
    val task = urgent
    urgent = null
    run(task)
  }

  /**
   * Runs only the timers that are set now: one that sets itself again for a time that has passed waits for the next
   * turn.
   */
  def runTimers(): Unit = if (timers.firstDue - turn <= 0) runDueTimers()

  @noinline private def runDueTimers(): Unit = {
    var left = timers.size
    while (left > 0) {
      val timer = timers.takeDue(turn)
      if (timer eq null) left = 0
      else {
        left -= 1
        begins()
        try timer.fire()
        catch { case e: Throwable => survive(timer, e) }
        over()
      }
    }
  }

  /** Runs tasks that were taken from the queue. */
  def runTasks(oldest: TaskQueue.Node): Unit = {
    untried = oldest
    runUntried()
  }

  /** Runs those tasks that a fatal error has kept from running. */
  def runUntried(): Unit = while (untried ne null) {
    val node = untried
    untried = node.next
    run(node.task)
  }

  /** See `EventLoop.endOfTurn`. */
  def atTurnEnd(task: Runnable): Unit = turnEnd.add(task)

  /** Whether nothing is left to the end of a turn. */
  def isTurnOver: Boolean = turnEnd.isEmpty

  /** The end of a turn. */
  def runTurnEnd(): Unit = if (!turnEnd.isEmpty) runFrom(turnEnd.begin())

  /** Goes on with an end that a fatal error has cut off. */
  def resumeTurnEnd(): Unit = runFrom(turnEnd.next())

  private def runFrom(first: Runnable): Unit = {
    var task = first
    while (task ne null) {
      run(task)
      task = turnEnd.next()
    }
  }
}
