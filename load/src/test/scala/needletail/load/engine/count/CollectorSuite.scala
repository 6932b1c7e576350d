package needletail.load.engine.count

import java.util.concurrent.LinkedBlockingQueue

import scala.concurrent.duration._

import needletail.load.analysis.ModelDriver
import needletail.load.result.Outcome
import needletail.testing.{Pause, Suite}

class CollectorSuite extends Suite {

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
          WorkerCounts.Second,
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
