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

  private def server(workers: Int, latency: FiniteDuration) = ModelServer(workers, latency.toNanos)

  /** Of a constant rate, after a ramp from half of it. */
  private def rated(server: ModelServer, rate: Double, time: FiniteDuration, ramp: FiniteDuration): Window = {
    val climb = if (ramp > Duration.Zero) Vector(Load.Step(rate / 2, rate, ramp)) else Vector.empty
    val plan  = Plans.open(rate, time)
    val load  = Load.Open(climb :+ Load.Step(rate, rate, time), connections = 100000)
    new Window(new ModelDriver(server).run(plan.copy(load = load), _ => true))
  }

  private def near(figure: Double, truth: Double, by: Double, about: => String): Unit =
    all(Seq(far(figure, truth, by, about)))

  /** What is wrong with a figure. */
  private def far(figure: Double, truth: Double, by: Double, about: => String): Option[String] =
    if (math.abs(figure - truth) <= truth * by) None else Some(s"$about: $figure instead of $truth")

  private def all(wrong: Seq[Option[String]]): Unit = assertEquals(wrong.flatten.mkString("\n"), "")

  test("where all was answered the rate is what was offered, however long answers took") {
    all(for {
      latency <- Seq(10, 200, 500, 999, 1000, 1001, 3000, 5900, 9000)
      time    <- Seq(1, 5, 10)
      ramp    <- Seq(0, 500, 1000)
      is = rated(server(10000, latency.millis), 50, time.seconds, ramp.millis)
    } yield far(is.goodRate(), is.dueRate, 0.000001, s"$latency ms, $time s, ramp $ramp ms"))
  }

  test("a queue that gets shorter as less is offered shows no server that kept up") {
    val steps =
      Vector(
        Load.Step(100, 100, 10.seconds),
        Load.Step(2000, 2000, 2.seconds),
        Load.Step(100, 100, 5.seconds)
      )
    val plan = Plans.open(100, 17.seconds).copy(load = Load.Open(steps, connections = 100000))
    val is   = new Window(new ModelDriver(server(5, 10.millis)).run(plan, _ => true)) // 500/s
    assert(is.dueRate > 600, is.dueRate)
    assert(is.goodRate() < 510, is.goodRate())
  }

  test("the rate of a run that was interrupted is not low by what was in flight") {
    val run = new ModelDriver(server(10000, 1.second)).run(Plans.open(50, 1.hour), _.startMillis < 4000)
    near(
      new Window(run.copy(intervals = run.intervals.filter(_.startMillis < 5000))).goodRate(),
      50,
      0.01,
      "5 s"
    )
  }

  test("an overloaded server's rate is what it can do, however long its answers take") {
    all(for {
      latency <- Seq(10, 500, 1000, 2000)
      ramp    <- Seq(0, 1000)
      more    <- Seq(1.1, 1.3, 2.0, 5.0)
      slow = server(latency / 2, latency.millis) // 500/s
      is   = rated(slow, slow.capacity * more, 10.seconds, ramp.millis)
      // answers of slow workers that are all busy come in bursts
    } yield far(is.goodRate(), 500, 0.02 + latency / 1000.0 * 0.05, s"$latency ms, ramp $ramp ms, $more"))
  }

  test("a queue that grows by a twenty-fifth is seen within 5 s, however long answers take") {
    all(for {
      latency <- Seq(1, 10, 100, 250, 500, 800, 1000, 1500)
      rate    <- Seq(990, 1040)
      is     = rated(server(latency, latency.millis), rate.toDouble, 5.seconds, 1.second) // 1000/s
      keptUp = is.goodRate() >= is.dueRate * 0.97
    } yield
      if (keptUp == rate < 1000) None else Some(s"$latency ms, $rate/s: ${is.goodRate()} of ${is.dueRate}"))
  }

  test("a queue is seen within a single second too") {
    for (latency <- Seq(50, 200)) {
      val slow = server(latency, latency.millis) // 1000/s
      val over = rated(slow, 1300, 1.second, Duration.Zero)
      assert(over.goodRate() < over.dueRate * 0.9, s"$latency ms: ${over.goodRate()} of ${over.dueRate}")
    }
  }

  test("requests that time out in a queue are no part of the rate") {
    val plan = Plans.open(1500, 10.seconds, connections = 100000).copy(timeout = 2.seconds)
    val is   = new Window(new ModelDriver(server(10, 10.millis)).run(plan, _ => true))
    assert(is.total.errorRate > 0.2)
    near(is.goodRate(), is.goodRateWithin, 0.01, "with timeouts")
  }

  test("a server that refuses what it cannot do is not said to do it while its queue empties") {
    val full = ModelServer(workers = 10, serviceNanos = 10000000, queue = 1000)
    val is   = new Window(new ModelDriver(full).run(Plans.open(2000, 10.seconds, 100000), _ => true))
    near(is.goodRate(), 1000, 0.02, "with refusals")
  }

  test("a stall at the end is no rate that was kept up, though all was answered later") {
    val stalls = server(100, 10.millis).copy(stall = (5000000000L, 12000000000L))
    near(rated(stalls, 100, 10.seconds, Duration.Zero).goodRate(), 50, 0.02, "half of the time")
  }

  test("users' rate is one request in the time that each takes, whatever part of the last ones is cut off") {
    all(for {
      latency <- Seq(10, 480, 499, 501, 700, 1000, 1900, 3300, 6000)
      time    <- Seq(5, 10)
      ramp    <- Seq(0, 1000)
      is = users(20, server(100, latency.millis), time.seconds, ramp.millis)
    } yield far(is.goodRate(), 20 * 1000.0 / latency, 0.02, s"$latency ms, $time s, ramp $ramp ms"))
  }

  private def users(count: Int, server: ModelServer, time: FiniteDuration, ramp: FiniteDuration): Window = {
    val load = Load.Closed(count, None, Some(time + ramp), ramp)
    new Window(new ModelDriver(server).run(Plans.closed(count, time).copy(load = load), _ => true))
  }

  test("users whom the server has wait bring about its rate, and no more") {
    all(for {
      latency <- Seq(10, 100, 500, 1000)
      more    <- Seq(2, 10, 50)
      time    <- Seq(1, 10)
      ramp    <- Seq(0, 1000)
      slow = server(latency / 10, latency.millis) // 100/s
      is   = users(slow.workers * more, slow, time.seconds, ramp.millis)
    } yield far(
      is.goodRate(),
      100,
      0.05 + latency / 1000.0 / time / 2, // answers come in batches, and one more or less falls into the time
      s"$latency ms, ${slow.workers * more} users, $time s, ramp $ramp ms"
    ))
  }

  test("users' requests that fail are cut off as well, and are no part of the rate") {
    val plan = Plans.closed(200, 10.seconds)
    val is   = new Window(new ModelDriver(server(1000, 501.millis).copy(errors = 0.25)).run(plan, _ => true))
    near(is.goodRate(), 200 / 0.501 * 0.75, 0.05, "a quarter fails")
  }

  test("Little's law is not checked by a few answers of each user or connection") {
    for (latency <- Seq(500, 1000, 2500, 3000, 4000, 5500)) {
      val slow   = server(1000, latency.millis)
      val open   = new ModelDriver(slow).run(Plans.open(50, 10.seconds), _ => true)
      val closed = new ModelDriver(slow).run(Plans.closed(50, 10.seconds), _ => true)
      for (run <- Seq(open, closed))
        assert(LittlesLaw.check(run, Some(Duration.Zero)).forall(_.holds), s"$latency ms, ${run.plan.model}")
    }
  }

  test("a ramp of half a second gives Little's law no reason to doubt") {
    val steps = Vector(Load.Step(0, 1000, 500.millis), Load.Step(1000, 1000, 5.seconds))
    val plan  = Plans.open(1000, 5.seconds).copy(load = Load.Open(steps, connections = 100))
    val run   = new ModelDriver(ModelServer(workers = 5)).run(plan, _ => true) // 500/s
    assertEquals(LittlesLaw.check(run, None).map(_.holds), Some(true))
  }
}
