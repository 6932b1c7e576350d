package needletail.load.engine.count

import java.util.concurrent.{BlockingQueue, TimeUnit}

import scala.collection.mutable

import needletail.load.result.{Interval, SelfFigures}

/**
 * Adds up the counts of all loops, second by second, on the thread that called `run`.
 *
 * @param bounds where seconds end, the same for all loops
 * @param tick makes all loops deliver what is complete by a time, perhaps later and on their threads
 * @param sample the generator's measurements of itself since the last call, from the sums of a second
 * @param giveWay called between two steps
 */
private[engine] final class Collector(
    kinds: Int,
    loops: Int,
    startNanos: Long,
    bounds: IntervalBounds,
    from: BlockingQueue[IntervalCounts],
    tick: Long => Unit,
    areAlive: () => Boolean,
    sample: IntervalCounts => SelfFigures,
    giveWay: () => Unit = () => Collector.giveWay()
) {
  private val parts =
    mutable.Map.empty[Int, (IntervalCounts, Int)] // by second: the sum so far, and of how many loops
  private val result = Vector.newBuilder[Interval]
  private var begun  = 0L // when the next second begins, in nanoseconds since the start

  /** All complete intervals. */
  def intervals: Vector[Interval] = result.result()

  /** Waits until `isOver` and calls `watch` for each interval; false if that stopped the run. */
  def collect(isOver: => Boolean, watch: Interval => Boolean): Boolean = {
    var goOn = true
    var end  = bounds.after(0) // which the loops have not been told
    while (goOn && !isOver) {
      val boundary = startNanos + end
      val wait     = boundary - System.nanoTime()
      if (wait <= 0) {
        end = bounds.after(end)
        tick(boundary)
      } else {
        val slice = from.poll(math.min(wait, Collector.Look), TimeUnit.NANOSECONDS)
        if (slice != null) goOn = add(slice, bounds.after(begun)).forall(tell(_, watch))
        checkLoops()
      }
    }
    goOn
  }

  /** Reported intervals are compressed, as a run may be long. */
  private def tell(interval: Interval, watch: Interval => Boolean): Boolean = {
    val goOn = watch(interval)
    interval.kinds.foreach { figures =>
      giveWay()
      figures.fold()
    }
    goOn
  }

  /** Detects a loop that has ended by a fatal error, which will never deliver. */
  private def checkLoops(): Unit =
    if (!areAlive()) throw new IllegalStateException("an event loop of the load tester has failed")

  /** Collects the rest, when all loops have been told to finish at that time; the result of `watch` is ignored. */
  def finish(endNanos: Long, watch: Interval => Boolean): Unit = {
    var left = loops
    while (left > 0) {
      val slice = from.poll(Collector.Look, TimeUnit.NANOSECONDS)
      if (slice == null) checkLoops()
      else {
        val isEnd = slice.last
        add(slice, if (isEnd) endNanos - startNanos else bounds.after(begun)).foreach(tell(_, watch))
        if (isEnd) left -= 1
      }
    }
  }

  /** The interval, if that was the last loop's part of it; it ended so many nanoseconds after the start. */
  private def add(slice: IntervalCounts, end: Long): Option[Interval] = {
    val number       = slice.second // read before it is returned: its loop may reuse it at once
    val (sum, count) = parts.getOrElse(number, (new IntervalCounts(null, kinds), 0))
    sum.add(slice)
    giveWay()
    slice.tally.recycle(slice)
    giveWay()
    if (count + 1 < loops) {
      parts(number) = (sum, count + 1)
      None
    } else {
      parts.remove(number)
      val start = begun
      begun = end
      val isEmpty  = end - start < Collector.Shortest && sum.figures.forall(_.requests == 0)
      val length   = end / 1000000 - start / 1000000
      val interval = Interval(start / 1000000, length, sum.figures.toVector, sample(sum))
      if (isEmpty) None
      else {
        result += interval
        Some(interval)
      }
    }
  }
}

private[engine] object Collector {

  /** How often to check whether the run is over: seldom, since it delays a loop on the same core. */
  private final val Look = 100L * 1000 * 1000

  /** A last interval that is shorter and empty is left out. */
  private final val Shortest = 50L * 1000 * 1000

  /**
   * Lets loops on the same core run first. They sleep most of the time, but when another thread runs there the system
   * lets it continue for a millisecond or more; so the work of each second is done in pieces, with this in between.
   */
  def giveWay(): Unit = Thread.`yield`()
}
