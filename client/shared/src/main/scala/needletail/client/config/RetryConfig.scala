package needletail.client.config

import scala.concurrent.duration._

import needletail.async.Setting

/**
 * When a failed call is retried. Failures are: no connection, a lost connection, an attempt's timeout, and the
 * statuses 502, 503 and 504. A call is retried only if its method is idempotent (RFC 9110 §9.2.2), or the call says
 * that it may be, or no byte of the request was sent; and if its body can be sent again, its time is not over, and the
 * host's retry budget and its circuit breaker allow it. A response that is streamed to the caller is not requested again once
 * its head has arrived; one that is received whole is, if it is cut off.
 *
 * A request that was sent just as the server closed an idle connection is not counted: it is sent again at once on a new
 * connection, if it is idempotent or no byte of it was sent (RFC 9112 §9.3.1).
 *
 * @param attempts attempts of a call in all; 1: no retries
 * @param firstDelay the longest delay before the second attempt; doubled for each further one. The delay is random,
 *   evenly distributed from 0 to that, so that calls that failed together are not repeated together
 * @param maxDelay upper limit of the doubled delay; a response with a longer Retry-After is not retried
 * @param budget retries for each call, on average over time: with 0.2, retries add at most a fifth to a host's load
 * @param reserve retries that the budget allows before any call
 * @param saving the most retries that the budget accumulates
 * @throws java.lang.IllegalArgumentException if a setting is out of range
 */
final case class RetryConfig(
    attempts: Int = 3,
    firstDelay: FiniteDuration = 25.millis,
    maxDelay: FiniteDuration = 2.seconds,
    budget: Double = 0.2,
    reserve: Int = 10,
    saving: Int = 100
) {
  private def check(): Unit = {
    val is = Setting("RetryConfig")
    is.positive("attempts", attempts)
    is.positive("firstDelay", firstDelay)
    is.positive("maxDelay", maxDelay)
    is.check("maxDelay", maxDelay, maxDelay >= firstDelay, s"at least firstDelay ($firstDelay)")
    is.check("budget", budget, budget >= 0 && budget <= 1, "0 to 1")
    is.notNegative("reserve", reserve)
    is.check("saving", saving, saving >= reserve, s"at least reserve ($reserve)")
  }
  check()
}
