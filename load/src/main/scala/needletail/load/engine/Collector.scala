package needletail.load.engine

import java.util.concurrent.{BlockingQueue, TimeUnit}

import scala.collection.mutable

import needletail.load.result.{Interval, SelfFigures}

/**
 * Puts together what the loops counted, second by second, on the thread that asked for the run.
 *
 * @param second
 *   its length in nanoseconds
 * @param tick
 *   has all loops hand over what is complete by a time, which may be on their threads and later
 * @param sample
 *   what the generator saw of itself since it was last asked, from the sums of a second
 * @param giveWay
 *   what is done between two steps
 */
private[engine] final class Collector(
    kinds: Int,
    loops: Int,
    startNanos: Long,
    second: Long,
    from: BlockingQueue[Slice],
    tick: Long => Unit,
    areAlive: () => Boolean,
    sample: Slice => SelfFigures,
    giveWay: () => Unit = () => Collector.giveWay()
) {
  private val parts = mutable.Map.empty[Int, (Slice, Int)] // by second: the sum so far, and of how many loops
  private val result = Vector.newBuilder[Interval]
  private var next   = 0 // the second that comes next

  /** All complete intervals. */
  def intervals: Vector[Interval] = result.result()

  /** Waits until `isOver`, telling `watch` of each interval; false when that wanted no more. */
  def collect(isOver: => Boolean, watch: Interval => Boolean): Boolean = {
    var goOn   = true
    var ticked = 0 // seconds whose end the loops were told of
    while (goOn && !isOver) {
      val boundary = startNanos + (ticked + 1) * second
      val wait     = boundary - System.nanoTime()
      if (wait <= 0) {
        ticked += 1
        tick(boundary)
      } else {
        val slice = from.poll(math.min(wait, Collector.Look), TimeUnit.NANOSECONDS)
        if (slice != null) goOn = add(slice, second).forall(tell(_, watch))
        checkLoops()
      }
    }
    goOn
  }

  /** What has been told is folded: a run may be long. */
  private def tell(interval: Interval, watch: Interval => Boolean): Boolean = {
    val goOn = watch(interval)
    interval.kinds.foreach { figures =>
      giveWay()
      figures.fold()
    }
    goOn
  }

  /** One that ran out of memory will never tell. */
  private def checkLoops(): Unit =
    if (!areAlive()) throw new IllegalStateException("an event loop of the load tester has failed")

  /** The rest, when all loops have been told to finish at that time; `watch` can't change anything any more. */
  def finish(endNanos: Long, watch: Interval => Boolean): Unit = {
    var left = loops
    while (left > 0) {
      val slice = from.poll(Collector.Look, TimeUnit.NANOSECONDS)
      if (slice == null) checkLoops()
      else {
        val end   = startNanos + (slice.second + 1L) * second
        val isEnd = slice.last
        add(slice, if (isEnd) second - (end - endNanos) else second).foreach(tell(_, watch))
        if (isEnd) left -= 1
      }
    }
  }

  /** The interval, if that was the last loop's part of it. */
  private def add(slice: Slice, length: Long): Option[Interval] = {
    val number = slice.second // read before it is given back: its loop may use it for another second at once
    val (sum, count) = parts.getOrElse(number, (new Slice(null, kinds), 0))
    sum.add(slice)
    giveWay()
    slice.tally.recycle(slice)
    giveWay()
    if (count + 1 < loops) {
      parts(number) = (sum, count + 1)
      None
    } else {
      parts.remove(number)
      val place = next
      next += 1
      val isEmpty  = length < Collector.Shortest && sum.figures.forall(_.requests == 0)
      val interval = Interval(place * second / 1000000, length / 1000000, sum.figures.toVector, sample(sum))
      if (isEmpty) None
      else {
        result += interval
        Some(interval)
      }
    }
  }
}

private[engine] object Collector {

  /** How often it is looked whether the run is over: seldom, since it takes a turn from a loop on the same core. */
  private final val Look = 100L * 1000 * 1000

  /** A last interval that is shorter and has nothing in it is left out. */
  private final val Shortest = 50L * 1000 * 1000

  /**
   * Lets loops on the same core go first. They sleep most of the time, but once something else runs there the system
   * lets it go on for a millisecond or more; so what is done each second is done in pieces, with this in between.
   */
  def giveWay(): Unit = Thread.`yield`()
}
