package needletail.server.overload

/**
 * Finds how many requests of one route may be in flight on one loop, from how long they take. Times are passed in, in
 * nanoseconds of the loop's own time ([[LoopTime]]). Requests beyond the limit wait in an [[AdmissionQueue]].
 *
 * At its best a request takes `base`. The rest of its duration it waits for something whose queue is not visible
 * here: a service, a pool, a lock. As long as some requests of an interval take no longer than is allowed (base and
 * target), that queue keeps becoming empty, and the limit does not matter. If none do, there is a standing queue, and
 * waiting in it does not help. Once it has existed for the configured interval (the rule of CoDel, RFC 8289, which
 * tolerates bursts), the limit becomes, by Little's law, the number of requests that return within the allowed time.
 * If requests take as long with fewer in flight, there was no queue: the service has become slower, and that is the
 * new base.
 *
 * A few answers may come from a cache. So the base is not less than what a quarter of the answers took in the best
 * window of time, and those that took less than half of that tell nothing of the service's queue. Nor do failures, which
 * show neither how long requests take nor whether there is a queue.
 *
 * A queue is detected only after it has formed, and all requests admitted until then have to be finished. So a route
 * in steady use may have at most [[InFlightLimit.Headroom]] times as many requests in flight as it has needed
 * recently. When the limit is reached, and requests admitted since are as quick as before, it doubles (as in TCP's
 * slow start, ended by delay).
 *
 * @param targetNanos how much longer than at its best a request may take
 * @param patience scales that by the route's priority
 */
