package needletail.server

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Refusal

/**
 * What a [[Server]] does when it is asked for more than it can do: it answers 503 with Retry-After, at once, before
 * the body is read or a handler runs. Two things are limited, each on each loop by itself: how long requests wait
 * for the loop, and how many of a route are under way (its answer comes later: it waits for something else). How,
 * and why so: docs/decisions/0007-overload.md.
 *
 * @param enabled false: nothing but `maxInFlight` limits; a bulkhead of a route does in any case
 * @param target how long a request may wait for the loop when others do all the time; and how much longer than at
 *   best a route may take, half of that time where it is more. Priorities stretch or shorten it
 * @param interval for how long the wait must be above the target before anything is refused: a burst that is soon
 *   worked off is not overload
 * @param grace how long after its start a server refuses nothing for these two reasons: a virtual machine that has
 *   compiled nothing yet is slow whatever comes, and soon is not. Nothing is refused for waiting for the loop, either,
 *   before the loop has worked on requests for a second in all, or for this time if it is less
 * @param initialInFlight requests of one route under way on one loop before anything is known about it, and while it
 *   is hardly used; one that is used steadily may have three times what it has needed in the last seconds, twice that
 *   as soon as it is seen that those take no longer, and so on
 * @param leastInFlight what the limit of a route on one loop never goes below
 * @param maxInFlight requests under way in the whole server, each loop having its share of it; beyond, 503
 * @param retryAfter what clients are told, in whole seconds
 */
final case class OverloadConfig(
    enabled: Boolean = true,
    target: FiniteDuration = FiniteDuration(10, MILLISECONDS),
    interval: FiniteDuration = FiniteDuration(100, MILLISECONDS),
    grace: FiniteDuration = FiniteDuration(5, SECONDS),
    initialInFlight: Int = 1024,
    leastInFlight: Int = 32,
    maxInFlight: Int = 16384,
    retryAfter: FiniteDuration = FiniteDuration(Refusal.RetryAfterSeconds, SECONDS)
) {
  private def check(): Unit = {
    val is = Setting("OverloadConfig")
    is.positive("target", target)
    is.positive("interval", interval)
    is.check("interval", interval, interval >= target, s"at least target ($target)")
    is.notNegative("grace", grace)
    is.positive("leastInFlight", leastInFlight)
    is.check(
      "initialInFlight",
      initialInFlight,
      initialInFlight >= leastInFlight,
      s"at least leastInFlight ($leastInFlight)"
    )
    is.positive("maxInFlight", maxInFlight)
    is.notNegative("retryAfter", retryAfter)
  }
  check()
}

object OverloadConfig {

  /** No limits but `maxInFlight` and those of routes. */
  val off: OverloadConfig = OverloadConfig(enabled = false)
}
