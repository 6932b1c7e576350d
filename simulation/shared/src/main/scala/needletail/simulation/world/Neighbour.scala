package needletail.simulation.world

/**
 * Other programs on the same processor, which have it from time to time. To be asked for times that do not go back.
 *
 * @param away  how many nanoseconds they leave it to the loops, each time
 * @param there how many nanoseconds they have it, each time
 */
final class Neighbour(start: Long, away: () => Long, there: () => Long) {
  private var comes  = start + away() // the next visit, or the current one
  private var leaves = comes + there()

  private def advance(now: Long): Unit = while (now >= leaves) {
    comes = leaves + away()
    leaves = comes + there()
  }

  /** When a loop that wants to run at `now` gets to run: then or later. */
  def leavesAt(now: Long): Long = {
    advance(now)
    if (now >= comes) leaves else now
  }

  /** Until when a loop that runs at `now` has the processor. */
  def comesAt(now: Long): Long = {
    advance(now)
    comes
  }
}

object Neighbour {

  /** There are none. */
  def none: Neighbour = new Neighbour(0, () => Long.MaxValue / 2, () => 1)
}
