package needletail.server.clock

/**
 * The time of a loop by two clocks: the clock itself, and the loop's own time, which excludes the time that others
 * took. Another program on the same processor, the hypervisor, a garbage collector or a stopped process delay a loop,
 * but they are no backlog of work.
 *
 * The own time is the time that the loop's thread had the processor, and the time that it waited deliberately.
 * Reading the processor time costs a system call, so it is read only after a piece of work has taken long
 * ([[LoopTime.FineNanos]]), at the beginning of each of the next turns. The first long piece cannot be attributed, so
 * it counts as short. Time that requests of a kind are regularly off the processor, as when they block, is own time
 * ([[OffCpuTime]]), unless the thread has not waited for anything in that time: then others took it, however regularly.
 * If the platform has no processor time, both clocks are the same.
 *
 * All times are in nanoseconds. Used on the loop only.
 *
 * @param tellsApart whether the own time is needed; if not, both clocks are the same
 */
private[server] final class LoopTime(clock: Clock, tellsApart: Boolean = true) {
  import LoopTime._

  /** The clock when it was last read. */
  var wall: Long = clock.nanos

  /**
   * The loop's own time, as of the last reading of the clock. Time of others is subtracted afterwards, so this may go
   * back by as much as the last piece of work took.
   */
  var own: Long = wall

  private var markedTurns = 0   // turns left in which the processor time is read
  private var markWall    = 0L  // when the processor time was last read
  private var markOn      = -1L // the processor time then; -1: not read
  private var markWaits   = -1L // and how often the thread had waited

  /** The last piece of work was long: the processor time is read in the next turns. */
  private def watch(): Unit = markedTurns = MarkedTurns

  /**
   * A turn of the loop has begun, at `turn`.
   *
   * @param waited whether the loop was idle before it
   */
  def nextTurn(turn: Long, waited: Boolean): Unit = {
    val gap = turn - wall
    if (gap > 0) {
      wall = turn
      own += gap
      // the part of a wait after the next timer was due was not deliberate
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

  /** Reads the clock. The time since it was last read was work: on requests of `kind`, or other work if null. */
  def read(kind: OffCpuTime): Unit = {
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
    markWaits = clock.waits
  }

  private def settle(kind: OffCpuTime): Unit = {
    val took      = wall - markWall
    val on        = clock.processorNanos
    val waits     = clock.waits
    val off       = Math.max(0L, took - (on - markOn))
    val hasWaited = waits < 0 || waits != markWaits
    own -= (if (kind == null) off else off - kind.ofItsOwn(if (hasWaited) off else 0))
    if (took >= FineNanos) watch()
    markWall = wall
    markOn = on
    markWaits = waits
  }
}

private[server] object LoopTime {

  /** Work that takes less is not examined. */
  final val FineNanos = 1000L * 1000

  /** Turns in which the processor time is read, after a long one. */
  final val MarkedTurns = 16

  /** How late a wait may end by itself, as its timeout is in whole milliseconds. */
  final val LateNanos = 2L * 1000 * 1000
}
