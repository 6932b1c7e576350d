package needletail.load.engine

import scala.concurrent.duration._

import org.HdrHistogram.Histogram

import needletail.http.Handler
import needletail.load.analysis.verdict.{Measurement, Metric, Verdict, Window}
import needletail.load.plan.{Load, Pause}
import needletail.testing.Suite

/** What is measured agrees with what servers are known to do: in virtual time, where it always takes as long. */
class AgreementSuite extends Suite with Serving {
  private def millis(h: Histogram, percentile: Double): Double = h.getValueAtPercentile(percentile) / 1e6

  /** How many took longer. */
  private def beyond(h: Histogram, time: FiniteDuration): Long =
    h.getTotalCount - h.getCountBetweenValues(0, time.toNanos)

  private def measured(name: String)(handler: => Handler)(body: VirtualEngine => Unit): Unit =
    test(name)(body(new VirtualEngine(handler, serverConfig)))

  /** A measured value is between these, which lie as far apart as a network of some milliseconds makes them. */
  private def within(least: Double, most: Double)(value: Double): Unit =
    assert(value >= least && value <= most, value)

  measured("a delay that is always the same")(KnownServer.delayed(20.millis)) { engine =>
    val result  = engine.run(closed(engine.url, users = 10, requests = 40))
    val figures = result.total
    assertEquals(figures.good, 400L)
    within(20, 27)(figures.service.getMinValue / 1e6)
    within(20, 27)(millis(figures.service, 50))
    within(20, 30)(millis(figures.service, 100))
    assert(figures.response.getMean >= figures.service.getMean, "response times include service times")
    // each user has one after the other
    within(0.98, 1)(figures.response.getMean * 40 / result.took.toNanos.toDouble)
  }

  measured("every hundredth answer is late: p99 is where it must be")(
    KnownServer.sometimesLate(100, 300.millis)
  ) { engine =>
    val figures = engine.run(open(engine.url, 1000, 1.second)).total
    assertEquals(figures.good, 1000L)
    assertEquals(beyond(figures.response, 299.millis), 10L)
    assertEquals(beyond(figures.service, 299.millis), 10L)
    within(0, 10)(millis(figures.service, 99))
    within(300, 310)(millis(figures.service, 99.1))
  }

  measured("a stall is seen by all who were due in it, though one request alone was under way")(
    KnownServer.stalling(300.millis, 800.millis)
  ) { engine =>
    val load   = Load.Open(Vector(Load.Step(50, 50, 1500.millis)), connections = 1)
    val result = engine.run(open(engine.url, 50, 1500.millis).copy(load = load)).total
    assertEquals(result.good, 75L)
    // Due in the stall were 40, and all but those in its last 100 ms waited for more than that: 35. Then they are
    // answered one after the other.
    within(35, 40)(beyond(result.response, 100.millis).toDouble)
    within(780, 810)(result.response.getMaxValue / 1e6)
    assertEquals(beyond(result.service, 100.millis), 1L)
  }

  measured("a server that answers so many in a second")(KnownServer.limited(perSecond = 400, queue = 20)) {
    engine =>
      val figures = engine.run(open(engine.url, 800, 1500.millis)).total
      assertEquals(figures.requests, 1200L)
      // 600 in that time and 20 that waited at its end.
      within(615, 625)(figures.good.toDouble)
      assertEquals(figures.bad, figures.status(503))
      assert(figures.failed.getTotalCount == figures.bad)
      within(45, 60)(millis(figures.service, 50))
  }

  measured("users who saturate a server: its rate, and Little's law")(
    KnownServer.limited(perSecond = 400, queue = 1000)
  ) { engine =>
    val plan   = closed(engine.url, 1, 1).copy(load = Load.Closed(20, None, Some(2.seconds)))
    val second = engine.run(plan).intervals(1).kinds.head
    within(398, 402)(second.good.toDouble)
    within(19.8, 20.2)(second.good * second.response.getMean / 1e9)
  }

  measured("errors at a known rate, and no error in a percentile of good ones")(KnownServer.failing(20)) {
    engine =>
      val figures = engine.run(closed(engine.url, 4, 100)).total
      assertEquals((figures.good, figures.status(500)), (380L, 20L))
      assertEquals(figures.errorRate, 0.05)
      assertEquals((figures.response.getTotalCount, figures.failed.getTotalCount), (380L, 20L))
  }

  measured("a rate that goes up, and then is constant")(ok) { engine =>
    val steps  = Vector(Load.Step(0, 500, 1.second), Load.Step(500, 500, 1.second))
    val result = engine.run(open(engine.url, 1, 1.second).copy(load = Load.Open(steps)))
    val due    = result.intervals.map(_.self.due)
    within(249, 251)(due(0).toDouble)
    within(499, 501)(due(1).toDouble)
    assertEquals(result.total.good, 750L)
  }

  measured("a rate of a server that takes half a second, all of whose answers are good")(
    KnownServer.delayed(500.millis)
  ) { engine =>
    val result = engine.run(open(engine.url, 50, 10.seconds))
    assertEquals((result.total.good, result.total.bad), (500L, 0L))
    // what becomes due at the very end of a second is of the next one
    assertEquals(result.intervals.map(_.self.due).take(10), Vector.fill(10)(50L))
    val measured = new Measurement("", result.run, None)
    assertEquals(measured.figure(Metric.Rate), Some(50.0))
    assertEquals(measured.verdict(Metric.Rate), Verdict.Load)
  }

  measured("users of a server that takes half a second and some milliseconds")(
    KnownServer.delayed(500.millis)
  ) { engine =>
    val plan   = closed(engine.url, 1, 1).copy(load = Load.Closed(20, None, Some(10.seconds)))
    val result = engine.run(plan)
    val each   = result.total.response.getMean / 1e9
    val rate   = new Window(result.run).goodRate()
    assert(math.abs(rate * each / 20 - 1) < 0.005, (rate, each))
  }

  measured("users who come one after the other")(ok) { engine =>
    val load =
      Load.Closed(20, None, Some(2.seconds), ramp = 2.seconds, pause = Pause.Constant(100.millis))
    val result = engine.run(closed(engine.url, 1, 1).copy(load = load))
    assertEquals(result.intervals.map(_.self.users).take(2), Vector(10, 20))
    // The users of the first second ask ten times a second each, from when they came: 5 s worth of users in all.
    within(45, 60)(result.intervals.head.kinds.head.good.toDouble)
  }
}
