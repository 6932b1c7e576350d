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
 * admissions. As many requests as can be admitted within `burst` may wait, each for that long; others are refused, the
 * oldest first. If requests still have to be refused when the queue has not been empty for `burst`, and it has grown
 * most of the time, more arrive than can be served, and the queue is overloaded: no request waits longer than
 * `patience`, until the queue has been empty for `calm`. A burst, however large, makes a queue grow only when it
 * arrives. Times are in the loop's own time, so that no request is refused because other programs had the processor.
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

  /** Whether more requests arrive than can be served, so that not even a burst may wait. */
  var isOverloaded: Boolean = false

  private var emptySince = time.wall

  /** When it was last empty. */
  private var stoodSince = 0L

  // the current window
  private var windowSince     = 0L
  private var windowSinceWall = 0L
  private var joined          = 0
  private var admitted        = 0
  private var hasRefused      = false

  /** Whether many more joined than were admitted in the window before: so when it begins. */
  private var isGrowing = true

  /** A bit for each of the last windows since it was empty, the lowest for the last: whether it has grown. */
  private var grown = 0

  def isEmpty: Boolean = size == 0

  /**
   * Adds a request. Completes with true when it is admitted, false when it is refused. Cancelling leaves the queue.
   *
   * @param ahead the number of requests that wait in queues of higher priority
   */
  def join(ahead: Int): Async[Boolean] = {
    if (size == 0) {
      if (isOverloaded && time.wall - emptySince >= calm) isOverloaded = false
      if (!isOverloaded) {
        stoodSince = time.own
        grown = 0
      }
      beginWindow()
      isGrowing = true
    }
    val place = new Place(time.own, this)
    place.link(ends)
    size += 1
    joined += 1
    place.turn.onCancel(place)
    trim(ahead)
    place.turn
  }

  /** Admits the next. It runs before this returns, so this must not be called inside a callback. */
  def letIn(): Unit = {
    val place = if (isNewestFirst) ends.older else ends.newer
    remove(place)
    admitted += 1
    rate.count()
    place.turn.succeed(true)
    ()
  }

  /** Refuses requests that have waited too long. `ahead` as for `join`. */
  def look(ahead: Int): Unit = if (size > 0) {
    while (size > 0 && time.own - ends.newer.since >= longest) refuseOldest()
    trim(ahead)
    if (time.own - windowSince >= burst / Windows) endWindow()
  }

  /** Called when the loop was idle. */
  def relax(): Unit = isOverloaded = false

  private def isNewestFirst: Boolean =
    isOverloaded || isGrowing && time.own - ends.newer.since > 2 * patience

  private def beginWindow(): Unit = {
    windowSince = time.own
    windowSinceWall = time.wall
    joined = 0
    admitted = 0
    hasRefused = false
  }

  private def endWindow(): Unit = {
    isGrowing = joined > admitted * Growing
    grown = grown << 1 | (if (hasGrown) 1 else 0)
    if (!isOverloaded && hasRefused && time.own - stoodSince >= burst && isGrownMostly) isOverloaded = true
    beginWindow()
  }

  /** Whether in the window more joined than could have been admitted if the loop had had the processor to itself. */
  private def hasGrown: Boolean = joined > admitted && (admitted == 0 || {
    val wall = Math.max(1L, time.wall - windowSinceWall)
    val own  = Math.max(1L, time.own - windowSince)
    joined.toDouble / wall >= Nearly * admitted / own
  })

  /** Whether it has grown in the last window and in more than half of the last `Windows`. */
  private def isGrownMostly: Boolean =
    (grown & 1) == 1 && 2 * Integer.bitCount(grown & (1 << Windows) - 1) > Windows

  private def longest: Long = if (isOverloaded) patience else burst

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
    hasRefused = true
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

  /** In so many parts of `burst` it is judged whether the queue grows; less than 32. */
  private final val Windows = 8

  /** How many times more have to join than are admitted, in a window, for the newest to be admitted first. */
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
