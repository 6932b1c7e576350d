package needletail.server

import needletail.async.Async
import needletail.http.Priority

/**
 * How long requests wait for their loop, and who of them is let in when that is long. One loop's own.
 *
 * The queue of a loop is not in the program: it is the sockets that are readable and not read yet. A socket that
 * one wait of the loop reports became readable after the wait before it; so if the loop did not really wait in
 * between, it has been standing there for half the turn before on average, and for what this turn took so far. All of
 * that counts in the loop's own time ([[LoopTime]]): what others took of it is no queue.
 *
 * When that is above the target, what is read next does not run at once but joins a line ([[WaitingLine]], one for
 * each priority), and at the end of each turn the loop does a piece of what is in them: the highest first, of those the
 * newest. So the queue comes out of the sockets into the program, where it can be counted and ordered, and the loop
 * sees whether more comes while it works it off. Only who can't be served within a burst's time is told no.
 *
 * Where a request costs the loop less than [[QueueDelay.CheapNanos]] it joins no line: that would cost as much, and
 * how many can be waiting is bounded by the number of connections.
 *
 * @param coldNanos for how long the loop must have worked on requests, in all, before anybody joins a line: on a
 *   virtual machine the first ones take long whatever comes
 */
private[server] final class QueueDelay(time: LoopTime, config: OverloadConfig, coldNanos: Long) {
  import QueueDelay._

  private val targetNanos   = config.target.toNanos
  private val intervalNanos = config.interval.toNanos
  private val pace          = new Pace(time, config.burst.toNanos)

  private var turnBegan   = time.own // of the loop's present turn
  private var waitedSince = time.own // when what this turn brings became readable, about
  private var requests    = 0        // let in, in this turn
  private var worked      = 0L       // nanoseconds, since the beginning

  // of the present interval of the clock
  private var intervalBegan = time.wall
  private var idle          = 0L // nanoseconds in which the loop waited, and nobody in a line
  private var wasIdle       = false

  private var lines: Array[WaitingLine] = new Array(0) // those in use, the highest first
  private var levels: Array[Int]        = new Array(0)

  /** Would what is read now wait for too long, or does somebody wait already? Then it joins a line. */
  var isLong: Boolean = false

  /** Does more come than can be done, so that not even a burst is let in? */
  def isOverloaded: Boolean = lines.exists(_.isOverloaded)

  /** The same for requests of one priority. */
  def isOverloadedFor(priority: Priority): Boolean = {
    val i = levels.indexOf(priority.level)
    i >= 0 && lines(i).isOverloaded
  }

  def isEmpty: Boolean = {
    var i = 0
    while (i < lines.length && lines(i).isEmpty) i += 1
    i == lines.length
  }

  /** Nanoseconds of the loop's own time that a request which is read now has waited, about. */
  def waited: Long = time.own - waitedSince

  /** A turn of the loop has begun, at `turn`, with something to do for requests. */
  def nextTurn(turn: Long): Unit = {
    val nobodyWaits = isEmpty
    val gap         = turn - time.wall
    val isIdle      = nobodyWaits && gap > IdleNanos
    val before      = time.own - turnBegan
    worked += before
    time.nextTurn(turn, isIdle)
    if (isIdle) idle += gap
    turnBegan = time.own
    waitedSince = if (isIdle) turnBegan else turnBegan - Math.max(0L, before) / 2
    requests = 0
    isLong = !nobodyWaits
    if (lines.length > 0) endInterval()
  }

  /** Work has ended, and the clock was read. */
  def ended(): Unit =
    if (!isLong && waited > targetNanos && isCostly && worked + time.own - turnBegan >= coldNanos)
      isLong = true

  /** Requests were let in: counted to learn what one costs. */
  def counted(n: Int): Unit = requests += n

  private def isCostly: Boolean = time.own - turnBegan >= Math.max(1, requests) * CheapNanos

  private def endInterval(): Unit = {
    val length = time.wall - intervalBegan
    if (length >= intervalNanos) {
      val isIdle = idle * 20 > length
      if (isIdle && (wasIdle || length >= 2 * intervalNanos)) lines.foreach(_.relax())
      wasIdle = isIdle
      intervalBegan = time.wall
      idle = 0
    }
  }

  /** True when it is let in, false when it would wait for too long. */
  def join(priority: Priority): Async[Boolean] = {
    isLong = true
    if (isEmpty && !isOverloaded) pace.begin()
    val own   = line(priority)
    var ahead = 0
    var i     = 0
    while (lines(i) ne own) {
      ahead += lines(i).size
      i += 1
    }
    own.join(ahead)
  }

  private def line(priority: Priority): WaitingLine = {
    var i = 0
    while (i < levels.length && levels(i) > priority.level) i += 1
    if (i == levels.length || levels(i) != priority.level) {
      val added = new WaitingLine(
        time,
        pace,
        config.burst.toNanos,
        (targetNanos * priority.patience).toLong,
        2 * intervalNanos
      )
      lines = lines.patch(i, Seq(added), 0)
      levels = levels.patch(i, Seq(priority.level), 0)
    }
    lines(i)
  }

  /** Lets in the newest of the highest who wait; false when nobody does. Not to be called out of a callback. */
  def letIn(): Boolean = {
    var i = 0
    while (i < lines.length && lines(i).isEmpty) i += 1
    i < lines.length && { lines(i).letIn(); true }
  }

  /** Sends away who has waited for too long. */
  def look(): Unit = {
    var ahead = 0
    lines.foreach { line =>
      line.look(ahead)
      ahead += line.size
    }
    if (isEmpty) isLong = false
  }
}

private[server] object QueueDelay {

  /**
   * What quick requests cost where the code is not compiled yet: a client that has sent a thousand of them at once is
   * not to wait for the others.
   */
  final val CheapNanos = 250L * 1000

  /** A loop that did nothing for requests for longer than this was idle. */
  final val IdleNanos = 100L * 1000
}
