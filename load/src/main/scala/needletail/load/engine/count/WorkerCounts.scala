package needletail.load.engine.count

import java.util.concurrent.atomic.AtomicInteger
import java.util.concurrent.{BlockingQueue, ConcurrentLinkedQueue}

import org.HdrHistogram.Histogram

import needletail.load.result.{Figures, Outcome}

/** The counts of one loop in one second of the run. Passed to the collector, which returns them empty. */
private[engine] final class IntervalCounts(val tally: WorkerCounts, kinds: Int) {
  val figures: Array[Figures] = Array.fill(kinds)(new Figures)
  val lateness: Histogram     = Figures.histogram() // nanoseconds
  val connect: Histogram      = Figures.histogram() // nanoseconds; empty unless connections are opened
  val tls: Histogram          = Figures.histogram()
  var resumed                 = 0L
  var second                  = 0
  var due                     = 0L
  var opened                  = 0L
  var resent                  = 0L
  var searched                = 0L                  // nanoseconds; in a sum, of the loop with the most
  var users                   = 0                   // at its end
  var open                    = 0                   // likewise
  var mostUsers               = 0                   // at once, on all loops
  var last                    = false

  def add(other: IntervalCounts): Unit = {
    var i = 0
    while (i < figures.length) {
      figures(i).add(other.figures(i))
      Collector.giveWay()
      i += 1
    }
    lateness.add(other.lateness)
    connect.add(other.connect)
    tls.add(other.tls)
    resumed += other.resumed
    due += other.due
    opened += other.opened
    resent += other.resent
    searched = math.max(searched, other.searched) // each keeps the responses of its own loop waiting
    users += other.users
    open += other.open
    mostUsers = math.max(mostUsers, other.mostUsers)
  }

  def reset(): Unit = {
    last = false
    figures.foreach(_.reset())
    lateness.reset()
    connect.reset()
    tls.reset()
    resumed = 0
    due = 0
    opened = 0
    resent = 0
    searched = 0
    mostUsers = 0
  }
}

/**
 * The counters of one loop. The counts of a second are delivered at the first event after it, or when the loop is told
 * that the second is over. So each event counts in the second in which it happened, and no lock is needed.
 *
 * @param bounds where seconds end, and the last before a change of the load
 * @param everyone counts the users of all loops who are present
 */
private[engine] final class WorkerCounts(
    kinds: Int,
    started: Long,
    to: BlockingQueue[IntervalCounts],
    bounds: IntervalBounds = new IntervalBounds(WorkerCounts.Second),
    everyone: AtomicInteger = new AtomicInteger
) {
  private val spare   = new ConcurrentLinkedQueue[IntervalCounts]
  private var slice   = new IntervalCounts(this, kinds)
  private var ends    = started + bounds.after(0)
  private var over    = false
  private var present = 0 // users
  private var open    = 0 // connections

  /** Returns counts that are not used any more. From any thread. */
  def recycle(s: IntervalCounts): Unit = {
    s.reset()
    spare.add(s)
    ()
  }

  def users: Int                = present
  def connections: Int          = open
  def users_=(count: Int): Unit = present = count

  /** A user begins. */
  def userCame(): Unit = {
    present += 1
    slice.mostUsers = math.max(slice.mostUsers, everyone.incrementAndGet())
  }

  /** A user has made its requests. */
  def userLeft(): Unit = {
    present -= 1
    everyone.decrementAndGet()
    ()
  }

  /** A request became due at that time. */
  def due(at: Long): Unit = {
    if (at >= ends) advance(at)
    slice.due += 1
  }

  def resent(): Unit = slice.resent += 1

  /** A response was searched for patterns for so long. */
  def searched(nanos: Long): Unit = slice.searched += nanos

  /** A connection was opened within `nanos`, the last `tlsNanos` of them for TLS; 0 without TLS. */
  def opened(nanos: Long, tlsNanos: Long, isResumed: Boolean): Unit = {
    open += 1
    slice.opened += 1
    slice.connect.recordValue(bounded(nanos - tlsNanos))
    if (tlsNanos > 0) slice.tls.recordValue(bounded(tlsNanos))
    if (isResumed) slice.resumed += 1
  }

  private def bounded(nanos: Long): Long = math.max(0, math.min(nanos, Figures.LongestNanos))
  def closed(): Unit                     = open -= 1
  def late(nanos: Long): Unit            = slice.lateness.recordValue(bounded(nanos))

  def answered(
      kind: Int,
      outcome: Outcome,
      code: Int,
      due: Long,
      sent: Long,
      ended: Long,
      length: Long
  ): Unit = {
    if (ended >= ends) advance(ended)
    slice.figures(kind).answered(outcome, code, due, sent, ended, length)
  }

  def failed(kind: Int, outcome: Outcome, due: Long, ended: Long): Unit = {
    if (ended >= ends) advance(ended)
    slice.figures(kind).failed(outcome, due, ended)
  }

  /** Delivers what is complete at `now`. */
  def advance(now: Long): Unit = while (now >= ends && !over) {
    handOver()
    ends = started + bounds.after(ends - started)
  }

  /** Delivers the rest: nothing is counted from here on. */
  def finish(now: Long): Unit = if (!over) {
    advance(now)
    slice.last = true
    handOver()
    over = true
  }

  private def handOver(): Unit = {
    slice.users = present
    slice.open = open
    val number = slice.second
    to.add(slice)
    val next = spare.poll()
    slice = if (next == null) new IntervalCounts(this, kinds) else next
    slice.second = number + 1
    slice.mostUsers = everyone.get // those who stay from the second before
  }
}

private[engine] object WorkerCounts {
  final val Second = 1000L * 1000 * 1000
}
