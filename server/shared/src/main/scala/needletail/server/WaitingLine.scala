package needletail.server

import needletail.async.{Async, Promise}

/**
 * Requests of one kind on one loop that were read and have not begun, as there is no room for them yet. Whoever came
 * last is let in first: should there be more than can be done, those who are served have hardly waited, and those who
 * wait would have done so in vain.
 *
 * How long the whole line will take is known by Little's law: how many there are, divided by how many were let in per
 * second lately. What can be let in within `burst` stays. What cannot is told no, the oldest first. A line that has not
 * been empty for all of that time is no burst: if by then more came than could have been done, nobody waits longer than
 * `patience` any more, until the line has been empty for a while. All of this is in the loop's own time, so that
 * nobody is told no because others had the processor.
 *
 * @param pace of this line and those before it
 * @param calm for how long the line must have been empty, on the clock, until it is one of a burst again
 */
private[server] final class WaitingLine(time: LoopTime, pace: Pace, burst: Long, patience: Long, calm: Long) {
  import WaitingLine._

  private val ends = new Place(0, this) // a ring: after it the oldest, before it the newest
  ends.newer = ends
  ends.older = ends

  var size: Int = 0

  /** Has it been too long for so long that it is not for a burst? */
  var isOverloaded: Boolean = false

  private var emptySince = time.wall

  // Since it was last empty, or found to be in order: when that was, who came, who was let in.
  private var stoodSince     = 0L
  private var stoodSinceWall = 0L
  private var came           = 0
  private var done           = 0

  def isEmpty: Boolean = size == 0

  /**
   * True when it is let in; false when there is no room for it.
   *
   * @param ahead how many wait in lines that go before this one
   */
  def join(ahead: Int): Async[Boolean] = {
    if (size == 0) {
      if (isOverloaded && time.wall - emptySince >= calm) isOverloaded = false
      if (!isOverloaded) stand()
    }
    val place = new Place(time.own, this)
    place.link(ends)
    size += 1
    came += 1
    place.turn.onCancel(place)
    trim(ahead)
    place.turn
  }

  /** Lets in the newest. Not to be called out of a callback: it must run before there is a look at the room again. */
  def letIn(): Unit = {
    val place = ends.older
    remove(place)
    done += 1
    pace.count()
    place.turn.succeed(true)
    ()
  }

  /** Time has passed: sends away who has waited too long. */
  def look(ahead: Int): Unit = if (size > 0) {
    if (!isOverloaded && time.own - stoodSince >= burst)
      if (isMoreThanCanBeDone) isOverloaded = true else stand()
    while (size > 0 && time.own - ends.newer.since >= longest) refuseOldest()
    trim(ahead)
  }

  /** The loop has had nothing to do. */
  def relax(): Unit = isOverloaded = false

  private def longest: Long = if (isOverloaded) patience else burst

  /** Who came in a second of the clock, against whom one could have let in with the processor to oneself. */
  private def isMoreThanCanBeDone: Boolean = {
    val wall = Math.max(1L, time.wall - stoodSinceWall)
    val own  = Math.max(1L, time.own - stoodSince)
    came.toDouble / wall >= Nearly * done / own
  }

  private def stand(): Unit = {
    stoodSince = time.own
    stoodSinceWall = time.wall
    came = 0
    done = 0
  }

  /** Little's law: those who would wait for too long. */
  private def trim(ahead: Int): Unit = {
    val served = pace.in(longest)
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

private[server] object WaitingLine {

  /** What comes must be nearly as much as can be done, or it was only for others that a line stood. */
  private final val Nearly = 0.95

  private final class Place(val since: Long, line: WaitingLine) extends (() => Unit) {
    val turn: Promise[Boolean] = new Promise[Boolean]
    var newer: Place           = null
    var older: Place           = null // null: not in the line

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

    /** Nobody waits for it any more. */
    def apply(): Unit = if (older != null) line.remove(this)
  }
}
