package needletail.client.policy

import needletail.async.Backoff
import needletail.client.config.RetryConfig
import needletail.client.error.ClientError
import needletail.http.http1.ResponseHead
import needletail.io.tls.TlsRefusal

/**
 * Which attempts are repeated, and after what delay. Times are in nanoseconds. Whether a request may be sent again at
 * all (its method, its content, the caller's choice) is decided by the call.
 */
private[client] final class RetryPolicy(config: RetryConfig, random: java.util.Random) {
  private val backoff = RetryPolicy.backoff(config, random)

  /** The delay after attempt number `attempt`, counted from 1, failed. */
  def delay(attempt: Int): Long = backoff.nanos(attempt)

  /**
   * The delay after attempt number `attempt` received this head: that of `delay`, or Retry-After if it is longer. The
   * response is not retried if Retry-After asks for more than `maxDelay`: then it is `RetryPolicy.Never`.
   */
  def delay(attempt: Int, head: ResponseHead): Long = {
    val nanos = math.max(delay(attempt), RetryPolicy.retryAfterSeconds(head) * 1000000000L)
    if (nanos <= config.maxDelay.toNanos) nanos else RetryPolicy.Never
  }

  /**
   * Whether another attempt may follow, by the number of attempts, the call's time and the budget. If so, a retry is
   * taken from the budget.
   *
   * @param attempts attempts made
   * @param delay time before the next attempt
   * @param left time left for the call
   */
  def allows(attempts: Int, delay: Long, left: Long, budget: RetryBudget): Boolean =
    attempts < config.attempts && left > delay && budget.spend()
}

private[client] object RetryPolicy {

  /** The delays between the attempts of a call. */
  def backoff(config: RetryConfig, random: java.util.Random): Backoff =
    new Backoff(config.firstDelay.toNanos, config.maxDelay.toNanos, random)

  /** A delay longer than any call. */
  final val Never = Long.MaxValue

  /** Statuses after which another attempt may succeed. */
  def isTransient(code: Int): Boolean = code == 502 || code == 503 || code == 504

  /**
   * Whether an attempt with this failure is worth repeating.
   *
   * @param left time left for the call: a timeout is repeated if it was the attempt's, not the call's
   * @param isAlone whether there is no other address, at which TLS may not be refused
   */
  def isTransient(error: ClientError, left: Long, isAlone: Boolean): Boolean = error match {
    case _: ClientError.CannotConnect | _: ClientError.ConnectionLost =>
      !(isAlone && TlsRefusal.isLasting(error.getCause))
    case _: ClientError.TimedOut     => left > 0
    case e: ClientError.ProxyRefused => isTransient(e.status.code)
    case _                           => false
  }

  /**
   * Whether the server closed an idle connection while the request was being sent, so that it may be sent again at
   * once: no byte of the response was received, and the request is idempotent or no byte of it was sent (RFC 9112
   * §9.3.1).
   */
  def isStale(lost: ClientError.ConnectionLost, idempotent: Boolean): Boolean =
    !lost.answered && lost.reused && (!lost.written || idempotent)

  /**
   * The seconds of Retry-After (RFC 9110 §10.2.3); 0 if there is none. A date counts as 0, as the clocks may differ;
   * so does a number of more than six digits.
   */
  def retryAfterSeconds(head: ResponseHead): Long = {
    val field = head.indexOf("retry-after", 0)
    val text  = if (field < 0) "" else head.value(field)
    if (text.nonEmpty && text.length <= 6 && text.forall(c => c >= '0' && c <= '9')) text.toLong else 0L
  }
}
