package needletail.server.overload

import java.util.Arrays

/**
 * How long requests took: a sample of at most [[DurationSample.Most]], evenly spread over the order in which they
 * ended. Not thread-safe.
 */
private[server] final class DurationSample {
  import DurationSample._

  private val kept  = new Array[Long](Most)
  private var size  = 0
  private var every = 1 // of so many one is kept
  private var skip  = 0 // how many to leave out until the next is kept

  /** How many were added. */
  var count: Int = 0

  def add(nanos: Long): Unit = {
    count += 1
    if (skip > 0) skip -= 1
    else {
      if (size == Most) halve()
      kept(size) = nanos
      size += 1
      skip = every - 1
    }
  }

  private def halve(): Unit = {
    size /= 2
    every *= 2
    var i = 0
    while (i < size) {
      kept(i) = kept(2 * i)
      i += 1
    }
  }

  def clear(): Unit = {
    size = 0
    every = 1
    skip = 0
    count = 0
  }

  /** What a quarter of them does not exceed. To be called when there are at least four. */
  def lowestQuarter: Long = {
    Arrays.sort(kept, 0, size)
    kept(size / 4 - 1)
  }

  /** The least of them that is not less than half of [[lowestQuarter]]. */
  def leastUsual: Long = {
    val quick = lowestQuarter
    var i     = 0
    while (kept(i) < quick / 2) i += 1
    kept(i)
  }
}

private[server] object DurationSample {
  final val Most = 128
}
