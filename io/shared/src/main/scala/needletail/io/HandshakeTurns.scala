package needletail.io

import java.util.ArrayDeque

import needletail.io.platform.Fallible

/**
 * Connections of a loop whose TLS handshakes have something to compute: first come, first served, but in each turn only
 * as many as take some milliseconds, or half as long as all else in that turn, up to a bound. A burst of them would
 * otherwise hold up all established connections until it is computed: natively a handshake takes 0.35 ms and more.
 *
 * @param atTurnEnd runs a task at the end of the turn, or of the next turn if this one is ending
 * @param begun     when the turn began, by the clock
 * @param nanos     the clock
 */
private[io] final class HandshakeTurns(atTurnEnd: Runnable => Unit, begun: () => Long, nanos: () => Long)
    extends Runnable
    with Fallible {
  import HandshakeTurns._

  private val waiting         = new ArrayDeque[Member]
  private var present: Member = null
  private var isScheduled     = false

  /** Has it compute soon. Does nothing if it waits for that already. */
  def add(member: Member): Unit = if (!member.isMember) {
    member.isMember = true
    waiting.add(member)
    schedule()
  }

  private def schedule(): Unit = if (!isScheduled && !waiting.isEmpty) {
    isScheduled = true
    atTurnEnd(this)
  }

  def run(): Unit = {
    isScheduled = false
    val now = nanos()
    val end = now + Math.max(TurnNanos, Math.min(LongestNanos, (now - begun()) / 2))
    try {
      next()
      while (!waiting.isEmpty && nanos() - end < 0) next()
    } finally schedule()
  }

  private def next(): Unit = {
    present = waiting.poll()
    present.isMember = false
    present.compute()
    present = null // it may be closed, and another may not come for long
  }

  /** One has thrown an exception; the others go on. */
  private[needletail] def failed(cause: Throwable): Unit = {
    val who = present
    present = null
    who.failed(cause)
  }
}

private[io] object HandshakeTurns {
  private final val TurnNanos    = 3L * 1000 * 1000
  private final val LongestNanos = 50L * 1000 * 1000

  /** A connection. */
  trait Member extends Fallible {

    /** Whether it waits; to be changed by `HandshakeTurns` only. */
    final var isMember: Boolean = false

    /** Reads, and computes what that takes. */
    def compute(): Unit
  }
}
