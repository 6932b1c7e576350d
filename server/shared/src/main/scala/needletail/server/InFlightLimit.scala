package needletail.server

/**
 * How many requests of one route may be under way on one loop, found out of how long they take. One loop's own;
 * time is handed in, and is the loop's own time ([[LoopTime]]). Who comes when the limit is reached waits
 * ([[WaitingLine]]).
 *
 * At best a request takes `base`. What it takes beyond that it waits for something whose queue is not ours to see:
 * a service, a pool, a lock. As long as some of an interval take no longer than is allowed (base and target), the
 * queue empties again and again, and the limit stays out of the way. If none does, it stands, and waiting in it
 * helps nobody. When it has stood for an interval of the config's (CoDel's rule: bursts are left alone), by Little's
 * law as many may be under way as come back in the time that is allowed. Should they take as long with fewer under
 * way, there was no queue, the service has become slower: that is the new base.
 *
 * A queue is seen when it is there, and all that was let in until then has to be worked off. So a route that is in
 * steady use may have no more under way than [[InFlightLimit.Headroom]] times what it has needed lately; when it has,
 * and those let in since are as quick as ever, it may have twice as many at once (TCP's slow start, ended by delay).
 */
private[server] final class InFlightLimit(targetNanos: Long, config: OverloadConfig, patience: Double) {
  import InFlightLimit._

  private val longest = config.interval.toNanos

  /** For so long a queue must have stood; longer where others are to give way first. */
  private val stands = (longest * Math.max(1.0, patience)).toLong

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
  private var most    = 0

  /** By the clock, what the quickest took. */
  private var leastAtMost = Long.MaxValue

  private var took = 0L // nanoseconds, of all samples together

  // what it has needed lately: how many were under way, on average
  private var need  = 0.0
  private var known = 0L // nanoseconds in which that was seen

  // Since the limit was last raised: when half of it was first in use, 0 for not yet, and was it ever reached?
  private var halfUsedAt = 0L
  private var wasFull    = false

  // how many came back in a nanosecond, of the last intervals: one in which everything stood still, as while garbage
  // is collected, must not be taken for what can be done
  private val rates = new Array[Double](Rates)
  private var rated = 0

  private var stoodSince  = 0L // since when each interval has found a queue
  private var wasStanding = false

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
    if (inFlight == 0 && (!started || now - began > longest)) {
      if (started) learn(now - began, 0.0)
      start(now) // of how long it takes what lies between says nothing
    }
    inFlight += 1
    if (inFlight > most) {
      most = inFlight
      if (halfUsedAt == 0 && most * 2 > limit) halfUsedAt = now
      if (most >= limit) wasFull = true
    }
  }

  /**
   * One is no longer under way; it took `nanos` at least, or -1 where that says nothing.
   *
   * @param atMost what it took by the clock: where others had the processor meanwhile, the answer may have come at any
   *   time between, as what it waited for went on. So the one tells of a queue, the other of how long it takes at best
   */
  def ended(now: Long, nanos: Long, atMost: Long): Unit = {
    inFlight -= 1
    if (nanos >= 0) {
      samples += 1
      took += atMost
      if (nanos < least) least = nanos
      if (atMost < leastAtMost) leastAtMost = atMost
      if (atMost <= base) {
        base = atMost
        baseSeen = now
      }
      // one that found half of the limit in use, and was as quick as ever
      if (wasFull && now - nanos - halfUsedAt >= 0 && nanos - base <= (allowed - base) / 4) raise(now)
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
        leastAtMost = least
        endInterval(now)
      } else if (inFlight < Enough && now - began >= IdleIntervals * longest) endInterval(now)
  }

  /** The limit was reached, and what was let in on the way there waited for nothing. */
  private def raise(now: Long): Unit =
    if (!isCareful(now) && !wasStanding && probed == 0) {
      limit = Math.min(2 * limit, config.maxInFlight)
      forgetUse()
    }

  private def forgetUse(): Unit = {
    halfUsedAt = 0
    wasFull = false
  }

  private def endInterval(now: Long): Unit = {
    if (samples >= Enough) learn(now - began, took.toDouble / (now - began)) // by Little's law
    rates(rated) = samples.toDouble / (now - began)
    rated = (rated + 1) % Rates
    val stood = least != Long.MaxValue && least > allowed && most >= Enough
    if (probed > 0) {
      limit = probed
      probed = 0
      if (least != Long.MaxValue) rebase(now)
    } else if (stood && !hasStood(now)) () // a burst may be worked off yet
    else if (stood) {
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
      wasStanding = false
      cutMost = 0
      grow(now)
    }
    if (now - baseSeen > ProbeNanos) probe(now)
    start(now)
  }

  /** Has the queue been there for an interval of the config's, or as many as this class is patient for? */
  private def hasStood(now: Long): Boolean = {
    if (!wasStanding) {
      wasStanding = true
      stoodSince = began
    }
    now - stoodSince >= stands
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
    base = Math.min(leastAtMost, 2 * base)
    baseSeen = now
  }

  private def cut(to: Int): Unit = {
    limit = Math.max(config.leastInFlight, Math.min(limit, to))
    forgetUse()
    quiet = 0
  }

  private def grow(now: Long): Unit =
    if (isCareful(now)) {
      if (most * 2 > limit) {
        quiet = 0
        if (most >= limit) limit = Math.min(limit + Math.max(1, limit / 8), config.maxInFlight)
      } else {
        quiet += 1
        if (quiet >= QuietIntervals) lastCut = Long.MinValue
      }
    } else relax(now - began)

  /** So many were under way in this time, on average. */
  private def learn(length: Long, average: Double): Unit = {
    need += (average - need) * length / (length + LearnNanos)
    known += length
  }

  /** The limit while there is no queue: what has been needed lately and as much again, and again. */
  private def resting: Int =
    if (known < KnownNanos || need * Headroom < config.leastInFlight) config.initialInFlight
    else Math.min(Math.ceil(need * Headroom).toInt, config.maxInFlight)

  /** Towards the resting limit: up at once, down slowly, as a burst may come again soon. */
  private def relax(length: Long): Unit = {
    val to = resting
    if (limit <= to) limit = to
    else {
      val less = Math.ceil((limit - to) * length.toDouble / (length + RelaxNanos)).toInt
      limit = Math.max(limit - less, Math.min(limit, 2 * most)) // not below what is in use
    }
    if (most * 2 <= limit) forgetUse()
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
    took = 0
    least = Long.MaxValue
    leastAtMost = Long.MaxValue
    most = inFlight
  }
}

private[server] object InFlightLimit {

  /** Fewer than this many say nothing about a queue. */
  final val Enough = 8

  /** So many times of what it has needed lately a route may have under way before anything is seen to wait. */
  final val Headroom = 3

  /** For so long a route must have been in use before its limit follows what it needs. */
  final val KnownNanos = 1000L * 1000 * 1000

  /** What was needed so long ago counts for a third. */
  final val LearnNanos = 2000L * 1000 * 1000

  /** A limit that is too wide comes down by two thirds in this time. */
  final val RelaxNanos = 2000L * 1000 * 1000

  final val Rates          = 5
  final val ShortestNanos  = 20L * 1000 * 1000
  final val ProbeNanos     = 10L * 1000 * 1000 * 1000
  final val CarefulNanos   = 10L * 1000 * 1000 * 1000
  final val IdleIntervals  = 10
  final val QuietIntervals = 20
}
