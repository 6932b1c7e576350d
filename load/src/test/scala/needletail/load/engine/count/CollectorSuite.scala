package needletail.load.engine.count

import java.util.concurrent.LinkedBlockingQueue
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.load.analysis.ModelDriver
import needletail.load.result.Outcome
import needletail.testing.{Pause, Suite}

class CollectorSuite extends Suite {
  private val bounds = new IntervalBounds(WorkerCounts.Second)

  test("the time of searches for patterns is that of one loop: the others go on meanwhile") {
    val queue  = new LinkedBlockingQueue[IntervalCounts]
    val second = WorkerCounts.Second
    val all    = Vector(300L, 100L, 200L).map { millis =>
      val tally = new WorkerCounts(1, 0, queue)
      tally.searched(millis * 1000000)
      tally
    }
    var searched  = 0L
    val collector = new Collector(
      1,
      all.size,
      0,
      bounds,
      queue,
      _ => (),
      () => true,
      sum => { searched = sum.searched; ModelDriver.self }
    )
    all.foreach(_.finish(second / 2))
    collector.finish(second / 2, _ => true)
    assertEquals(searched, 300000000L)
  }

  test("users who come and go within a second are counted, and those of all loops at once") {
    val queue     = new LinkedBlockingQueue[IntervalCounts]
    val second    = WorkerCounts.Second
    val everyone  = new AtomicInteger
    val loops     = Vector.fill(2)(new WorkerCounts(1, 0, queue, bounds, everyone))
    var most      = Vector.empty[(Int, Int)] // at the end of each second, and at once in it
    val collector = new Collector(
      1,
      2,
      0,
      bounds,
      queue,
      _ => (),
      () => true,
      sum => { most :+= ((sum.users, sum.mostUsers)); ModelDriver.self }
    )
    def come(loop: Int): Unit = loops(loop).userCame()
    def go(loop: Int): Unit   = loops(loop).userLeft()
    def end(n: Int): Unit     = loops.foreach(_.advance(n * second))
    // one after the other on both loops: never two at once
    for (loop <- Seq(0, 1, 0, 1)) { come(loop); go(loop) }
    end(1)
    for (loop <- Seq(0, 0, 1)) come(loop)
    go(0)
    end(2)
    go(1) // two from the second before, and no one comes
    end(3)
    go(0)
    loops.foreach(_.finish(3 * second + second / 2))
    collector.finish(3 * second + second / 2, _ => true)
    assertEquals(most, Vector((0, 1), (2, 3), (1, 2), (0, 1)))
  }

  test("an answer that comes after the load's end, or before the ramp's, is in an interval of its own") {
    val queue     = new LinkedBlockingQueue[IntervalCounts]
    val cut       = new IntervalBounds(WorkerCounts.Second, Seq(500000000L, 2400000000L))
    val loops     = Vector.fill(2)(new WorkerCounts(1, 0, queue, cut))
    val collector = new Collector(1, 2, 0, cut, queue, _ => (), () => true, _ => ModelDriver.self)
    for {
      loop   <- loops
      millis <- Seq(499, 500, 2399, 2400, 2999)
    } loop.answered(0, Outcome.Good, 200, 0, 0, millis * 1000000L, 0)
    loops.foreach(_.finish(3100000000L))
    collector.finish(3100000000L, _ => true)
    assertEquals(
      collector.intervals.map(i => (i.startMillis, i.lengthMillis, i.total.good)),
      Vector(
        (0L, 500L, 2L),
        (500L, 500L, 2L),
        (1000L, 1000L, 0L),
        (2000L, 400L, 2L),
        (2400L, 600L, 4L),
        (3000L, 100L, 0L)
      )
    )
  }

  /**
   * Gives the collector time to take what was added, and to give it back, before its loop goes on: so a collector that
   * reads it afterwards is found. One that does not passes whatever the times are.
   */
  private final class Slow extends LinkedBlockingQueue[IntervalCounts] {
    override def add(slice: IntervalCounts): Boolean = {
      super.add(slice)
      Pause(15.millis)
      true
    }
  }

  test("nothing is lost where a loop uses a slice again as soon as it has it back") {
    for (round <- 1 to 20) {
      val start     = System.nanoTime() - 200000000L
      val end       = start + 200000000L
      val queue     = new Slow
      val tallies   = Vector.fill(2)(new WorkerCounts(1, start, queue))
      val collector =
        new Collector(
          1,
          2,
          start,
          bounds,
          queue,
          _ => (),
          () => true,
          _ => ModelDriver.self,
          () => Pause(10.millis)
        )
      val threads = tallies.map { tally =>
        tally.answered(0, Outcome.Good, 200, start, start, end, 0)
        new Thread(() => tally.finish(end))
      }
      threads.foreach(_.start())
      collector.finish(end, _ => true)
      threads.foreach(_.join())
      assertEquals(collector.intervals.map(_.total.good), Vector(2L), s"round $round")
    }
  }
}
