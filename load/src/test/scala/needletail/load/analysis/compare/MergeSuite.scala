package needletail.load.analysis.compare

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.analysis.verdict.Window
import needletail.load.plan.Load
import needletail.load.result.{Figures, Lateness}
import needletail.testing.Suite

class MergeSuite extends Suite {
  private val driver = new ModelDriver(ModelServer(errors = 0.05))
  private val first  = driver.run(Plans.open(300, 5.seconds), _ => true)
  private val second =
    driver.run(Plans.open(200, 5.seconds), _ => true).copy(startedMillis = first.startedMillis + 1300)

  test("no request is lost, and percentiles are those of all") {
    val whole = Merge(Vector(first, second)).fold(fail(_), identity)
    val all   = Figures.sum(Vector(first.total(), second.total()))
    assertEquals(whole.total().outcomes.toVector, all.outcomes.toVector)
    assertEquals(whole.total().response, all.response)
    assertEquals(whole.total().failed, all.failed)
    assertEquals(whole.lateness, Lateness.sum(Vector(first.lateness, second.lateness)))
    assertEquals(whole.plan.rate, 500.0)
    assertEquals(whole.machine.size, 2)
    assertEquals(whole.loadMillis, 6300L)
  }

  test("seconds are laid side by side by the clock") {
    val whole = Merge(Vector(first, second)).fold(fail(_), identity)
    // last what came after the load's end
    assertEquals(whole.intervals.map(_.startMillis), Vector(0L, 1000L, 2000L, 3000L, 4000L, 5300L, 6300L))
    assertEquals(
      whole.intervals.take(6).map(_.lengthMillis),
      Vector(1000L, 1000L, 1000L, 1000L, 1300L, 1000L)
    )
    assertEquals(whole.intervals.head.total.requests, first.intervals.head.total.requests)
    assertEquals(
      whole.intervals(1).total.requests,
      first.intervals(1).total.requests + second.intervals.head.total.requests
    )
  }

  test("the rate is that of the time until the load's end, which is not that of a second") {
    val overloaded = new ModelDriver(ModelServer(workers = 5)) // 500/s
    for (time <- Seq(1500, 1200, 3200)) {
      val part   = overloaded.run(Plans.open(1000, time.millis, connections = 100000), _ => true)
      val late   = part.copy(startedMillis = part.startedMillis + 3)
      val whole  = Merge(Vector(part, late)).fold(fail(_), identity)
      val window = new Window(whole)
      assertEquals(window.seconds, (time + 3) / 1000.0)
      assert(math.abs(window.goodRate() - 1000) < 20, window.goodRate())
    }
  }

  test("what parts of different times leave between them is no time of theirs") {
    val later = second.copy(startedMillis = first.startedMillis + 20300)
    val whole = Merge(Vector(first, later)).fold(fail(_), identity)
    assertEquals(new Window(whole).seconds, 10.0)
    def mean(rate: Window => Double) = (rate(new Window(first)) + rate(new Window(second))) / 2
    assertEqualsDouble(new Window(whole).goodRateWithin, mean(_.goodRateWithin), 0.001)
    // what is cut off at the end of the first part is not seen in the whole
    assertEqualsDouble(new Window(whole).goodRate(), mean(_.goodRate()), 1)
  }

  test("a load that begins with a ramp is merged with its ends") {
    val ramp  = Plans.open(1000, 3.seconds, connections = 100000)
    val steps = Vector(Load.Step(0, 1000, 1200.millis), Load.Step(1000, 1000, 1800.millis))
    val part  = driver.run(ramp.copy(load = Load.Open(steps, connections = 100000)), _ => true)
    val late  = part.copy(startedMillis = part.startedMillis + 3)
    val whole = Merge(Vector(part, late)).fold(fail(_), identity)
    assertEquals(
      whole.intervals.take(3).map(i => (i.startMillis, i.lengthMillis)),
      Vector((0L, 1200L), (1200L, 800L), (2000L, 1003L))
    )
  }

  test("of what a generator's loops did besides, the worst counts") {
    def searched(millis: Long) =
      first.copy(intervals = first.intervals.map(i => i.copy(self = i.self.copy(searchMillis = millis))))
    for ((a, b) <- Seq((7L, 0L), (0L, 7L), (7L, 5L))) {
      val whole = Merge(Vector(searched(a), searched(b))).fold(fail(_), identity)
      assertEquals(whole.intervals.map(_.self.searchMillis).max, 7L)
    }
  }

  test("a backlog ends when that of the last generator does") {
    def merged(a: Long, b: Long) =
      Merge(Vector(first.copy(backlogMillis = a), second.copy(backlogMillis = b))).fold(fail(_), identity)
    // the second one's load ends 1,300 ms after the first one's
    assertEquals(merged(0, 0).backlogMillis, 0L)
    assertEquals(merged(0, 50).backlogMillis, 50L)
    assertEquals(merged(1000, 50).backlogMillis, 50L)
    assertEquals(merged(2000, 50).backlogMillis, 700L)
  }

  test("parts of different times are told of") {
    assertEquals(Merge.apart(Vector(first, second.copy(startedMillis = first.startedMillis + 900))), None)
    val later = Merge.apart(Vector(first, second.copy(startedMillis = first.startedMillis + 20000)))
    assert(later.exists(_.contains("the last began 20 s after the first")), later)
  }

  test("what does not belong together is refused") {
    assert(Merge(Vector.empty).isLeft)
    assert(Merge(Vector(first, second.copy(kinds = Vector("other")))).isLeft)
    assert(Merge(Vector(first, driver.run(Plans.closed(5, 1.second), _ => true))).isLeft)
  }
}
