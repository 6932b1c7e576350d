package needletail.server

import needletail.http.Priority

/**
 * How long requests wait for their loop, and who of them is let in when that is too long. One loop's own.
 *
 * The queue of a loop is not in the program: it is the sockets that are readable and not read yet. A socket that
 * one wait of the loop reports became readable after the wait before it; so if the loop did not really wait in
 * between, it has been standing there for half the turn before on average, and for what this turn took so far.
 *
 * The rule is CoDel's (RFC 8289 §4): only a wait that stays above the target for an interval is overload. From then
 * on the target is enforced, on each request, and the loop's capacity is dealt out to the priorities from the top;
 * until the loop is seen to be idle again, for a twentieth of two intervals.
 *
 * Where a request costs the loop less than [[QueueDelay.CheapNanos]] nothing is refused: that would cost as much,
 * and how many can be waiting is bounded by the number of connections.
 *
 * @param coldNanos for how long the loop must have worked on requests, in all, before anything is refused: on a
 *   virtual machine the first ones take long whatever comes
 */
private[server] final class QueueDelay(targetNanos: Long, intervalNanos: Long, coldNanos: Long) {
  import QueueDelay._

  private var turnBegan  = Long.MinValue // the loop's present turn
  private var readableAt = 0L            // when what this turn brings became readable, about
  private var now        = 0L            // the end of what the loop did last, as far as it was requests

  private var worked        = 0L // nanoseconds on requests, since the beginning
  private var aboveSince    = 0L // when the wait rose above the target; 0: it is not
  private var requestsSince = 0L // requests let in since then

  /** Is the target enforced? */
  var isOverloaded: Boolean = false

  // while it is: of the present interval
  private var intervalEnd = 0L
  private var idle        = 0L                         // nanoseconds in which the loop waited
  private var admitted    = 0
  private var inThisTurn  = 0
  private val arrivals    = new Array[Int](Levels)     // by level of priority
  private val shares      = new Array[Double](Levels)
  private val sheltered   = new Array[Boolean](Levels) // there is room for all of it, if lower ones give way
  private val credits     = new Array[Double](Levels)
  private var wasIdle     = false                      // in the interval before

  /** Nanoseconds that a request which is read now has waited, about. */
  def waited: Long = now - readableAt

  /** Work on a connection begins. */
  def look(): Unit = {
    val delay = now - readableAt
    if (delay <= targetNanos) aboveSince = 0
    else if (aboveSince == 0) {
      aboveSince = now
      requestsSince = 0
    } else if (!isOverloaded && now - aboveSince >= intervalNanos && isCostly && worked >= coldNanos)
      enter()
    if (isOverloaded && now - intervalEnd >= 0) endInterval()
  }

  /** A turn of the loop has begun, at `turn`, with something to do for requests. */
  def nextTurn(turn: Long): Unit = {
    val gap = turn - now
    if (gap > IdleNanos || turnBegan == Long.MinValue) {
      idle += gap
      readableAt = turn
    } else readableAt = turn - (turn - turnBegan) / 2
    turnBegan = turn
    if (turn - now > 0) now = turn
    inThisTurn = 0
  }

  /** Work on a connection has ended, at `nanos`, or one request of several has. */
  def ended(nanos: Long): Unit = {
    worked += nanos - now
    now = nanos
  }

  /** A request was let in: counted to learn what one costs. */
  def counted(n: Int): Unit = requestsSince += n

  private def isCostly: Boolean = now - aboveSince >= requestsSince * CheapNanos

  private def enter(): Unit = {
    isOverloaded = true
    wasIdle = false
    shareAlike()
    java.util.Arrays.fill(credits, 0.0)
    beginInterval()
  }

  private def beginInterval(): Unit = {
    intervalEnd = now + intervalNanos
    idle = 0
    admitted = 0
    java.util.Arrays.fill(arrivals, 0)
  }

  private def endInterval(): Unit = {
    val length = now - intervalEnd + intervalNanos
    val isIdle = idle * 20 > length
    if ((isIdle && wasIdle) || admitted.toLong * CheapNanos > length) {
      isOverloaded = false
      aboveSince = 0
    } else {
      // the first idle interval may have been idle only because too many were refused
      if (isIdle) shareAlike() else share()
      wasIdle = isIdle
      beginInterval()
    }
  }

  /** What the loop could do in this interval, and a little more, goes to the highest class, the rest to the next. */
  private def share(): Unit = {
    var left  = admitted * 1.1 + 1
    var level = Levels - 1
    var below = 0
    while (level >= 0) {
      below += arrivals(level)
      level -= 1
    }
    level = Levels - 1
    while (level >= 0) {
      val wanted = arrivals(level)
      below -= wanted
      shares(level) = if (wanted == 0) 1.0 else Math.min(1.0, left / wanted)
      sheltered(level) = wanted <= left && below > 0
      left = Math.max(0.0, left - wanted)
      level -= 1
    }
  }

  /** Nothing is known of who comes: those declared to be above the rest are taken for few. */
  private def shareAlike(): Unit = {
    java.util.Arrays.fill(shares, 1.0)
    java.util.Arrays.fill(sheltered, 0, Priority.Normal.level + 1, false)
    java.util.Arrays.fill(sheltered, Priority.Normal.level + 1, Levels, true)
  }

  /**
   * Is one of that priority let in, now that the loop is overloaded? What its class has a share for is, if it has
   * not waited too long; one in each turn is in any case where its class has a share at all, so that the loop never
   * refuses all and then has nothing to do.
   */
  def admits(priority: Priority): Boolean = {
    val level = priority.level
    arrivals(level) += 1
    val share  = shares(level)
    val credit = Math.min(credits(level) + share, MaxCredit)
    val passes =
      if (inThisTurn == 0) share > 0
      else credit >= 1.0 && waited <= patience(priority)
    credits(level) = if (passes) Math.max(credit - 1.0, -MaxCredit) else credit
    if (passes) passed()
    passes
  }

  /** How long one may have waited. Where lower ones can give way, a wait is not this class's to make good. */
  private def patience(priority: Priority): Long = {
    val own = (targetNanos * priority.patience).toLong
    if (sheltered(priority.level)) Math.max(own, ShelteredIntervals * intervalNanos) else own
  }

  /** One was let in without being asked. */
  def passed(): Unit = {
    admitted += 1
    inThisTurn += 1
  }
}

private[server] object QueueDelay {

  /**
   * What quick requests cost where the code is not compiled yet, or the machine has others to serve: a client that has
   * sent a thousand of them at once is not to be refused for that.
   */
  final val CheapNanos = 250L * 1000

  /** A loop that did nothing for requests for longer than this was idle. */
  final val IdleNanos = 100L * 1000

  /** So many intervals one may have waited for whose class there is room, once lower ones have given way. */
  private final val ShelteredIntervals = 10

  private final val MaxCredit = 2.0
  private final val Levels    = 101
}
