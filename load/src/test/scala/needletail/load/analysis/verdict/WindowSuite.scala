package needletail.load.analysis.verdict

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
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

  test("whole seconds count as they are") {
    val window = new Window(new ModelDriver(ModelServer()).run(Plans.closed(10, 3.seconds), _ => true))
    assertEquals(window.seconds, 3.0)
  }
}
