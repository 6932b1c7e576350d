package needletail.async

/**
 * The delay before something that failed is tried again: random, evenly distributed from 0 to a bound that doubles with
 * each failure ("full jitter").
 *
 * @param first the bound after the first failure, in nanoseconds
 * @param most the highest bound, in nanoseconds
 */
private[needletail] final class Backoff(first: Long, most: Long, random: java.util.Random) {

  /** Nanoseconds to wait after failure number `failure`, counted from 1. */
  def nanos(failure: Int): Long = (random.nextDouble() * bound(failure)).toLong

  /** The longest delay after that failure, in nanoseconds. */
  def bound(failure: Int): Long = {
    val shift = math.min(failure - 1, 40)
    if (first > (most >> shift)) most else first << shift
  }
}
