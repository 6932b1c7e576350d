package needletail.server.overload

import needletail.async.Async
import needletail.http.admission.Priority
import needletail.server.clock.{Clock, LoopTime}

/**
 * Measures how long requests wait for their loop, and decides which of them are admitted when that is long. One per
 * loop.
 *
 * The queue of a loop is not in the program: it consists of the sockets that are readable and not yet read. A socket
 * that is reported by one wait of the loop became readable after the wait before. If the loop did not really wait in
 * between, that was half of the previous turn ago on average, and the current turn adds to it. All of this is in the
 * loop's own time ([[LoopTime]]).
 *
 * TLS handshakes that the loop computes are work, before or after the clock is read at the end of a turn: requests wait
 * for them. They say nothing of what a request costs.
 *
 * When that delay is above the target, a request that is read next does not run at once but joins an
 * [[AdmissionQueue]], one for each priority. At the end of each turn the loop serves some of them: the highest
 * priority first, and of those the oldest, or the newest once the queue is long. So the queue moves from the sockets into the program, where it can be
 * counted and ordered, and the loop sees whether more requests arrive while it works on it. Only requests that cannot
 * be served within the time of a burst are refused.
 *
 * If a request costs the loop less than [[QueueDelay.CheapNanos]], it does not join a queue: that would cost as much,
 * and the number of waiting requests is bounded by the number of connections.
 *
 * @param coldNanos how long the loop must have worked on requests, in all, before a request joins a queue: on a
 *   virtual machine the first requests are slow in any case
 */
private[server] final class QueueDelay(
    clock: Clock,
    time: LoopTime,
    config: OverloadConfig,
    coldNanos: Long
) {
  import QueueDelay._

  private val targetNanos   = config.target.toNanos
  private val intervalNanos = config.interval.toNanos
  private val rate          = new AdmissionRate(time, config.burst.toNanos)

  private var turnBegan   = time.own // the loop's current turn
  private var waitedSince = time.own // when the sockets of this turn became readable, about
  private var requests    = 0        // admitted in this turn
  private var worked      = 0L       // nanoseconds of work since the start
  private var computed    = 0L       // nanoseconds of handshakes until the clock was last read
  private var ofTurn      = 0L       // and until the turn began

  // of the current interval of the clock
  private var intervalBegan = time.wall
  private var idle          = 0L // nanoseconds in which the loop waited and the queues were empty
  private var wasIdle       = false

  private var queues: Array[AdmissionQueue] = new Array(0) // those in use, the highest priority first
  private var levels: Array[Int]            = new Array(0)

  /** Whether a request that is read now would wait too long, or others are waiting already. Then it joins a queue. */
  var isLong: Boolean = false

  /** Whether more requests arrive than can be served, so that not even a burst may wait. */
  def isOverloaded: Boolean = queues.exists(_.isOverloaded)

  /** The same for requests of one priority. */
  def isOverloadedFor(priority: Priority): Boolean = {
    val i = levels.indexOf(priority.level)
    i >= 0 && queues(i).isOverloaded
  }

  /** Whether no request is waiting. */
  def isEmpty: Boolean = {
    var i = 0
    while (i < queues.length && queues(i).isEmpty) i += 1
    i == queues.length
  }

  /** Approximately how long a request that is read now has waited, in nanoseconds of the loop's own time. */
  def waited: Long = time.own - waitedSince

  /** A turn of the loop in which sessions have work has begun, at `turn`. */
  def nextTurn(turn: Long): Unit = {
    val wasEmpty = isEmpty
    val gap      = turn - time.wall
    // of handshakes since the clock was read, which may have been in this turn
    val spent  = clock.handshakeNanosBefore
    val rest   = Math.max(0L, Math.min(spent - computed, gap))
    val isIdle = wasEmpty && gap - rest > IdleNanos
    val before = time.own - turnBegan
    worked += before - (computed - ofTurn)
    time.nextTurn(turn, isIdle)
    if (isIdle) idle += gap - rest
    turnBegan = time.own
    // if there were turns with nothing but handshakes, the last of them is the one before
    val last = if (rest > clock.handshakeNanosLatest) clock.handshakeNanosLatest else before + rest
    waitedSince = if (isIdle) turnBegan else turnBegan - Math.max(0L, last) / 2
    computed = Math.max(computed, spent)
    ofTurn = computed
    requests = 0
    isLong = !wasEmpty
    if (queues.length > 0) endInterval()
  }

  /** The clock was read. */
  def clockRead(): Unit = computed = clock.handshakeNanos

  /** A piece of work has ended, and the clock was read. */
  def ended(): Unit =
    if (!isLong && waited > targetNanos && isCostly && worked + requestNanos >= coldNanos)
      isLong = true

  /** `n` requests were admitted: counted to find the cost of one. */
  def counted(n: Int): Unit = requests += n

  private def isCostly: Boolean = requestNanos >= Math.max(1, requests) * CheapNanos

  /** The turn's work without handshakes. */
  private def requestNanos: Long = time.own - turnBegan - (computed - ofTurn)

  private def endInterval(): Unit = {
    val length = time.wall - intervalBegan
    if (length >= intervalNanos) {
      val isIdle = idle * 20 > length
      if (isIdle && (wasIdle || length >= 2 * intervalNanos)) queues.foreach(_.relax())
      wasIdle = isIdle
      intervalBegan = time.wall
      idle = 0
    }
  }

  /** Waits for the loop. Completes with true when the request is admitted, false if it would wait too long. */
  def join(priority: Priority): Async[Boolean] = {
    isLong = true
    if (isEmpty && !isOverloaded) rate.begin()
    val own   = queueOf(priority)
    var ahead = 0
    var i     = 0
    while (queues(i) ne own) {
      ahead += queues(i).size
      i += 1
    }
    own.join(ahead)
  }

  private def queueOf(priority: Priority): AdmissionQueue = {
    var i = 0
    while (i < levels.length && levels(i) > priority.level) i += 1
    if (i == levels.length || levels(i) != priority.level) {
      val added = new AdmissionQueue(
        time,
        rate,
        config.burst.toNanos,
        (targetNanos * priority.patience).toLong,
        2 * intervalNanos
      )
      queues = queues.patch(i, Seq(added), 0)
      levels = levels.patch(i, Seq(priority.level), 0)
    }
    queues(i)
  }

  /**
   * Admits the next request of the highest priority. Returns false if none waits. It runs before this returns, so
   * this must not be called inside a callback.
   */
  def letIn(): Boolean = {
    var i = 0
    while (i < queues.length && queues(i).isEmpty) i += 1
    i < queues.length && { queues(i).letIn(); true }
  }

  /** Refuses requests that have waited too long. */
  def look(): Unit = {
    var ahead = 0
    queues.foreach { queue =>
      queue.look(ahead)
      ahead += queue.size
    }
    if (isEmpty) isLong = false
  }
}

private[server] object QueueDelay {

  /**
   * The cost of quick requests before the code is compiled: a client that sends a thousand of them at once does not
   * have to wait for the others.
   */
  final val CheapNanos = 250L * 1000

  /** A loop that had no work for longer than this was idle. */
  final val IdleNanos = 100L * 1000
}
