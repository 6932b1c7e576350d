package needletail.server.overload

import scala.concurrent.duration._

import needletail.async.Setting
import needletail.http.Refusal

/**
 * Overload control of a [[Server]]. A request for which the server has no capacity gets a 503 with Retry-After, and
 * with the reason in Overload-Reason, before its body is read and before a handler runs.
 *
 * Two things are limited, by each event loop for itself: how much work waits for the loop, and how many requests of a
 * route are in flight, which limits what their handlers wait for. A request that cannot run at once waits; the oldest
 * is admitted first while the queue is short, the newest once it is long. A request is refused if more requests wait
 * than can be served within the time they may wait. The reasons for this design are in
 * docs/decisions/0019-waiting-lines.md.
 *
 * Time that the loop lost to others, such as another program on the same processor, does not count.
 *
 * @param enabled whether there are limits besides `maxInFlight` and the bulkheads of routes
 * @param target how much work may be ahead of a request on its loop before requests wait in order of priority. Also
 *   how much longer than at its best a route may take; half of its best time if that is more. Once more work has
 *   arrived for `burst` than can be done, also how long a request may wait. A route's priority scales it
 * @param interval how long a route must have taken longer than that before its limit is lowered
 * @param burst requests that arrive at once and can be served within this time are all served
 * @param grace how long after its start a server refuses nothing for these two reasons, since a virtual machine is
 *   slow before it has compiled the code. Nor do requests wait for a loop before it has worked on requests for 1 s in
 *   all, or for `grace` if that is less
 * @param initialInFlight the limit of requests in flight of one route on one loop before anything is known about it,
 *   and while it is hardly used. A route in steady use may have three times what it has needed in the last seconds;
 *   that doubles each time it is reached and the requests are as quick as before. Others wait meanwhile
 * @param leastInFlight the minimum of a route's limit on one loop
 * @param maxInFlight requests in flight in the whole server, including waiting ones; each loop has an equal share.
 *   Beyond it requests are refused; beyond half of it, and 16 on a loop, those that are pipelined behind others wait
 * @param retryAfter value of Retry-After, in whole seconds
 * @throws java.lang.IllegalArgumentException for a value out of range, naming it
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

  /** No limits except `maxInFlight` and those of routes. */
  val off: OverloadConfig = OverloadConfig(enabled = false)
}
