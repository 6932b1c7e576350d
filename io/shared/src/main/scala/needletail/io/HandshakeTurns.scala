package needletail.io

import needletail.io.platform.Fallible
import needletail.io.tls.HandshakeLine

/**
 * Connections of a loop whose TLS handshakes have something to compute, in the order of [[HandshakeLine]], but in each turn
 * only as many as take some milliseconds, or half as long as all else in that turn, up to a bound. A burst of them would
 * otherwise hold up all established connections until it is computed: natively a handshake takes 0.35 ms and more.
 *
 * @param atTurnEnd runs a task at the end of the turn, or of the next turn if this one is ending
 * @param begun     when the turn began, by the clock
 * @param nanos     the clock
 */
private[needletail] final class HandshakeTurns(
    atTurnEnd: Runnable => Unit,
    begun: () => Long,
    nanos: () => Long
) extends Runnable
    with Fallible {
  import HandshakeTurns._

  private val waiting         = new HandshakeLine[Member]
  private var present: Member = null
  private var isScheduled     = false // or running: then it looks at its end whether some are left

  private var all    = 0L            // nanoseconds of computing, without what it is doing now
  private var since  = 0L            // when it began with that
  private var ranIn  = Long.MinValue // the latest turn in which it ran
  private var before = 0L            // `all` at the beginning of that
  private var latest = 0L            // of the turn before that in which it ran

  /** Whether it computes one now. */
  var isComputing: Boolean = false

  /** For how many nanoseconds handshakes were computed, by the clock. */
  def spent: Long = if (isComputing) all + nanos() - since else all

  /** The same when the present turn began. */
  def spentBefore: Long = if (all > 0 && ranIn == begun()) before else all

  /** For how long handshakes were computed in the latest turn before the present one in which there were any. */
  def spentLatest: Long = if (all > 0 && ranIn == begun()) latest else all - before

  /** Runs what is no computing of a handshake in the middle of it: the handler, when data has come with it. */
  def aside(task: Runnable): Unit = {
    stop()
    try task.run()
    finally start()
  }

  private def start(): Unit = {
    isComputing = true
    since = nanos()
  }

  private def stop(): Unit = {
    all = spent
    isComputing = false
  }

  /** Has it compute soon. Does nothing if it waits for that already. */
  def add(member: Member): Unit = if (!member.isMember) {
    waiting.add(member, member.isFresh, begun())
    member.isMember = true
    schedule()
  }

  private def schedule(): Unit = if (!isScheduled && !waiting.isEmpty) {
    atTurnEnd(this)
    isScheduled = true
  }

  def run(): Unit = {
    latest = spentLatest
    before = spentBefore
    ranIn = begun()
    start()
    try {
      val end = since + Math.max(TurnNanos, Math.min(LongestNanos, (since - begun()) / 2))
      refuseLate()
      next()
      while (!waiting.isEmpty && nanos() - end < 0) next()
    } finally {
      stop()
      isScheduled = false
      schedule()
    }
  }

  private def next(): Unit = {
    present = waiting.next(begun())
    if (present ne null) {
      present.isMember = false
      present.compute()
      present = null // it may be closed, and another may not come for long
    }
  }

  private def refuseLate(): Unit = {
    var left = MostRefused
    present = waiting.refused(begun())
    while (present ne null) {
      present.isMember = false
      // what has begun meanwhile, as it was read to see whether it is stalled, is not refused any more
      if (present.isTooLate || !present.isFresh) present.compute() else present.refuse()
      left -= 1
      present = if (left > 0) waiting.refused(begun()) else null
    }
  }

  /** One has thrown an exception; the others go on. */
  private[needletail] def failed(cause: Throwable): Unit = {
    val who = present
    present = null
    if (who ne null) who.failed(cause)
  }
}

private[needletail] object HandshakeTurns {
  private final val TurnNanos    = 3L * 1000 * 1000
  private final val LongestNanos = 50L * 1000 * 1000

  /** In one turn, each of which takes some ten microseconds. */
  private final val MostRefused = 64

  /** A connection. */
  trait Member extends Fallible with HandshakeLine.Entry {

    /** Whether it waits; to be changed by `HandshakeTurns` only. */
    final var isMember: Boolean = false

    /** Reads, and computes what that takes; what is too late is closed. */
    def compute(): Unit

    /** Whether nothing has been computed for its handshake yet. */
    def isFresh: Boolean = false

    /** Closes it. To be called on one that is fresh. */
    def refuse(): Unit = ()
  }
}
