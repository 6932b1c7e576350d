package needletail.server

/**
 * How many requests of one route may be under way on one loop, found out of how long they take. One loop's own;
 * time is handed in.
 *
 * At best a request takes `base`. What it takes beyond that it waits for something whose queue is not ours to see:
 * a service, a pool, a lock. As long as some of an interval take no longer than is allowed (base and target), the
 * queue empties again and again, and the limit stays out of the way. If none does, it stands, and waiting in it
 * helps nobody: then by Little's law as many may be under way as come back in the time that is allowed. Should they
 * take as long with fewer under way, there was no queue, the service has become slower: that is the new base.
 */
private[server] final class InFlightLimit(targetNanos: Long, config: OverloadConfig, patience: Double) {
  import InFlightLimit._

  private val longest = config.interval.toNanos

  var limit: Int    = config.initialInFlight
  var inFlight: Int = 0

  /** What a request takes at best; MaxValue before the first one. */
  private var base     = Long.MaxValue
  private var baseSeen = 0L // when such a one was last seen

  // of the present interval
  private var began   = 0L
  private var started = false
  private var samples = 0
  private var least   = Long.MaxValue
  private var latest  = 0L
  private var most    = 0

  // how many came back in a nanosecond, of the last intervals: one in which everything stood still, as while garbage
  // is collected, must not be taken for what can be done
  private val rates = new Array[Double](Rates)
  private var rated = 0

  // of the last interval that found a queue, until one finds none
  private var cutMost  = 0
  private var cutLeast = 0L
  private var cutAt    = 0L
  private var lastCut  = Long.MinValue
  private var quiet    = 0 // intervals since the limit was reached
  private var probed   = 0 // the limit before it was halved to look at the base; 0: it is not

  def allowed: Long = base + (Math.max(targetNanos, base / 2) * patience).toLong

  def isFull: Boolean = inFlight >= limit

  def begin(now: Long): Unit = {
    if (inFlight == 0 && (!started || now - began > longest)) start(now) // what lies between says nothing
    inFlight += 1
    if (inFlight > most) most = inFlight
  }

  /** One is no longer under way; it took `nanos`, or -1 where that says nothing. */
  def ended(now: Long, nanos: Long): Unit = {
    inFlight -= 1
    if (nanos >= 0) {
      samples += 1
      latest = nanos
      if (nanos < least) least = nanos
      if (nanos <= base) {
        base = nanos
        baseSeen = now
      }
    }
    look(now)
  }

  /** To be called now and then, also when nothing comes back. */
  def look(now: Long): Unit = if (base != Long.MaxValue) {
    val length = Math.max(ShortestNanos, Math.min(longest, 2 * base))
    if (now - began >= length)
      if (samples >= Enough) endInterval(now)
      else if (inFlight >= Enough && now - began >= Math.max(longest, 4 * allowed)) {
        // hardly anything comes back, although there is enough that should
        least = now - began
        endInterval(now)
      } else if (inFlight < Enough && now - began >= IdleIntervals * longest) endInterval(now)
  }

  private def endInterval(now: Long): Unit = {
    rates(rated) = samples.toDouble / (now - began)
    rated = (rated + 1) % Rates
    val stood = least != Long.MaxValue && least > allowed && most >= Enough
    if (probed > 0) {
      limit = probed
      probed = 0
      if (least != Long.MaxValue) rebase(now)
    } else if (stood) {
      // what comes back soon after a cut was let in before it, and tells of the queue that there was then
      val isLater = cutMost > 0 && now - cutAt > 2 * cutLeast
      if (isLater && most <= cutMost * 0.7 && least >= cutLeast * 0.9) {
        rebase(now)
        cutMost = 0
      } else {
        cut(Math.ceil(bestRate * allowed).toInt)
        if (cutMost == 0 || isLater) {
          cutMost = most
          cutLeast = least
          cutAt = now
        }
        lastCut = now
      }
    } else {
      cutMost = 0
      grow(now)
    }
    if (now - baseSeen > ProbeNanos) probe(now)
    start(now)
  }

  private def bestRate: Double = {
    var best = 0.0
    var i    = 0
    while (i < Rates) {
      best = Math.max(best, rates(i))
      i += 1
    }
    best
  }

  /** The least of this interval is the new base; step by step, since the interval may have been an odd one. */
  private def rebase(now: Long): Unit = {
    base = Math.min(least, 2 * base)
    baseSeen = now
  }

  private def cut(to: Int): Unit = {
    limit = Math.max(config.leastInFlight, Math.min(limit, to))
    quiet = 0
  }

  private def grow(now: Long): Unit =
    if (most * 2 > limit) {
      quiet = 0
      // as in TCP: fast until there was a queue, carefully for some time after that
      if (isCareful(now)) { if (most >= limit) limit += Math.max(1, limit / 8) }
      else if (latest - base <= (allowed - base) / 2) limit = Math.max(limit, 2 * most) // else one is forming
      limit = Math.min(limit, config.maxInFlight)
    } else {
      quiet += 1
      if (quiet >= QuietIntervals && limit != config.initialInFlight) {
        limit = Math.max(config.initialInFlight, most * 2)
        lastCut = Long.MinValue
        quiet = 0
      }
    }

  /** Was there a queue not long ago? */
  private def isCareful(now: Long): Boolean = lastCut != Long.MinValue && now - lastCut <= CarefulNanos

  /**
   * What a request takes at best was not seen for a while. Where nothing limits, the last interval says it; else
   * half as many under way for an interval let the queue run empty and show it.
   */
  private def probe(now: Long): Unit = {
    baseSeen = now
    if (most >= limit || isCareful(now)) {
      probed = limit
      limit = Math.max(config.leastInFlight, limit / 2)
    } else if (least != Long.MaxValue) rebase(now)
  }

  private def start(now: Long): Unit = {
    started = true
    began = now
    samples = 0
    least = Long.MaxValue
    most = inFlight
  }
}

private[server] object InFlightLimit {

  /** Fewer than this many say nothing about a queue. */
  final val Enough = 8

  final val Rates          = 5
  final val ShortestNanos  = 20L * 1000 * 1000
  final val ProbeNanos     = 10L * 1000 * 1000 * 1000
  final val CarefulNanos   = 10L * 1000 * 1000 * 1000
  final val IdleIntervals  = 10
  final val QuietIntervals = 20
}
