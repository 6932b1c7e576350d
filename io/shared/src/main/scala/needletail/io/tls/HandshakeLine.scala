package needletail.io.tls

import java.util.ArrayDeque

/**
 * TLS handshakes of a server that wait to be computed, and in which order they are. For one thread at a time.
 *
 * Those that have begun come before others, as they have cost something already, but not more than `MostInRow` at a time.
 * Of the others the oldest comes first. If that one has waited for `CrowdedNanos`, more arrive than are computed: then it
 * is the newest, whose client is most likely still there and can be served in time; otherwise all would wait for as long
 * as a client is willing to (adaptive LIFO, B. Maurer, "Fail at Scale", ACM Queue 13 (8), 2015). One that has waited for
 * `LongestNanos` is refused then, before anything is computed for it, unless so few wait that they may be a burst.
 */
private[needletail] final class HandshakeLine[A >: Null <: HandshakeLine.Entry] {
  import HandshakeLine._

  private val begun = new ArrayDeque[A]
  private val fresh = new ArrayDeque[A]
  private var inRow = 0 // of `begun` since the last fresh one

  def isEmpty: Boolean = begun.isEmpty && fresh.isEmpty

  /** @param isFresh whether nothing has been computed for it yet */
  def add(entry: A, isFresh: Boolean, now: Long): Unit = {
    entry.waitsSince = now
    (if (isFresh) fresh else begun).add(entry)
    ()
  }

  /** Takes the next one to compute; null if none waits. */
  def next(now: Long): A =
    if (!begun.isEmpty && (fresh.isEmpty || inRow < MostInRow)) {
      inRow += 1
      begun.poll()
    } else {
      inRow = 0
      if (hasWaited(CrowdedNanos, now)) fresh.pollLast() else fresh.poll()
    }

  /** Takes one that is not to be computed any more; null if there is none. */
  def refused(now: Long): A =
    if (fresh.size > Burst && hasWaited(LongestNanos, now) || !fresh.isEmpty && fresh.peek.isTooLate)
      fresh.poll()
    else null

  private def hasWaited(nanos: Long, now: Long): Boolean =
    !fresh.isEmpty && now - fresh.peek.waitsSince >= nanos

  /** Returns whether it waited. */
  def remove(entry: A): Boolean = fresh.remove(entry) || begun.remove(entry)
}

private[needletail] object HandshakeLine {
  private final val MostInRow    = 2
  private final val CrowdedNanos = 100L * 1000 * 1000
  private final val LongestNanos = 1000L * 1000 * 1000

  /** So many may wait for longer. */
  final val Burst = 256

  trait Entry {

    /** To be changed by `HandshakeLine` only. */
    final var waitsSince: Long = 0L

    /** Whether the time of the whole handshake has passed. */
    def isTooLate: Boolean = false
  }
}