private[server] final class InFlightLimit(targetNanos: Long, config: OverloadConfig, patience: Double) {
  import InFlightLimit._

  private val longest = config.interval.toNanos

  /** How long a queue must have existed; longer for priorities that are limited last. */
  private val stands = (longest * Math.max(1.0, patience)).toLong

  /** Requests that may be in flight. */
  var limit: Int = config.initialInFlight

  /** Requests in flight that count for the limit. */
  var inFlight: Int = 0

  /** The duration of a request at its best; MaxValue before the first. */
  private var base     = Long.MaxValue
  private var baseSeen = 0L // when a request was last that quick

  /** The base is not less: what a quarter of the answers took in the best window; 0 before the first. */
  private var floor = 0L

  /** The answers since `windowAt`, by the clock; null before the first. */
  private var window: DurationSample = null
  private var windowAt               = 0L

  // of the current interval
  private var began   = 0L
  private var started = false
  private var samples = 0
  private var least   = Long.MaxValue // of those that may have waited for the service
  private var most    = 0

  /** The same by the clock. */
  private var leastAtMost = Long.MaxValue

  private var took = 0L // sum of all samples and failures

  private var failures = 0

  /** How many requests that take as long as is allowed would have been in flight for as long as the failures. */
  private var failuresAsAnswers = 0.0

  // the recent average of requests in flight
  private var need  = 0.0
  private var known = 0L // how long that has been observed

  // Since the limit was last raised: when half of it was first in use (0: not yet), and whether it was reached
  private var halfUsedAt = 0L
  private var wasFull    = false

  // rates of completed requests per nanosecond in the last intervals; several, as an interval in which everything
  // stood still, as during a garbage collection, must not be taken for the capacity
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
  private var probed   = 0 // the limit before it was halved to measure the base; 0: it is not halved

  /** How long a request may take. */
  def allowed: Long = base + (Math.max(targetNanos, base / 2) * patience).toLong

  /** Whether the limit is reached. */
  def isFull: Boolean = inFlight >= limit

  /** A request is in flight from now on. */
  def begin(now: Long): Unit = {
    if (inFlight == 0 && (!started || now - began > longest)) {
      if (started) learn(now - began, 0.0)
      start(now) // the pause says nothing about how long requests take
    }
    inFlight += 1
    if (inFlight > most) {
      most = inFlight
      if (halfUsedAt == 0 && most * 2 > limit) halfUsedAt = now
      if (most >= limit) wasFull = true
    }
  }

  /**
   * A request is no longer in flight.
   *
   * @param nanos the shortest duration it can have had; -1 if its duration is not to be used
   * @param atMost its duration by the clock. If other programs had the processor meanwhile, its answer may have
   *   arrived at any time between the two, since what it waited for continued. So `nanos` shows a queue, and `atMost`
   *   is used for the base
   */
  def ended(now: Long, nanos: Long, atMost: Long): Unit = {
    inFlight -= 1
    if (nanos >= 0) {
      samples += 1
      took += atMost
      if (window == null) window = new DurationSample
      if (window.count == 0) windowAt = now
      window.add(atMost)
      if (floor == 0 && window.count == FirstWindow) {
        floor = window.leastUsual // as most of these may have waited, if there is a queue from the beginning
        base = Math.max(base, floor)
        window.clear()
      }
      if (atMost >= floor / 2) compare(now, nanos, atMost)
    }
    look(now)
  }

  /** For a request that may have waited for the service. */
  private def compare(now: Long, nanos: Long, atMost: Long): Unit = {
    if (nanos < least) least = nanos
    if (atMost < leastAtMost) leastAtMost = atMost
    if (atMost <= base) {
      base = Math.max(atMost, floor)
      baseSeen = now
    }
    // began with half of the limit in use, and was as quick as before
    if (wasFull && now - nanos - halfUsedAt >= 0 && nanos - base <= (allowed - base) / 4) raise(now)
  }

  /**
   * A request is no longer in flight: it has failed.
   *
   * @param atMost its duration by the clock
   */
  def failed(now: Long, atMost: Long): Unit = {
    inFlight -= 1
    failures += 1
    took += atMost
    if (base != Long.MaxValue) failuresAsAnswers += Math.min(1.0, atMost.toDouble / allowed)
    look(now)
  }

  /** Updates the limit as time passes. To be called repeatedly, also if no requests return. */
  def look(now: Long): Unit = if (base != Long.MaxValue) {
    val length = Math.max(ShortestNanos, Math.min(longest, 2 * base))
    if (now - began >= length)
      if (samples >= Enough || isOutage && now - began >= longest) endInterval(now)
      else if (inFlight >= Enough && now - began >= Math.max(longest, 4 * allowed)) {
        if (samples + failures < Enough) {
          // hardly any requests return, although enough are in flight
          least = now - began
          leastAtMost = least
        }
        endInterval(now)
      } else if (inFlight < Enough && now - began >= IdleIntervals * longest) endInterval(now)
  }

  /** Whether nearly all requests of the interval have failed. */
  private def isOutage: Boolean = failures >= Enough * Math.max(1, samples)

  /** The limit was reached, and requests admitted on the way there did not wait. */
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
    if (samples + failures >= Enough) learn(now - began, took.toDouble / (now - began)) // by Little's law
    measure(now)
    if (isOutage) endCut(now) else judge(now)
    start(now)
  }

  /** At the end of a window: lowers the floor, or, if nothing was limited, raises it to the base. */
  private def measure(now: Long): Unit =
    if (window.count >= DurationSample.Most && now - windowAt >= longest) {
      base = Math.min(base, window.lowestQuarter)
      if (base < floor || !wasStanding && !findsQueue && !isCareful(now) && probed == 0) floor = base
      window.clear()
    }

  /** Whether no request of the interval, of enough, took as little time as is allowed. */
  private def findsQueue: Boolean = least != Long.MaxValue && least > allowed && most >= Enough

  /** Nothing is known of a queue in an outage, and hardly an answer would come sooner for a limit. */
  private def endCut(now: Long): Unit = {
    if (probed > 0) {
      limit = probed
      probed = 0
    }
    wasStanding = false
    cutMost = 0
    lastCut = Long.MinValue
    baseSeen = Math.min(now, baseSeen + (now - began)) // no request could be as quick
    relax(now - began)
  }

  private def judge(now: Long): Unit = {
    rates(rated) = (samples + failuresAsAnswers) / (now - began)
    rated = (rated + 1) % Rates
    val stood = findsQueue
    if (probed > 0) {
      limit = probed
      probed = 0
      if (least != Long.MaxValue) rebase(now)
    } else if (stood && !hasStood(now)) () // it may be a burst
    else if (stood) {
      // requests that return soon after a cut were admitted before it, and show the queue at that time
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
  }

  /** Whether the queue has existed long enough for the limit to be lowered. */
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

  /**
   * The shortest duration of this interval is the new base. It at most doubles at a time, since the interval may be an
   * outlier.
   */
  private def rebase(now: Long): Unit = {
    base = Math.max(floor, Math.min(leastAtMost, 2 * base))
    baseSeen = now
    window.clear() // what was before does not show what requests take now
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

  /** For `length` nanoseconds, `average` requests were in flight. */
  private def learn(length: Long, average: Double): Unit = {
    need += (average - need) * length / (length + LearnNanos)
    known += length
  }

  /** The limit while there is no queue: a multiple of what was needed recently. */
  private def resting: Int =
    if (known < KnownNanos || need * Headroom < config.leastInFlight) config.initialInFlight
    else Math.min(Math.ceil(need * Headroom).toInt, config.maxInFlight)

  /** Moves towards the resting limit: up at once, down slowly, since a burst may come again soon. */
  private def relax(length: Long): Unit = {
    val to = resting
    if (limit <= to) limit = to
    else {
      val less = Math.ceil((limit - to) * length.toDouble / (length + RelaxNanos)).toInt
      limit = Math.max(limit - less, Math.min(limit, 2 * most)) // not below what is in use
    }
    if (most * 2 <= limit) forgetUse()
  }

  /** Whether the limit was lowered recently. */
  private def isCareful(now: Long): Boolean = lastCut != Long.MinValue && now - lastCut <= CarefulNanos

  /**
   * Called if no request was as quick as the base for a while. If nothing is limited, the last interval gives the
   * base; otherwise the limit is halved for an interval, so that the queue empties and shows it.
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
    failures = 0
    failuresAsAnswers = 0
    least = Long.MaxValue
    leastAtMost = Long.MaxValue
    most = inFlight
  }
}

private[server] object InFlightLimit {

  /** Fewer requests than this do not show whether there is a queue. */
  final val Enough = 8

  /** The first window has so many answers. */
  final val FirstWindow = 64

  /** A route in steady use may have this many times as many requests in flight as it has needed recently. */
  final val Headroom = 3

  /** How long a route must have been in use before its limit follows what it needs. */
  final val KnownNanos = 1000L * 1000 * 1000

  /** The time constant of the average of what is needed. */
  final val LearnNanos = 2000L * 1000 * 1000

  /** The time constant with which a limit that is too wide is lowered. */
  final val RelaxNanos = 2000L * 1000 * 1000

  /** Intervals whose rates are kept. */
  final val Rates = 5

  /** An interval is at least this long. */
  final val ShortestNanos = 20L * 1000 * 1000

  /** After this time without a request as quick as the base, the base is measured again. */
  final val ProbeNanos = 10L * 1000 * 1000 * 1000

  /** For this time after a cut the limit grows in small steps only. */
  final val CarefulNanos = 10L * 1000 * 1000 * 1000

  /** With few requests in flight, an interval ends after this many times the configured one. */
  final val IdleIntervals = 10

  /** After this many intervals that used less than half of the limit, a cut is forgotten. */
  final val QuietIntervals = 20
}
