package needletail.server.clock

/**
 * The shortest time that the last few requests of one kind were off the processor: that long they wait for something
 * themselves. Another program takes the processor from some requests, but seldom from every one.
 */
private[server] final class OffCpuTime {
  private var before = 0L // of the previous samples
  private var least  = Long.MaxValue
  private var seen   = 0

  /** What `ofItsOwn` would return. */
  def claim(off: Long): Long = Math.min(off, Math.min(least, before))

  /** A request was off the processor for `off` nanoseconds, not because it wanted to run while others did. Returns the part that the request itself caused. */
  def ofItsOwn(off: Long): Long = {
    if (off < least) least = off
    val own = Math.min(least, before)
    seen += 1
    if (seen == OffCpuTime.Samples) {
      before = least
      least = Long.MaxValue
      seen = 0
    }
    own
  }
}

private[server] object OffCpuTime {

  /** The minimum of this many samples is used while the next are taken. */
  private final val Samples = 16
}
