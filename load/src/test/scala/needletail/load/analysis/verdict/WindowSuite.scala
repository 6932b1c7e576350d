package needletail.load.analysis.verdict

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.plan.Load
import needletail.testing.Suite

class WindowSuite extends Suite {
  test("a rate is of the time until load ended, and not until that was noticed") {
    val run   = new ModelDriver(ModelServer()).run(Plans.closed(10, requests = Some(20)), _ => true)
    val ended = run.copy(
      loadMillis = 200,
      intervals = run.intervals.map(i => i.copy(lengthMillis = i.lengthMillis + 80))
    )
    val window = new Window(ended)
    assertEquals(window.seconds, 0.2)
    assertEquals(window.goodRate(), 1000.0)
  }

  test("a ramp is left out, also one that is longer than the rest") {
    def window(ramp: FiniteDuration, time: FiniteDuration) = {
      val plan = Plans.closed(10, time).copy(load = Load.Closed(10, None, Some(time), ramp))
      new Window(new ModelDriver(ModelServer()).run(plan, _ => true))
    }
    assertEquals(
      (window(10.seconds, 15.seconds).fromMillis, window(10.seconds, 15.seconds).seconds),
      (10000L, 5.0)
    )
    assertEquals(window(2.seconds, 15.seconds).fromMillis, 2000L)
    assertEquals(window(15.seconds, 15.seconds).fromMillis, 0L)
    val run = window(10.seconds, 15.seconds).run
    assertEquals(
      new Window(run.copy(loadMillis = 10100)).fromMillis,
      0L
    ) // ended early: nothing to measure but the ramp
  }

  test("whole seconds count as they are") {
    val window = new Window(new ModelDriver(ModelServer()).run(Plans.closed(10, 3.seconds), _ => true))
    assertEquals(window.seconds, 3.0)
  }
}
