package needletail.client.policy

import needletail.client.config.BreakerConfig

/**
 * The circuit breaker of a host, shared by all loops. Times are nanoseconds of the caller's clock.
 *
 * Each opening begins a new generation. `admit` returns the generation that the call belongs to, which is passed with
 * its outcome: exactly one of `succeeded`, `failed` and `withdrawn`, unless `answered` has returned true. Outcomes of
 * calls that were admitted before the breaker last opened are not counted, neither while it is open or half-open nor
 * after it has closed: they do not tell how the host is now.
 */
private[client] final class Breaker(config: BreakerConfig) {
  import Breaker.*

  // Written under the lock, read without it by `admit`: a stale value admits or rejects a call too many.
  @volatile private var phase: BreakerState = BreakerState.Closed
  @volatile private var generation          = 0 // how often it has opened

  private val slice     = math.max(1L, config.window.toNanos / Slices)
  private val good      = new Array[Int](Slices) // outcomes, by slice of the window
  private val bad       = new Array[Int](Slices)
  private var at        = 0                      // the current slice
  private var sliceFrom = 0L                     // where it begins
  private var begun     = false

  private var reopenAt   = 0L
  private var timesOpen  = 0 // since it was last closed
  private var probesLeft = 0 // probes that may still be admitted
  private var probesGood = 0

  /** The state. An open breaker becomes half-open with the first `admit` after its time, not before. */
  def state: BreakerState = phase

  /** The generation of a call that may be made now; `Rejected` if none may. */
  def admit(now: Long): Int = {
    val present =
      generation // before the phase: if it opens in between, a call too many is admitted, and no probe
    if (!config.enabled || (phase eq BreakerState.Closed)) present else admitProbe(now)
  }

  /** Whether a call may be made at that time, as things stand. */
  def wouldAdmit(at: Long): Boolean = !config.enabled || (phase eq BreakerState.Closed) || synchronized {
    if (phase eq BreakerState.Open) at - reopenAt >= 0
    else (phase eq BreakerState.Closed) || probesLeft > 0
  }

  private def admitProbe(now: Long): Int = synchronized {
    if ((phase eq BreakerState.Open) && now - reopenAt >= 0) {
      phase = BreakerState.HalfOpen
      probesLeft = config.probes
      probesGood = 0
    }
    if (phase eq BreakerState.Closed) generation
    else if ((phase eq BreakerState.HalfOpen) && probesLeft > 0) {
      probesLeft -= 1
      generation
    } else Rejected
  }

  /** An admitted call succeeded. */
  def succeeded(admitted: Int, now: Long): Unit = if (config.enabled) synchronized {
    if (admitted != generation) ()
    else if (phase eq BreakerState.HalfOpen) {
      probesGood += 1
      if (probesGood >= config.probes) close()
    } else if (phase eq BreakerState.Closed) {
      roll(now)
      good(at) += 1
    }
  }

  /** An admitted call failed. */
  def failed(admitted: Int, now: Long): Unit = if (config.enabled) synchronized {
    if (admitted != generation) ()
    else if (phase eq BreakerState.HalfOpen) open(now)
    else if (phase eq BreakerState.Closed) {
      roll(now)
      bad(at) += 1
      val failures = sum(bad)
      val all      = failures + sum(good)
      if (all >= config.minCalls && failures >= config.failureRatio * all) open(now)
    }
  }

  /**
   * The head of a streamed response has arrived for an admitted call. While half-open this is the call's outcome, as its
   * body may go on for hours and keep the place of a probe. Returns whether it was.
   */
  def answered(admitted: Int, good: Boolean, now: Long): Boolean =
    config.enabled && (phase ne BreakerState.Closed) && synchronized {
      val counts = (phase eq BreakerState.HalfOpen) && admitted == generation
      if (counts) if (good) succeeded(admitted, now) else failed(admitted, now)
      counts
    }

  /** An admitted call ended without an outcome, such as by cancellation. */
  def withdrawn(admitted: Int): Unit = if (config.enabled && (phase ne BreakerState.Closed)) synchronized {
    if ((phase eq BreakerState.HalfOpen) && admitted == generation)
      probesLeft = math.min(config.probes, probesLeft + 1)
  }

  private def open(now: Long): Unit = {
    val factor = math.min(MaxFactor.toLong, 1L << math.min(timesOpen, 10))
    timesOpen += 1
    reopenAt = now + config.openFor.toNanos * factor
    phase = BreakerState.Open
    generation = (generation + 1) & Int.MaxValue
  }

  private def close(): Unit = {
    timesOpen = 0
    java.util.Arrays.fill(good, 0)
    java.util.Arrays.fill(bad, 0)
    phase = BreakerState.Closed
  }

  /** Advances to the slice of `now`; outcomes older than the window are dropped. */
  private def roll(now: Long): Unit = {
    if (!begun) {
      begun = true
      sliceFrom = now
    }
    // the clocks of other loops may lag by a turn: earlier times count for the current slice
    var steps = math.min((now - sliceFrom) / slice, Slices.toLong)
    if (now - sliceFrom >= slice) sliceFrom = now - (now - sliceFrom) % slice
    while (steps > 0) {
      at = (at + 1) % Slices
      good(at) = 0
      bad(at) = 0
      steps -= 1
    }
  }

  private def sum(counts: Array[Int]): Int = {
    var s = 0
    var i = 0
    while (i < counts.length) { s += counts(i); i += 1 }
    s
  }
}

private[client] object Breaker {

  /** What `admit` returns for a call that must not be made. */
  final val Rejected = -1

  private final val Slices    = 10
  private final val MaxFactor = 10
}
