package needletail.load.analysis

import scala.concurrent.duration._

import needletail.load.analysis.verdict.Window
import needletail.load.result.Outcome
import needletail.testing.Suite

/** The model is what the analysis is tested with: so it has to be right itself. */
class ModelDriverSuite extends Suite {
  import Plans._

  test("a closed run of a number of requests makes just so many") {
    val run = new ModelDriver(ModelServer()).run(closed(20, requests = Some(50)), _ => true)
    assertEquals(run.total().requests, 1000L)
    assertEquals(run.total().good, 1000L)
  }

  test("users below what the server does at once see its own time, and above it the queue's") {
    val driver = new ModelDriver(ModelServer(workers = 10, serviceNanos = 10000000))
    val few    = new Window(driver.run(closed(5, 10.seconds), _ => true))
    val many   = new Window(driver.run(closed(40, 10.seconds), _ => true))
    assert(math.abs(few.goodRate() - 500) < 5, few.goodRate())
    assert(math.abs(many.goodRate() - 1000) < 5, many.goodRate())
    assertEquals(few.total.response.getValueAtPercentile(50) / 100000, 100L)
    assertEquals((many.total.response.getValueAtPercentile(50) / 1e6).round, 40L)
  }

  test("arrivals are answered at their rate below the capacity, and at the capacity above it") {
    val driver = new ModelDriver(ModelServer(workers = 10, serviceNanos = 10000000))
    val below  = new Window(driver.run(open(800, 10.seconds), _ => true))
    val above  = new Window(driver.run(open(1500, 10.seconds, connections = 100000), _ => true))
    assert(math.abs(below.goodRate() - 800) < 10, below.goodRate())
    assert(math.abs(above.goodRate() - 1000) < 10, above.goodRate())
    assert(above.total.response.getMaxValue > 2000000000L, "a queue that grows is seen")
  }

  test("what finds no connection before the end is unsent, and every request due ends once") {
    val driver = new ModelDriver(ModelServer(workers = 10, serviceNanos = 10000000))
    val run    = driver.run(open(1500, 10.seconds, connections = 50), _ => true)
    assert(run.total().count(Outcome.Unsent) > 4000, run.total().count(Outcome.Unsent))
    assertEquals(run.total().requests, run.intervals.map(_.self.due).sum)
  }

  test("a full queue is refused, a stalled server is waited for, a run can be stopped") {
    val full = new ModelDriver(ModelServer(queue = 5)).run(closed(40, 3.seconds), _ => true)
    assert(full.total().status(503) > 0)
    val stall =
      new ModelDriver(ModelServer(stall = (1000000000L, 3000000000L))).run(open(100, 6.seconds), _ => true)
    assert(stall.total().response.getMaxValue > 1900000000L)
    assert(stall.total().response.getValueAtPercentile(75) > 100000000L, "all that was due in it has waited")
    val stopped = new ModelDriver(ModelServer()).run(closed(10, 1.hour), _.startMillis < 4000)
    assertEquals(stopped.loadMillis, 5000L)
  }
}
