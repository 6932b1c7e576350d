package needletail.client.policy

import needletail.client.config.RetryConfig

/** The delay before a retry: random, evenly distributed from 0 to a bound that doubles ("full jitter"). */
private[client] final class Backoff(config: RetryConfig, random: java.util.Random) {

  /** Nanoseconds to wait after attempt number `attempt`, counted from 1. */
  def nanos(attempt: Int): Long = {
    val bound = Backoff.bound(config, attempt)
    (random.nextDouble() * bound).toLong
  }
}

private[client] object Backoff {

  /** The longest delay after that attempt, in nanoseconds. */
  def bound(config: RetryConfig, attempt: Int): Long = {
    val first = config.firstDelay.toNanos
    val most  = config.maxDelay.toNanos
    val shift = math.min(attempt - 1, 40)
    if (first > (most >> shift)) most else first << shift
  }
}
