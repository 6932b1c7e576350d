package needletail.server.overload

import java.util.Arrays

/**
 * How long requests of an interval took: a sample of at most 64, evenly spread over the order in which they ended. Not
 * thread-safe.
 */
private[server] final class DurationSample {
  private val kept  = new Array[Long](DurationSample.Most)
  private var count = 0
  private var every = 1 // of so many one is kept
  private var skip  = 0 // how many to leave out until the next is kept

  def add(nanos: Long): Unit =
    if (skip > 0) skip -= 1
    else {
      if (count == kept.length) halve()
      kept(count) = nanos
      count += 1
      skip = every - 1
    }

  private def halve(): Unit = {
    count /= 2
    every *= 2
    for (i <- 0 until count) kept(i) = kept(2 * i)
  }

  def clear(): Unit = {
    count = 0
    every = 1
    skip = 0
  }

  /** What an eighth of them does not exceed, and two at least; MaxValue for fewer than two. Changes their order. */
  def lowestEighth: Long =
    if (count < 2) Long.MaxValue
    else {
      Arrays.sort(kept, 0, count)
      kept(Math.max(2, count / 8) - 1)
    }
}

private object DurationSample {
  private final val Most = 64
}
