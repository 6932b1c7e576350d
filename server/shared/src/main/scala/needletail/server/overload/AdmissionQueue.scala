package needletail.server.overload

import needletail.async.{Async, AsyncPromise}
import needletail.server.clock.LoopTime

/**
 * Requests of one kind on one loop that wait for room. They are admitted in the order of their arrival while the queue
 * is short: that keeps the longest wait low. When the oldest has waited for twice `patience` and more join than are
 * admitted, or the queue is overloaded, the newest is admitted first: those that are served have hardly waited, and the
 * others would have waited in vain in any order (adaptive LIFO, "Fail at Scale", ACM Queue 2015). Where no more join
 * than are admitted, as of clients that each wait for their answer, the newest would be the same few again and again.
 *
 * The expected wait of the whole queue follows from Little's law: its length, divided by the recent rate of
 * admissions. As many requests as can be admitted within `burst` may wait; beyond that the oldest are refused. A queue
 * that has not been empty for that long is not a burst. If more requests joined in that time than could have been
 * served, the queue is overloaded: no request waits longer than `patience`, until the queue has been empty for `calm`.
 * Times are in the loop's own time, so that no request is refused because other programs had the processor.
 *
 * @param rate the rate at which requests of this queue and of higher priority are admitted
 * @param burst nanoseconds
 * @param patience nanoseconds
 * @param calm nanoseconds, by the clock, for which an overloaded queue must have been empty to allow bursts again
 */
private[server] final class AdmissionQueue(
    time: LoopTime,
    rate: AdmissionRate,
    burst: Long,
    patience: Long,
    calm: Long
) {
  import AdmissionQueue._

  private val ends = new Place(0, this) // a ring: its `newer` is the oldest place, its `older` the newest
  ends.newer = ends
  ends.older = ends

  /** The number of requests that wait. */
  var size: Int = 0

  /** Whether it is too long, and has been for longer than a burst lasts. */
  var isOverloaded: Boolean = false

  private var emptySince = time.wall

  // Since it was last empty, or last found not to be overloaded: when that was, how many joined, how many were
  // admitted.
  private var stoodSince     = 0L
  private var stoodSinceWall = 0L
  private var joined         = 0
  private var admitted       = 0

  // The same of the present window, and whether more joined than were admitted in the one before: so when it begins.
  private var windowSince    = 0L
  private var windowJoined   = 0
  private var windowAdmitted = 0
  private var isGrowing      = true

  def isEmpty: Boolean = size == 0

  /**
   * Adds a request. Completes with true when it is admitted, false when it is refused. Cancelling leaves the queue.
   *
   * @param ahead the number of requests that wait in queues of higher priority
   */
  def join(ahead: Int): Async[Boolean] = {
    if (size == 0) {
      if (isOverloaded && time.wall - emptySince >= calm) isOverloaded = false
      if (!isOverloaded) stand()
      beginWindow()
      isGrowing = true
    }
    val place = new Place(time.own, this)
    place.link(ends)
    size += 1
    joined += 1
    windowJoined += 1
    place.turn.onCancel(place)
    trim(ahead)
    place.turn
  }

  /** Admits the next. It runs before this returns, so this must not be called inside a callback. */
  def letIn(): Unit = {
    val place = if (isNewestFirst) ends.older else ends.newer
    remove(place)
    admitted += 1
    windowAdmitted += 1
    rate.count()
    place.turn.succeed(true)
    ()
  }

  /** Refuses requests that have waited too long. `ahead` as for `join`. */
  def look(ahead: Int): Unit = if (size > 0) {
    if (!isOverloaded && time.own - stoodSince >= burst)
      if (isMoreThanCanBeDone) isOverloaded = true else stand()
    if (time.own - windowSince >= burst / Windows) {
      isGrowing = windowJoined > windowAdmitted * Growing
      beginWindow()
    }
    while (size > 0 && time.own - ends.newer.since >= longest) refuseOldest()
    trim(ahead)
  }

  /** Called when the loop was idle. */
  def relax(): Unit = isOverloaded = false

  private def isNewestFirst: Boolean =
    isOverloaded || isGrowing && time.own - ends.newer.since > 2 * patience

  private def beginWindow(): Unit = {
    windowSince = time.own
    windowJoined = 0
    windowAdmitted = 0
  }

  private def longest: Long = if (isOverloaded) patience else burst

  /** Whether more joined per second of the clock than could be admitted if the loop had the processor to itself. */
  private def isMoreThanCanBeDone: Boolean = {
    val wall = Math.max(1L, time.wall - stoodSinceWall)
    val own  = Math.max(1L, time.own - stoodSince)
    joined.toDouble / wall >= Nearly * admitted / own
  }

  private def stand(): Unit = {
    stoodSince = time.own
    stoodSinceWall = time.wall
    joined = 0
    admitted = 0
  }

  /** Refuses requests that would wait too long, by Little's law. */
  private def trim(ahead: Int): Unit = {
    val served = rate.in(longest)
    if (served >= 0) {
      val most = Math.max(1, served - ahead)
      while (size > most) refuseOldest()
    }
  }

  private def refuseOldest(): Unit = {
    val place = ends.newer
    remove(place)
    place.turn.succeed(false)
    ()
  }

  private def remove(place: Place): Unit = {
    place.unlink()
    size -= 1
    if (size == 0) emptySince = time.wall
  }
}

private[server] object AdmissionQueue {

  /** If requests arrive at less than this share of what can be served, other programs caused the queue. */
  private final val Nearly = 0.95

  /** In so many parts of `burst` it is judged whether the queue grows. */
  private final val Windows = 8

  /** How many times more have to join than are admitted, in a window, for the queue to grow. */
  private final val Growing = 1.1

  private final class Place(val since: Long, queue: AdmissionQueue) extends (() => Unit) {
    val turn: AsyncPromise[Boolean] = new AsyncPromise[Boolean]
    var newer: Place                = null
    var older: Place                = null // null: not in the queue

    def link(ends: Place): Unit = {
      older = ends.older
      newer = ends
      older.newer = this
      ends.older = this
    }

    def unlink(): Unit = {
      older.newer = newer
      newer.older = older
      older = null
      newer = null
    }

    /** The request was cancelled. */
    def apply(): Unit = if (older != null) queue.remove(this)
  }
}
