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
 * ([[OffCpuTime]]), unless the thread has not waited for anything in that time, or has wanted to run for as long: then
 * others took it, however regularly. That costs further system calls, so it is read only once lost time would count as a
 * wait, and until little has been lost for [[LoopTime.DoubtfulReadings]] readings. The piece of work that raises the
 * doubt cannot be attributed, so its lost time does not count.
 *
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
  private var markWaits   = -1L // and how often the thread had waited; -1: not read, or unknown
  private var markDelay   = -1L // or for how long it had wanted to run
  private var doubtful    = 0   // further times that these are read

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
    if (!waited && markOn >= 0) lose(lost(clock.processorNanos))
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
    markWaiting(doubtful > 0)
  }

  private def settle(kind: OffCpuTime): Unit = {
    val on  = clock.processorNanos
    val off = lost(on)
    lose(if (kind == null) off else off - ofItsOwn(kind, off))
    markWall = wall
    markOn = on
    if (kind == null) markWaiting(doubtful > 0)
  }

  /** How long the thread has not had the processor since the mark. */
  private def lost(on: Long): Long = Math.max(0L, wall - markWall - (on - markOn))

  /** So much of the time since the mark was that of others. */
  private def lose(nanos: Long): Unit = {
    own -= nanos
    if (wall - markWall >= FineNanos) watch()
  }

  /** The part of `off` that requests of `kind` cause themselves. */
  private def ofItsOwn(kind: OffCpuTime, off: Long): Long = {
    val waits = markWaits
    val delay = markDelay
    markWaiting(doubtful > 0 || kind.claim(off) >= DoubtNanos)
    if (markWaits < 0 && markDelay < 0) kind.ofItsOwn(off) // no doubt, or nobody knows
    else {
      if (off >= DoubtNanos) doubtful = DoubtfulReadings
      if (waits >= 0) kind.ofItsOwn(if (markWaits != waits) off else 0)
      else if (delay >= 0) kind.ofItsOwn(Math.max(0L, off - (markDelay - delay)))
      else 0
    }
  }

  private def markWaiting(reads: Boolean): Unit = {
    if (doubtful > 0) doubtful -= 1
    markWaits = if (reads) clock.waits else -1
    markDelay = if (reads && markWaits < 0) clock.delayNanos else -1
  }
}

private[server] object LoopTime {

  /** Work that takes less is not examined. */
  final val FineNanos = 1000L * 1000

  /** Turns in which the processor time is read, after a long one. */
  final val MarkedTurns = 16

  /** Lost time counts as a wait without question if it is less. */
  final val DoubtNanos = 100L * 1000

  /** How often it is still read whether the thread has waited, after the last piece of work that has lost time. */
  final val DoubtfulReadings = 512

  /** How late a wait may end by itself, as its timeout is in whole milliseconds. */
  final val LateNanos = 2L * 1000 * 1000
}
