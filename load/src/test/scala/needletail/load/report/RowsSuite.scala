package needletail.load.report

import scala.concurrent.duration._

import needletail.load.analysis._
import needletail.testing.Suite

class RowsSuite extends Suite {
  private def measured(overflows: Long, shared: Boolean): Measurement = {
    val driver = new ModelDriver(ModelServer(), _.copy(listenOverflows = overflows))
    val run    = driver.run(Plans.open(100, 2.seconds), _ => true)
    val where  = Vector(ModelDriver.machine.copy(sharedWithTarget = shared))
    new Measurement("run", run.copy(machine = where), Some(Duration.Zero))
  }

  test("connections that the server's machine dropped are told of, where that is this one") {
    val told = Rows.remarks(measured(overflows = 3, shared = true)).filter(_.contains("listen overflows"))
    assertEquals(told.size, 1)
    assert(told.head.startsWith("Connections were dropped"), told)
    assertEquals(Rows.overflows(measured(overflows = 3, shared = false)), None)
    assertEquals(Rows.overflows(measured(overflows = 0, shared = true)), None)
    assertEquals(Rows.overflows(measured(overflows = -1, shared = true)), None) // not known
  }

  test("only times are told from sent to end") {
    val run = measured(overflows = 0, shared = false)
    assert(
      Rows.sentToEnd(run, Metric.Percentile(50)).endsWith("ms"),
      Rows.sentToEnd(run, Metric.Percentile(50))
    )
    assertEquals((Rows.sentToEnd(run, Metric.Rate), Rows.sentToEnd(run, Metric.Errors)), ("", ""))
  }
}
