package needletail.server

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Refusal

/**
 * What a [[Server]] does when it is asked for more than it can do: it answers 503 with Retry-After, and why in
 * Overload-Reason, before the body is read or a handler runs. Two things are limited, each on each loop by itself: how
 * much there is to do for the loop, and how many requests of a route are under way (its answer comes later: it waits
 * for something else). Whoever can't be served at once waits, the newest being let in first; and is refused when there
 * are more than can be served in the time one may wait. How, and why so: docs/decisions/0019-waiting-lines.md.
 *
 * Time that others took, another program on the same processor say, does not count.
 *
 * @param enabled false: nothing but `maxInFlight` limits; a bulkhead of a route does in any case
 * @param target how much work may lie before a request on its loop until it has to wait its turn by priority; and how
 *   much longer than at best a route may take, half of that time where it is more. Once there has been more to do than
 *   can be done for `burst`, also how long one may wait. Priorities stretch or shorten it
 * @param interval for how long a route must take longer than that until its limit is lowered
 * @param burst what comes all at once and can be served within this time is let in whole
 * @param grace how long after its start a server refuses nothing for these two reasons: a virtual machine that has
 *   compiled nothing yet is slow whatever comes, and soon is not. Nothing waits for the loop by priority, either,
 *   before the loop has worked on requests for a second in all, or for this time if it is less
 * @param initialInFlight requests of one route under way on one loop before anything is known about it, and while it
 *   is hardly used; one that is used steadily may have three times what it has needed in the last seconds, twice that
 *   as soon as it is seen that those take no longer, and so on; others wait until then
 * @param leastInFlight what the limit of a route on one loop never goes below
 * @param maxInFlight requests under way in the whole server, those that wait included, each loop having its share of
 *   it; beyond, 503
 * @param retryAfter what clients are told, in whole seconds
 */
final case class OverloadConfig(
    enabled: Boolean = true,
    target: FiniteDuration = FiniteDuration(10, MILLISECONDS),
    interval: FiniteDuration = FiniteDuration(100, MILLISECONDS),
    burst: FiniteDuration = FiniteDuration(1, SECONDS),
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
    is.check("burst", burst, burst >= interval, s"at least interval ($interval)")
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
