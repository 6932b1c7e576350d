package needletail.load.report.data

import scala.concurrent.duration._

import com.github.plokhotnyuk.jsoniter_scala.core._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.result.RunResult
import needletail.testing.Suite

class JsonSuite extends Suite {
  private val run = new ModelDriver(ModelServer(errors = 0.1)).run(Plans.open(300, 5.seconds), _ => true)

  test("a run reads back as it was written, to the last request") {
    val back = readFromArray(writeToArray(run)(Json.run))(Json.run)
    JsonSuite.assertSame(back, run)
  }
}

object JsonSuite {
  import munit.Assertions._

  def assertSame(a: RunResult, b: RunResult): Unit = {
    assertEquals(a.copy(intervals = Vector.empty), b.copy(intervals = Vector.empty))
    assertEquals(a.intervals.map(_.self), b.intervals.map(_.self))
    assertEquals(a.intervals.map(_.startMillis), b.intervals.map(_.startMillis))
    a.intervals.zip(b.intervals).foreach { case (x, y) =>
      x.kinds.zip(y.kinds).foreach { case (f, g) =>
        assertEquals(f.outcomes.toVector, g.outcomes.toVector)
        assertEquals(f.statuses.toVector, g.statuses.toVector)
        assertEquals(f.response, g.response)
        assertEquals(f.service, g.service)
        assertEquals(f.failed, g.failed)
        assertEquals(f.received, g.received)
      }
    }
  }
}
