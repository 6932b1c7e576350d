package needletail.load.report.data

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.result.{Figures, Lateness, Openings, RunResult}

/** A run of two seconds in the first of which connections were opened over TLS: milliseconds as below. */
private[data] object Handshakes {
  val run: RunResult = {
    val plain    = new ModelDriver(ModelServer()).run(Plans.open(100, 2.seconds), _ => true)
    val openings = Openings(times(1, 1, 2), times(3, 4, 9), resumed = 2)
    val first    = plain.intervals.head
    val others   = plain.intervals.slice(1, 2)
    plain.copy(intervals = first.copy(self = first.self.copy(openings = openings)) +: others)
  }

  private def times(millis: Long*): Lateness = {
    val all = Figures.histogram()
    millis.foreach(m => all.recordValue(m * 1000000))
    Lateness.of(all)
  }
}
