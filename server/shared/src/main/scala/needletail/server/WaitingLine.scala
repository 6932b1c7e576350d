package needletail.server

import java.util.ArrayDeque

import needletail.async.{Async, Promise}

/**
 * Requests of one route on one loop that came when its [[InFlightLimit]] was reached, and nothing told of a queue:
 * most likely there will be room for them as soon as it is seen that the others come back as quickly as ever. They
 * wait for that a moment, and are told no when it is over, or when there is a queue after all.
 *
 * Whoever came last is let in first: should there be more than can be done, at least those who are let in have not
 * waited, which is what they would have done in vain.
 */
private[server] final class WaitingLine(limit: InFlightLimit, longestNanos: Long, most: Int) {
  import WaitingLine._

  private val line = new ArrayDeque[Place] // the oldest first

  def isEmpty: Boolean = line.isEmpty
  def isFull: Boolean  = line.size >= most

  /** True when it is let in, and counts as under way at once; false when there is no room for it. */
  def join(now: Long): Async[Boolean] = {
    val place = new Place(now)
    line.addLast(place)
    place.turn.onCancel { () =>
      line.remove(place); ()
    } // linear; the line is bounded, and leaving it is rare
    place.turn
  }

  /**
   * Lets in as many as there is room for now, and sends away who has waited too long. Not to be called out of a
   * callback: those let in must run, and so take their places, before this looks for room again.
   */
  def look(now: Long): Unit = {
    while (!line.isEmpty && !limit.isFull) line.pollLast().turn.succeed(true)
    val stays = limit.isOpenEnded(now)
    while (!line.isEmpty && (!stays || now - line.peekFirst().since >= longestNanos))
      line.pollFirst().turn.succeed(false)
  }
}

private[server] object WaitingLine {
  private final class Place(val since: Long) {
    val turn = new Promise[Boolean]
  }
}
