package needletail.load.analysis.search

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.analysis.verdict.{Condition, Limit, Measurement, Metric, Quantity}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.report.text.CharacterisationText
import needletail.load.result.{Interval, SelfFigures}
import needletail.testing.Suite

class CapacitySearchSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes // millions of simulated requests, on whatever machine

  private def conditions(text: String) = Condition.parseAll(text).getOrElse(fail("no objective"))

  private val objective = conditions("p99 < 100 ms, errors < 0.1 %")

  private def characterise(
      server: ModelServer,
      self: SelfFigures => SelfFigures = identity,
      poisson: Boolean = false,
      mostRate: Double = 100000,
      byRate: Option[ModelServer] = None,            // in the open model, where it is another
      at: String => Option[ModelServer] = _ => None, // for the load of that label
      stopped: () => Boolean = () => false,
      objective: Vector[Condition] = objective,
      connections: Int = 100000,
      step: FiniteDuration = 5.seconds,
      mostUsers: Int = 4096
  ): (Characterisation, ModelDriver) = {
    val driver  = new ModelDriver(server, self, sendsBacklog = true)
    val measure = (load: Load, label: String, enough: Interval => Boolean) => {
      val usual = if (load.isInstanceOf[Load.Open]) byRate.getOrElse(server) else server
      driver.server = at(label).getOrElse(usual)
      new Measurement(
        label,
        driver.run(LoadPlan("x", Vector(Plans.request), load), i => !enough(i)),
        Some(Duration.Zero)
      )
    }
    val limits = SearchLimits(step, step * 4, mostUsers, mostRate, connections, poisson)
    val found  = new CapacitySearch(measure, objective, limits, Some(1.second), stopped).run()
    (found.fold(fail(_), identity), driver)
  }

  private def near(figure: Double, truth: Double): Unit =
    assert(math.abs(figure - truth) <= truth * 0.05, s"$figure is not within 5 % of $truth")

  test("both capacities are found within 5 % of the truth") {
    for (capacity <- Vector(ModelServer(10, 20000000), ModelServer(1, 4000000), ModelServer(40, 50000000))) {
      val (found, _) = characterise(capacity)
      val most       = found.throughput.getOrElse(fail("no throughput"))
      val knee       = found.latency.getOrElse(fail("no knee"))
      near((most.rate.low + most.rate.high) / 2, capacity.capacity)
      near(knee.rate.low, capacity.capacity)
      assert(knee.rate.low <= knee.rate.high)
      // as many users as there are workers bring it about
      assert(most.users >= capacity.workers * 0.9 && most.users <= capacity.workers * 1.25, most.users)
      assertEquals(knee.verdict.limit, Limit.Server)
    }
  }

  test("both capacities are found where answers take as long as a step or longer") {
    val slow  = conditions("p99 < 20 s, errors < 0.1 %")
    val wrong = for {
      millis <- Vector(250, 500, 800, 1000, 1500, 3000, 6000)
      step   <- Vector(1.second, 5.seconds)
      server     = ModelServer(workers = math.max(40, 125 * millis / 1000), serviceNanos = millis * 1000000L)
      (found, _) = characterise(server, objective = slow, step = step, mostRate = 1000, mostUsers = 2048)
      most       = found.throughput.getOrElse(fail(s"$millis ms, $step: no throughput"))
      knee       = found.latency.getOrElse(fail(s"$millis ms, $step: no knee"))
      figures    = Seq(knee.rate.low, most.rate.high)
      // few answers fall into a step that takes as long as one or a few of them
      by = if (step == 1.second) 0.15 else 0.06
      if knee.verdict.limit != Limit.Server || figures.exists(f =>
        math.abs(f - server.capacity) > server.capacity * by
      )
    } yield s"$millis ms, $step, ${server.capacity}/s: ${most.rate}, ${most.fastest.map(_.label)}, ${knee.rate}, ${knee.verdict}"
    assertEquals(wrong.mkString("\n"), "")
  }

  test("a slow server that can do more than is to be tried is not said to have a capacity") {
    val (found, _) = characterise(
      ModelServer(workers = 100000, serviceNanos = 1000000000L),
      objective = conditions("p99 < 3 s, errors < 0.1 %"),
      mostRate = 200,
      mostUsers = 64
    )
    val knee = found.latency.getOrElse(fail("no knee"))
    assertEquals((knee.rate.low, knee.rate.open, knee.verdict.limit), (200.0, true, Limit.Load: Limit))
    near(knee.users, 200)
    val said = CharacterisationText.criteria(found).find(_.name == "Error handling").fold("")(_.text)
    assert(said.contains("That is not above") || said.contains("So it was no overload"), said)
  }

  test("a server that takes seconds for an answer is seen to have recovered by three of them") {
    val (found, _) = characterise(
      ModelServer(workers = 40, serviceNanos = 1500000000L, queue = 0),
      objective = conditions("p99 < 3 s, errors < 0.1 %"),
      mostUsers = 128
    )
    val after = found.overload.map(_.recovery).getOrElse(fail("no overload"))
    assert(after.millis.exists(_ <= 3000), after)
  }

  test("a bound of the rate that the server is far above") {
    val (found, driver) = characterise(ModelServer(40, 10000000), mostRate = 100)
    val knee            = found.latency.getOrElse(fail("no knee"))
    assertEquals((knee.rate.low, knee.rate.open), (100.0, true))
    val rates = driver.runs.map(_.load).collect { case open: Load.Open => open.steps.map(_.to).max }
    assert(rates.nonEmpty && rates.forall(_ <= 100), rates)
  }

  test("an overload that the generator could not bring about says nothing of the server's errors") {
    val slow  = (self: SelfFigures) => if (self.due > 700) self.copy(busiestLoop = 1) else self
    val found =
      needletail.load.report.text.CharacterisationText.criteria(characterise(
        ModelServer(10, 20000000),
        slow
      )._1)
    val last = found.find(_.name == "Error handling").getOrElse(fail("no error handling"))
    assertEquals(last.verdict.limit, "CLIENT-LIMITED")
  }

  test("the share that failed is of the time that the rate is of") {
    val found = characterise(ModelServer(10, 20000000, queue = 20))._1
    val all   = found.overload.getOrElse(fail("no overload"))
    val run   = all.measured.run
    val ramp  = new Measurement("overload", run.copy(plan = run.plan.copy(rampMillis = 1000)), None)
    val over  = all.copy(measured = ramp)
    val text  = needletail.load.report.text.CharacterisationText
      .criteria(found.copy(overload = Some(over))).find(_.name == "Error handling")
    val share = over.measured.figure(Metric.Errors).getOrElse(fail("no errors"))
    assert(share != over.measured.run.total().errorRate) // with the ramp it is another
    assertEquals(text.map(_.low), Some(share * 100))
  }

  test("no capacity is above the throughput") {
    val (found, _) = characterise(ModelServer(10, 20000000), byRate = Some(ModelServer(10, 18000000)))
    val most       = found.throughput.getOrElse(fail("no throughput"))
    val knee       = found.latency.getOrElse(fail("no knee"))
    near(most.rate.low, 500)
    near(knee.rate.low, 555)
    assert(knee.rate.low <= most.rate.high, (most.rate, knee.rate))
  }

  test("a step that catches up with what became due before it counts as what it offered") {
    val stalled    = ModelServer(1000, 20000000, stall = (100000000L, 1000000000L))
    val (found, _) = characterise(
      ModelServer(10, 20000000),
      byRate = Some(ModelServer(1000, 20000000)),
      mostRate = 600,
      at = label => if (label == "600/s") Some(stalled) else None
    )
    val step = found.steps.find(_.label == "600/s").getOrElse(fail("no such step"))
    assert(step.window.goodRateWithin > 620, step.window.goodRateWithin) // with the backlog of the ramp
    assert(step.figure(Metric.Rate).exists(_ <= 601), step.figure(Metric.Rate))
    val most = found.throughput.getOrElse(fail("no throughput"))
    assert(most.rate.high <= 600, (most.rate, most.fastest.map(_.label)))
  }

  test("no more requests are in flight than there are connections") {
    val stalled    = ModelServer(1000, 20000000, stall = (100000000L, 1000000000L))
    val (found, _) = characterise(
      ModelServer(10, 20000000),
      byRate = Some(ModelServer(1000, 20000000)),
      mostRate = 1000, // as much as the connections can do, so that what has waited is never caught up with
      at = label => if (label.endsWith("/s, held")) Some(stalled) else None,
      objective = conditions("errors < 10 %"),
      connections = 20
    )
    val knee = found.latency.getOrElse(fail("no knee"))
    assert(knee.users > 5 && knee.users <= 20, knee.users)
  }

  test("with arrivals at random intervals too") {
    val (found, _) = characterise(ModelServer(10, 10000000), poisson = true)
    near(found.latency.fold(0.0)(_.rate.low), 1000)
  }

  test("responsiveness is that of one user, and the tail is measured at shares of the limit") {
    val (found, _) = characterise(ModelServer(10, 10000000))
    near(found.light.percentile(50).toDouble, 10e6)
    assertEquals(found.tail.map(_.share), Vector(0.5, 0.8, 1.0))
    assert(found.tail.forall(_.measured.percentile(99) < 100000000L))
    assert(found.pausingUsers.exists(users => users > 900 && users < 1100), found.pausingUsers)
  }

  test(
    "an overload that is refused is told from one that waits, and service is normal again at once or later"
  ) {
    val (refusing, _) = characterise(ModelServer(10, 10000000, queue = 20))
    val over          = refusing.overload.getOrElse(fail("no overload"))
    assert(over.measured.run.total().status(503) > 0)
    assert(over.recovery.millis.exists(_ <= 2000), over.recovery)
    // a queue without a bound keeps the server busy long after the load has ended
    val (waiting, _) = characterise(ModelServer(10, 10000000))
    val late         = waiting.overload.getOrElse(fail("no overload"))
    assertEquals(late.measured.run.total().status(503), 0L)
    assert(late.recovery.millis.forall(_ >= 1000), late.recovery)
  }

  /** What is said of the overload, with its figures: of the backlog, and from and to what of the recovery. */
  private def overloaded(found: Characterisation): (String, Vector[(String, Double, Option[Double])]) = {
    val it =
      CharacterisationText.criteria(found).find(_.name == "Error handling").getOrElse(fail("no errors"))
    (it.text, it.details.map(d => (d.name, d.low, d.high)))
  }

  test("the load tester's backlog after an overload is not taken for the server's recovery") {
    // 1,000/s are offered for 10 s to a server of 500/s over 20 connections: half of them wait in the load tester
    val (found, _) = characterise(ModelServer(10, 20000000), connections = 20)
    val after      = found.overload.map(_.recovery).getOrElse(fail("no overload"))
    assert(after.backlogMillis >= 8000 && after.backlogMillis <= 12000, after)
    assert(after.millis.exists(_ < 1000), after)
    val (text, details) = overloaded(found)
    val said            =
      "When the load ended, requests were still waiting for the load tester's connections; the last of them was sent or " +
        "given up 1?[0-9.]+ s later. Service was normal again within [0-9.]+ ms of that\\."
    assert(said.r.findFirstIn(text).isDefined, text)
    val seconds = after.backlogMillis / 1000.0
    assertEquals(details.head, ("backlog", seconds, Some(seconds)))
    assertEquals(details.map(_._1), Vector("backlog", "recovery"))
    assert(details.last._2 == 0 && details.last._3.exists(_ < 1), details)
  }

  test("what waits for a connection is not counted as in flight") {
    // random arrivals often find both connections in use; the server alone takes 20 ms
    val (found, _) = characterise(ModelServer(10, 20000000), poisson = true, connections = 2)
    val knee       = found.latency.getOrElse(fail("no knee"))
    val mean       = knee.held.figure(Metric.Mean).getOrElse(fail("no mean"))
    assert(mean > 25e6 && knee.rate.low * mean / 1e9 > 2, (mean, knee.rate))
    assert(knee.users > 1 && knee.users <= 2, knee.users)
  }

  test("where the load tester had no backlog, recovery counts from the load's end") {
    val (found, _)      = characterise(ModelServer(10, 10000000, queue = 20))
    val (text, details) = overloaded(found)
    assert(text.contains("of the load's end.") && !text.contains("still waiting"), text)
    assertEquals(details.head, ("backlog", 0.0, Some(0.0)))
    val over  = found.overload.getOrElse(fail("no overload"))
    val never = found.copy(overload = Some(over.copy(recovery = Recovery(700, None, 30000))))
    val said  = overloaded(never)
    assert(
      said._1.endsWith("700 ms later. Service was not normal again within the observed 30 s after that."),
      said
    )
    assertEquals(said._2.last, ("recovery", 30.0, None))
  }

  test("the verdict on error handling is that of the same step among all measurements") {
    // of rates above 700/s, twice the capacity alone; refused at once, so that a busy machine changes no error
    val full  = (self: SelfFigures) => if (self.due > 700) self.copy(machineCpu = 0.93) else self
    val found = characterise(ModelServer(10, 20000000, queue = 20), full)._1
    val step  = found.overload.map(_.measured.diagnosis.overall).getOrElse(fail("no overload"))
    val card  = CharacterisationText.criteria(found).find(_.name == "Error handling").map(_.verdict)
    assertEquals(step.limit, Limit.Uncertain: Limit)
    assertEquals(card.map(v => (v.limit, v.causes)), Some((step.limit.name, step.causes)))
  }

  test("where the generator is the limit, it says so, and that there may be more") {
    val (found, _) = characterise(
      ModelServer(10000, 1000000),
      self => if (self.due > 3000) self.copy(busiestLoop = 0.99) else self
    )
    val most = found.throughput.getOrElse(fail("no throughput"))
    assertEquals(most.verdict.limit, Limit.Client)
    assert(most.rate.open)
  }

  test("a rate that a server does not sustain is lowered until one is") {
    // after 10 s nothing is begun for 0.18 s: of more than half of the capacity, p99 of 20 s is above 100 ms then
    val (found, _) = characterise(ModelServer(10, 20000000, stall = (10000000000L, 10180000000L)))
    val knee       = found.latency.getOrElse(fail("no knee"))
    assert(knee.held.check(objective).forall(_.held), knee.held.figure(Metric.Percentile(99)))
    assert(knee.rate.low > 100 && knee.rate.low < 260 && knee.rate.high < 350, knee.rate)
  }

  test("where no rate is sustained, no capacity is claimed") {
    val (found, _) = characterise(ModelServer(10, 20000000, stall = (10000000000L, 12000000000L)))
    assertEquals((found.latency, found.notHeld), (None, Some(1.0)))
    val text = needletail.load.report.text.CharacterisationText.criteria(found)
      .find(_.name == "Capacity for latency").map(_.text)
    assertEquals(
      text,
      Some("No rate satisfies p99 < 100 ms, errors < 0.1 % for as long as it is held, not even 1/s.")
    )
  }

  /** Whether a load of that label is a rate that is held. */
  private def isHold(label: String): Boolean = label.endsWith("/s, held")

  test("a rate that the generator could not hold says nothing against the server") {
    val stalls     = ModelServer(10, 20000000, stall = (10000000000L, 10180000000L))
    var isHeld     = false
    val busy       = (self: SelfFigures) => if (isHeld) self.copy(busiestLoop = 1) else self
    val (found, _) = characterise(
      stalls,
      busy,
      at = label => {
        isHeld = isHold(label)
        None
      }
    )
    val knee = found.latency.getOrElse(fail("no knee"))
    assertEquals((knee.verdict.limit, found.notHeld), (Limit.Client: Limit, None))
    near(knee.rate.low, 500)
  }

  test("a rate that could not be reached as the search was interrupted while it was held counts") {
    var isHeld     = false
    val behind     = (self: SelfFigures) => if (isHeld) self.copy(due = self.due * 11 / 10) else self
    val (found, _) = characterise(
      ModelServer(10, 20000000),
      behind,
      at = label => {
        isHeld ||= isHold(label)
        None
      },
      stopped = () => isHeld
    )
    assert(found.interrupted && found.notHeld.isEmpty)
    near(found.latency.fold(0.0)(_.rate.low), 500)
  }

  test("a rate is not satisfied while a queue grows, whatever the latency may be") {
    val (found, _) = characterise(ModelServer(10, 20000000), objective = conditions("errors < 0.1 %"))
    near(found.latency.fold(0.0)(_.rate.low), 500)
  }

  test(
    "a single doubling of the users without a higher rate may be a disturbance, and does not end the search"
  ) {
    val slow       = ModelServer(10, 100000000)
    val (found, _) =
      characterise(ModelServer(10, 20000000), at = label => if (label == "4 users") Some(slow) else None)
    near(found.throughput.fold(0.0)(_.rate.low), 500)
  }

  /** What is said of the capacity for latency. */
  private def saidOf(found: Characterisation): String =
    CharacterisationText.criteria(found).find(_.name == "Capacity for latency").fold("nothing")(_.text)

  test("a capacity that was held is said to be one, without a doubt") {
    val (found, _) = characterise(ModelServer(10, 20000000))
    val rate       = found.latency.fold(0.0)(_.rate.low)
    val text       = saidOf(found)
    near(rate, 500)
    assert(text.startsWith(Quantity.rate(rate)) && text.matches(".*, or [0-9]+ users who pause 1 s\\."), text)
  }

  test("what the load tester could not hold is said to be the rate of a short time, and no more is known") {
    val (found, _) = characterise(ModelServer(10, 20000000))
    val missed     = found.overload.getOrElse(fail("no overload")).measured
    assert(!missed.check(objective).forall(_.held))
    assert(
      saidOf(found.copy(latency = found.latency.map(_.copy(held = missed)))).endsWith(
        "users who pause 1 s. That was for a short time only: while it was held, the load tester was the limit and the " +
          "objective was not met, so whether the server sustains it is not known."
      )
    )
  }

  test("where no rate is sustained, not very many are tried") {
    val (found, driver) = characterise(ModelServer(50, 10000000, stall = (10000000000L, 12000000000L)))
    assert(found.latency.isEmpty && found.notHeld.exists(rate => rate > 1 && rate < 5), found.notHeld)
    val held = driver.runs.map(_.load).collect {
      case open: Load.Open if open.steps.last.duration == 20.seconds => open.steps.last.to
    }
    assertEquals(held.size, 13)
    assert(held.last < held.head / 1000, held)
  }

  test("a server that never satisfies the objective has no capacity for it") {
    val (found, _) = characterise(ModelServer(10, 200000000))
    assertEquals(found.latency, None)
    assert(found.throughput.exists(_.rate.high > 45))
  }
}
