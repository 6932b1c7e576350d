package needletail.client.config

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * The circuit breaker of a host: after too many failures its calls are rejected (open), then a few are let through
 * (half-open), and if these succeed, all are (closed). Failures are: no connection, a lost connection, a timeout, a
 * malformed response, and the statuses of 500 and more. Cancelled calls are not counted, except streamed responses: once
 * one has begun, cancelling it, or leaving it unread, counts by its status. Nor are calls whose time ended while they
 * waited for one of the client's connections that were all in use. Calls that were made before the breaker opened are not
 * counted afterwards, however they end.
 *
 * @param enabled whether there is a breaker
 * @param window period over which outcomes are counted; at least 1 s
 * @param minCalls outcomes in the window before the breaker can open
 * @param failureRatio share of failures among the outcomes in the window at which it opens
 * @param openFor how long it stays open; doubled each time the probes fail, up to ten times as long
 * @param probes calls let through while it is half-open; it closes if all succeed
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class BreakerConfig(
    enabled: Boolean = true,
    window: FiniteDuration = 10.seconds,
    minCalls: Int = 20,
    failureRatio: Double = 0.5,
    openFor: FiniteDuration = 2.seconds,
    probes: Int = 3
) {
  private def check(): Unit = {
    val is = Setting("BreakerConfig")
    is.positive("window", window)
    is.check("window", window, window >= 1.second, "at least a second")
    is.positive("minCalls", minCalls)
    is.positive("probes", probes)
    is.check("failureRatio", failureRatio, failureRatio > 0 && failureRatio <= 1, "above 0 and at most 1")
    is.positive("openFor", openFor)
  }
  check()
}
