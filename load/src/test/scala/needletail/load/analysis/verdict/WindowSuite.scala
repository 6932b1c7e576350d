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

  test("a rate is that of the server where ramp and load are no whole number of seconds") {
    def window(ramp: FiniteDuration, time: FiniteDuration) = {
      val climb = if (ramp > Duration.Zero) Vector(Load.Step(0, 1000, ramp)) else Vector.empty
      val steps = climb :+ Load.Step(1000, 1000, time)
      val plan  = Plans.open(1000, time).copy(load = Load.Open(steps, connections = 100000))
      new Window(new ModelDriver(ModelServer(workers = 5)).run(plan, _ => true)) // 500/s
    }
    for {
      ramp <- Seq(0, 1, 250, 500, 1000)
      time <- Seq(600, 999, 1001, 1500, 2000, 2500, 5000)
    } {
      val is = window(ramp.millis, time.millis)
      assertEquals((is.fromMillis, is.seconds), (ramp.toLong, time / 1000.0), s"ramp $ramp, $time ms")
      // but for the first ones of a ramp, which come late
      assert(math.abs(is.goodRate() - 500) * is.seconds <= 20, s"ramp $ramp, $time ms: ${is.goodRate()}")
    }
  }

  test("a ramp of half a second gives Little's law no reason to doubt") {
    val steps = Vector(Load.Step(0, 1000, 500.millis), Load.Step(1000, 1000, 5.seconds))
    val plan  = Plans.open(1000, 5.seconds).copy(load = Load.Open(steps, connections = 100))
    val run   = new ModelDriver(ModelServer(workers = 5)).run(plan, _ => true) // 500/s
    assertEquals(LittlesLaw.check(run, None).map(_.holds), Some(true))
  }
}
