package needletail.load.engine.worker

import scala.concurrent.duration._

import needletail.load.plan.Load.Step
import needletail.testing.Suite

class ScheduleSuite extends Suite {
  private def times(schedule: Schedule, poisson: Boolean, loop: Int = 0, loops: Int = 1): Vector[Long] = {
    val arrivals = new Arrivals(schedule, poisson, loop, loops, new java.util.SplittableRandom(4711L + loop))
    Vector.unfold(arrivals)(a =>
      if (a.next == Long.MaxValue) None
      else {
        val due = a.next
        a.advance()
        Some((due, a))
      }
    )
  }

  test("constant distances") {
    val schedule = new Schedule(Vector(Step(10, 10, 1.second)))
    assertEquals(schedule.count, 10.0)
    assertEquals(
      times(schedule, poisson = false).map(t => (t + 500) / 1000),
      Vector.tabulate(10)(_ * 100000L)
    )
  }

  test("exactly as many as there are to be, at any rate") {
    for (rate <- Seq(1.0, 3.0, 7.3, 999.0, 20000.0, 33333.3))
      assertEquals(
        times(new Schedule(Vector(Step(rate, rate, 3.seconds))), poisson = false).size,
        (3 * rate).ceil.toInt
      )
  }

  test("a ramp: as many in its second half as a triangle has") {
    val all = times(new Schedule(Vector(Step(0, 1000, 2.seconds))), poisson = false)
    assertEquals(all.size, 1000)
    assertEquals(all.count(_ < 1.second.toNanos), 250)
    assert(all == all.sorted)
    val down = times(new Schedule(Vector(Step(1000, 0, 2.seconds))), poisson = false)
    assertEquals(down.count(_ < 1.second.toNanos), 750)
  }

  test("steps follow each other, and a rate of 0 is a pause") {
    val steps = Vector(Step(100, 100, 1.second), Step(0, 0, 1.second), Step(200, 200, 1.second))
    val all   = times(new Schedule(steps), poisson = false)
    assertEquals(Vector(0, 1, 2).map(s => all.count(_ / 1000000000L == s)), Vector(100, 0, 200))
  }

  test("loops share arrivals without a gap") {
    val schedule = new Schedule(Vector(Step(50, 150, 2.seconds)))
    val shares   = (0 until 3).map(times(schedule, poisson = false, _, 3))
    assertEquals(shares.flatten.sorted.toVector, times(schedule, poisson = false))
  }

  test("by chance: the mean is the rate, and the distances are exponential") {
    val schedule = new Schedule(Vector(Step(10000, 10000, 2.seconds)))
    val all      = (0 until 2).flatMap(times(schedule, poisson = true, _, 2)).sorted
    assert((all.size - 20000).abs < 600, all.size) // four standard deviations
    val gaps = all.zip(all.drop(1)).map { case (a, b) => b - a }
    val mean = gaps.sum.toDouble / gaps.size
    val long = gaps.count(_ > mean).toDouble / gaps.size
    assert((long - math.exp(-1)).abs < 0.02, long)
  }
}
