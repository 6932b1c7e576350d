package needletail.testing

/**
 * A time limit that a machine which stands still does not use up, as when a virtual machine is suspended: what lies
 * between two looks counts as a second at most. Look at least twice a second.
 *
 * @param limit in nanoseconds
 */
private[testing] final class Patience(limit: Long, clock: () => Long = () => System.nanoTime()) {
  private var last = clock()
  private var used = 0L

  /** Looks at the clock, and returns whether the limit is reached. */
  def isOver: Boolean = {
    val now = clock()
    used += math.max(0L, math.min(now - last, Patience.Most))
    last = now
    used >= limit
  }

  /** In nanoseconds, as of the last look. */
  def left: Long = math.max(0L, limit - used)
}

private object Patience {
  final val Most = 1000L * 1000 * 1000
}
