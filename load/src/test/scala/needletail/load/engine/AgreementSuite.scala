package needletail.load.engine

import scala.concurrent.duration._

import org.HdrHistogram.Histogram

import needletail.load.plan.{Load, Pause}
import needletail.testing.Suite

/** What is measured agrees with what servers are known to do. Bounds above leave room for a busy machine. */
class AgreementSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes

  private def millis(h: Histogram, percentile: Double): Double = h.getValueAtPercentile(percentile) / 1e6

  /** How many took longer. */
  private def beyond(h: Histogram, time: FiniteDuration): Long =
    h.getTotalCount - h.getCountBetweenValues(0, time.toNanos)

  private def measured(name: String)(body: => Unit): Unit = test(name)(undisturbed(body))

  measured("a delay that is always the same") {
    serving(KnownServer.delayed(20.millis)) { server =>
      val figures = run(closed(server.url, users = 10, requests = 40)).total()
      assertEquals(figures.good, 400L)
      assert(figures.service.getMinValue >= 19900000L, figures.service.getMinValue)
      bound(millis(figures.service, 50) < 30, millis(figures.service, 50))
      assert(figures.response.getMean >= figures.service.getMean, "response times include service times")
    }
  }

  measured("every hundredth answer is late: p99 is where it must be") {
    serving(KnownServer.sometimesLate(100, 300.millis)) { server =>
      val figures = run(open(server.url, 1000, 1.second)).total()
      assertEquals(figures.good, 1000L)
      assertEquals(beyond(figures.response, 299.millis) >= 10, true)
      bound(beyond(figures.service, 299.millis) <= 20, beyond(figures.service, 299.millis))
      bound(millis(figures.service, 50) < 100, millis(figures.service, 50))
      assert(millis(figures.service, 99.1) >= 299, millis(figures.service, 99.1))
    }
  }

  measured("a stall is seen by all who were due in it, though one request alone was under way") {
    serving(KnownServer.stalling(300.millis, 800.millis)) { server =>
      val plan   = open(server.url, 200, 1500.millis)
      val load   = Load.Open(Vector(Load.Step(200, 200, 1500.millis)), connections = 1)
      val result = run(plan.copy(load = load)).total()
      assertEquals(result.good, 300L)
      // Due in the stall were 160, and all but those in its last 100 ms waited for more than that: 140.
      val seen = beyond(result.response, 100.millis)
      bound(seen >= 138, seen)
      bound(result.response.getMaxValue >= 795000000L, result.response.getMaxValue)
      bound(beyond(result.service, 100.millis) <= 10, beyond(result.service, 100.millis))
    }
  }

  measured("a server that answers so many in a second") {
    serving(KnownServer.limited(perSecond = 400, queue = 20)) { server =>
      val result  = run(open(server.url, 800, 1500.millis))
      val figures = result.total()
      assertEquals(figures.requests, 1200L)
      // 600 in that time and 20 that waited at its end.
      bound(figures.good >= 570 && figures.good <= 640, figures.good)
      assertEquals(figures.bad, figures.status(503))
      assert(figures.failed.getTotalCount == figures.bad)
      bound(millis(figures.service, 50) >= 40, millis(figures.service, 50))
    }
  }

  measured("users who saturate a server: its rate, and Little's law") {
    serving(KnownServer.limited(perSecond = 400, queue = 1000)) { server =>
      val plan   = closed(server.url, 1, 1).copy(load = Load.Closed(20, None, Some(2.seconds)))
      val result = run(plan)
      val second = result.intervals(1).kinds.head
      bound((second.good - 400).abs <= 20, second.good)
      val inSystem = second.good * second.response.getMean / 1e9
      bound((inSystem - 20).abs < 2, inSystem)
    }
  }

  test("errors at a known rate, and no error in a percentile of good ones") {
    serving(KnownServer.failing(20)) { server =>
      val figures = run(closed(server.url, 4, 100)).total()
      assertEquals((figures.good, figures.status(500)), (380L, 20L))
      assertEquals(figures.errorRate, 0.05)
      assertEquals((figures.response.getTotalCount, figures.failed.getTotalCount), (380L, 20L))
    }
  }

  measured("a rate that goes up, and then is constant") {
    serving(ok) { server =>
      val steps  = Vector(Load.Step(0, 500, 1.second), Load.Step(500, 500, 1.second))
      val result = run(open(server.url, 1, 1.second).copy(load = Load.Open(steps)))
      val due    = result.intervals.map(_.self.due)
      bound((due(0) - 250).abs <= 10 && (due(1) - 500).abs <= 15, due)
      assertEquals(result.total().good, 750L)
    }
  }

  measured("users who come one after the other") {
    serving(ok) { server =>
      val load = Load.Closed(20, None, Some(2.seconds), ramp = 2.seconds, pause = Pause.Constant(100.millis))
      val result = run(closed(server.url, 1, 1).copy(load = load))
      val users  = result.intervals.map(_.self.users)
      bound((users(0) - 10).abs <= 1 && (users(1) - 10).abs > 1, users)
      // The users of the first second ask ten times a second each, from when they came: 5 s worth of users in all.
      val asked = result.intervals.head.kinds.head.good
      bound(asked >= 40 && asked <= 65, asked)
    }
  }
}
