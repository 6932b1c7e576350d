package needletail.client

/** How long to wait before an attempt: drawn evenly from zero to a bound that doubles, "full jitter". */
private[client] final class Backoff(config: RetryConfig, random: java.util.Random) {

  /** Nanoseconds to wait after the attempt of that number, which counts from 1. */
  def nanos(attempt: Int): Long = {
    val bound = Backoff.bound(config, attempt)
    (random.nextDouble() * bound).toLong
  }
}

private[client] object Backoff {

  /** The longest wait after that attempt. */
  def bound(config: RetryConfig, attempt: Int): Long = {
    val first = config.firstDelay.toNanos
    val most  = config.maxDelay.toNanos
    val shift = math.min(attempt - 1, 40)
    if (first > (most >> shift)) most else first << shift
  }
}
