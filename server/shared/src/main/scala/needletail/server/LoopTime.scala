package needletail.server

/**
 * A loop's clock, twice: as it is, and without what others took of it. A neighbour on the same processor, the
 * hypervisor, a collector, somebody who stops the process: all of them make a loop late, and none of them makes a
 * queue.
 *
 * The loop's own time is what its thread had of the processor and what it waited of its own accord. The processor's
 * time is read only where a piece of work took long ([[LoopTime.FineNanos]]), and then from the beginning of the next
 * turns on; of the first long piece it is not known whose it was, so it counts as short. What a kind of request is off
 * the processor each time, as when it blocks, is its own (see [[OffProcessor]]). Where the platform does not tell the
 * processor's time both clocks are the same.
 *
 * @param tellsApart false where nobody asks for the one without the others: then they are the same, too
 */
private[server] final class LoopTime(clock: Clock, tellsApart: Boolean = true) {
  import LoopTime._

  /** The clock when it was last read. */
  var wall: Long = clock.nanos

  /** The same without the time of others. Found out afterwards, so it may go back by what the last piece took. */
  var own: Long = wall

  private var markedTurns = 0   // so many turns are still marked
  private var markWall    = 0L  // when both clocks were last read together
  private var markOn      = -1L // the processor's time then, -1: they were not

  /** When the last one was long, and until it is known to be short again, each turn is marked at its beginning. */
  private def watch(): Unit = markedTurns = MarkedTurns

  /**
   * A turn of the loop has begun, at `turn`.
   *
   * @param waited did the loop have nothing to do before it, so that it waited for something to come?
   */
  def nextTurn(turn: Long, waited: Boolean): Unit = {
    val gap = turn - wall
    if (gap > 0) {
      wall = turn
      own += gap
      // a wait that went on past what it was for was not the loop's wish
      if (waited) {
        val late = Math.min(gap, turn - clock.dueNanos)
        if (late > LateNanos) own -= late
      }
    }
    if (!waited && markOn >= 0) settle(null)
    if (markedTurns > 0) {
      markedTurns -= 1
      mark(clock.nanos)
    } else markOn = -1
  }

  /** Reads the clock: what passed since then was work, of that kind of request where it is one. */
  def read(kind: OffProcessor): Unit = {
    val now  = clock.nanos
    val took = now - wall
    wall = now
    own += took
    if (markOn >= 0) {
      if (now - markWall >= FineNanos) settle(kind)
    } else if (took >= FineNanos && tellsApart) {
      mark(now)
      if (markOn >= 0) own -= took - FineNanos
      watch()
    }
  }

  private def mark(now: Long): Unit = {
    markWall = now
    markOn = clock.processorNanos
  }

  private def settle(kind: OffProcessor): Unit = {
    val took = wall - markWall
    val on   = clock.processorNanos
    val off  = Math.max(0L, took - (on - markOn))
    own -= (if (kind == null) off else off - kind.ofItsOwn(off))
    if (took >= FineNanos) watch()
    markWall = wall
    markOn = on
  }
}

private[server] object LoopTime {

  /** What takes less is not looked at more closely. */
  final val FineNanos = 1000L * 1000

  /** Turns in which the processor's time is read, after a long one. */
  final val MarkedTurns = 16

  /** So late a wait may end by itself: it is for whole milliseconds. */
  final val LateNanos = 2L * 1000 * 1000
}

/**
 * How long requests of one kind are off the processor at least, of the last few: so long they wait for something
 * themselves. A neighbour takes the processor from some, seldom from each.
 */
private[server] final class OffProcessor {
  private var before = 0L // the least of the samples before these
  private var least  = Long.MaxValue
  private var seen   = 0

  /** Of that much, the part that is the request's own. */
  def ofItsOwn(off: Long): Long = {
    if (off < least) least = off
    val own = Math.min(least, before)
    seen += 1
    if (seen == OffProcessor.Samples) {
      before = least
      least = Long.MaxValue
      seen = 0
    }
    own
  }
}

private[server] object OffProcessor {
  private final val Samples = 16
}
