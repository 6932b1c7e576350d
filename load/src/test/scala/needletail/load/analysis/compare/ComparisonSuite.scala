package needletail.load.analysis.compare

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.analysis.verdict.Metric
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.result.RunResult
import needletail.testing.Suite

class ComparisonSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // many runs of a model, on whatever machine

  private val comparison = new Comparison(tolerance = 0.03, confidence = 0.99)

  /** Runs of a loaded server with arrivals at random intervals, so that no two are alike. */
  private def runs(
      n: Int,
      serviceNanos: Long,
      seed: Long,
      seconds: Int = 20,
      errors: Double = 0
  ): Vector[RunResult] =
    Vector.tabulate(n) { i =>
      val plan = LoadPlan(
        "x",
        Vector(Plans.request),
        Load.Open(Vector(Load.Step(500, 500, seconds.seconds)), poisson = true, connections = 10000)
      )
      new ModelDriver(
        ModelServer(8, serviceNanos, errors = errors),
        seed = seed * 100 + i
      ).run(plan, _ => true)
    }

  private def change(of: Metric, all: Vector[ComparedMetric]): Change =
    all.find(_.metric == of).map(_.change).getOrElse(fail(s"no ${of.name}"))

  private val p50 = Metric.Percentile(50)

  test("a change of 10 % is found, with single runs and with several") {
    for (n <- Vector(1, 3, 6)) {
      val all = comparison(runs(n, 10000000, 1), runs(n, 11000000, 2))
      assertEquals(change(p50, all), Change.Worse, s"$n runs: $all")
      val back = comparison(runs(n, 11000000, 3), runs(n, 10000000, 4))
      assertEquals(change(p50, back), Change.Better, s"$n runs: $back")
    }
  }

  test("noise is not taken for a change") {
    for (n <- Vector(1, 6); seed <- 1 to 10) {
      val all = comparison(runs(n, 10000000, seed), runs(n, 10000000, seed + 50))
      assert(all.forall(_.change == Change.None), s"$n runs, seed $seed: $all")
    }
  }

  test("a loss of throughput and more errors are worse") {
    val slow = comparison(runs(6, 10000000, 1), runs(6, 18000000, 2))
    assertEquals(change(Metric.Rate, slow), Change.Worse)
    val bad = comparison(runs(1, 10000000, 1), runs(1, 10000000, 2, errors = 0.05))
    assertEquals(change(Metric.Errors, bad), Change.Worse)
  }

  test("figures that the generator limited do not compare") {
    val good   = runs(1, 10000000, 1)
    val spoilt = good.map(run =>
      run.copy(intervals = run.intervals.map(i => i.copy(self = i.self.copy(busiestLoop = 1))))
    )
    assertEquals(change(p50, comparison(good, spoilt)), Change.Unknown)
  }

  test("a rate that both answered completely is the same, however long answers take") {
    def slow(millis: Int) = Vector(
      new ModelDriver(ModelServer(10000, millis * 1000000L)).run(Plans.open(50, 20.seconds), _ => true)
    )
    val rate = comparison(slow(10), slow(1500)).find(_.metric == Metric.Rate).getOrElse(fail("no rate"))
    assertEquals((rate.change, (rate.b / rate.a * 100).round), (Change.None, 100L))
    assert(rate.interval.exists { case (low, high) => low <= 1.001 && high >= 0.999 }, rate.interval)
  }
}
