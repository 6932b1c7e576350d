package needletail.load.engine

import java.util.concurrent.{BlockingQueue, ConcurrentLinkedQueue}

import org.HdrHistogram.Histogram

import needletail.load.result.{Figures, Outcome}

/** What one loop counted in one second of the run; given to the collector, and given back empty. */
private[engine] final class Slice(val tally: Tally, kinds: Int) {
  val figures: Array[Figures] = Array.fill(kinds)(new Figures)
  val lateness: Histogram     = Figures.histogram() // nanoseconds
  var second                  = 0
  var due                     = 0L
  var opened                  = 0L
  var resent                  = 0L
  var users                   = 0                   // at its end
  var open                    = 0                   // likewise
  var last                    = false

  def add(other: Slice): Unit = {
    var i = 0
    while (i < figures.length) {
      figures(i).add(other.figures(i))
      Collector.giveWay()
      i += 1
    }
    lateness.add(other.lateness)
    due += other.due
    opened += other.opened
    resent += other.resent
    users += other.users
    open += other.open
  }

  def reset(): Unit = {
    last = false
    figures.foreach(_.reset())
    lateness.reset()
    due = 0
    opened = 0
    resent = 0
  }
}

/**
 * What one loop counts. A second's figures are handed over when its first event after that second comes, or when it is
 * told that the second is over; so each event counts in the second in which it happened, and nothing is locked.
 *
 * @param second
 *   its length in nanoseconds
 */
private[engine] final class Tally(
    kinds: Int,
    started: Long,
    to: BlockingQueue[Slice],
    second: Long = Tally.Second
) {
  private val spare   = new ConcurrentLinkedQueue[Slice]
  private var slice   = new Slice(this, kinds)
  private var ends    = started + second
  private var over    = false
  private var present = 0 // users
  private var open    = 0 // connections

  /** From any thread: a slice that nobody looks at any more. */
  def recycle(s: Slice): Unit = {
    s.reset()
    spare.add(s)
    ()
  }

  def users: Int                = present
  def connections: Int          = open
  def users_=(count: Int): Unit = present = count

  def due(count: Int): Unit = slice.due += count
  def resent(): Unit        = slice.resent += 1
  def opened(): Unit        = {
    open += 1
    slice.opened += 1
  }
  def closed(): Unit          = open -= 1
  def late(nanos: Long): Unit = slice.lateness.recordValue(math.max(0, math.min(nanos, Figures.LongestNanos)))

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

  /** Time has come to `now`: hands over what is complete. */
  def advance(now: Long): Unit = while (now >= ends && !over) {
    handOver()
    ends += second
  }

  /** Hands over what there is: nothing is counted from here on. */
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
    slice = if (next == null) new Slice(this, kinds) else next
    slice.second = number + 1
  }
}

private[engine] object Tally {
  final val Second = 1000L * 1000 * 1000
}
