package needletail.load.analysis

import scala.concurrent.duration._

import needletail.load.analysis.verdict.Measurement
import needletail.load.plan.Load

/** A run of 5 s, whose requests fail in the first second of a ramp of 2 s, and not after it. */
object Ramped {
  val measured: Measurement = {
    var driver: ModelDriver = null
    driver = new ModelDriver(
      ModelServer(errors = 1),
      self => {
        driver.server = ModelServer()
        self
      }
    )
    val plan = Plans.closed(10, 5.seconds).copy(load = Load.Closed(10, None, Some(5.seconds), 2.seconds))
    new Measurement("run", driver.run(plan, _ => true), None)
  }
}
