package needletail.client

/** Whether a host is asked: by all (closed), by none (open), or by a few to see how it is (half-open). */
sealed abstract class BreakerState

object BreakerState {
  case object Closed   extends BreakerState
  case object Open     extends BreakerState
  case object HalfOpen extends BreakerState
}

/**
 * A host's circuit breaker, shared by all loops; times are nanoseconds of the caller's clock.
 *
 * Each `admit` that answers true is followed by one `succeeded`, `failed` or `withdrawn`. Outcomes of calls that
 * were admitted before it opened do not count after that: they say nothing about the host as it is then.
 */
private[client] final class Breaker(config: BreakerConfig) {
  import Breaker.*

  // Written under the lock; read without it by `admit`, where a stale value lets one call more through or less.
  @volatile private var phase: BreakerState = BreakerState.Closed

  private val slice     = math.max(1L, config.window.toNanos / Slices)
  private val good      = new Array[Int](Slices) // outcomes, by slice of the window
  private val bad       = new Array[Int](Slices)
  private var at        = 0                      // the present slice
  private var sliceFrom = 0L                     // and its beginning
  private var begun     = false

  private var reopenAt   = 0L
  private var timesOpen  = 0 // in a row
  private var probesLeft = 0 // that may still be sent
  private var probesGood = 0

  /** The state, as far as known: an open breaker turns half-open when somebody asks after its time. */
  def state: BreakerState = phase

  /** May a call be made now? */
  def admit(now: Long): Boolean = !config.enabled || (phase eq BreakerState.Closed) || admitProbe(now)

  private def admitProbe(now: Long): Boolean = synchronized {
    if ((phase eq BreakerState.Open) && now - reopenAt >= 0) {
      phase = BreakerState.HalfOpen
      probesLeft = config.probes
      probesGood = 0
    }
    if (phase eq BreakerState.Closed) true
    else if ((phase eq BreakerState.HalfOpen) && probesLeft > 0) {
      probesLeft -= 1
      true
    } else false
  }

  def succeeded(now: Long): Unit = if (config.enabled) synchronized {
    if (phase eq BreakerState.HalfOpen) {
      probesGood += 1
      if (probesGood >= config.probes) close()
    } else if (phase eq BreakerState.Closed) {
      roll(now)
      good(at) += 1
    }
  }

  def failed(now: Long): Unit = if (config.enabled) synchronized {
    if (phase eq BreakerState.HalfOpen) open(now)
    else if (phase eq BreakerState.Closed) {
      roll(now)
      bad(at) += 1
      val failures = sum(bad)
      val all      = failures + sum(good)
      if (all >= config.minCalls && failures >= config.failureRatio * all) open(now)
    }
  }

  /** The call was given up before anything was known about the host. */
  def withdrawn(): Unit = if (config.enabled && (phase ne BreakerState.Closed)) synchronized {
    if (phase eq BreakerState.HalfOpen) probesLeft = math.min(config.probes, probesLeft + 1)
  }

  private def open(now: Long): Unit = {
    val factor = math.min(MaxFactor.toLong, 1L << math.min(timesOpen, 10))
    timesOpen += 1
    reopenAt = now + config.openFor.toNanos * factor
    phase = BreakerState.Open
  }

  private def close(): Unit = {
    timesOpen = 0
    java.util.Arrays.fill(good, 0)
    java.util.Arrays.fill(bad, 0)
    phase = BreakerState.Closed
  }

  /** Moves on to the slice that `now` lies in, forgetting what is older than the window. */
  private def roll(now: Long): Unit = {
    if (!begun) {
      begun = true
      sliceFrom = now
    }
    // other loops' clocks may lag by a turn: what is not ahead counts for the present slice
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
  private final val Slices    = 10
  private final val MaxFactor = 10
}
