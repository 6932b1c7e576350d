package needletail.load.analysis.verdict

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
import needletail.load.result.{Figures, Lateness, Machine, Openings, SelfFigures}
import needletail.testing.Suite

/** Each way in which a generator can be the limit, and that a healthy one is not suspected. */
class DiagnosisSuite extends Suite {
  import Limit._
  private val p50 = Metric.Percentile(50)
  private val p99 = Metric.Percentile(99)

  private def open(
      rate: Double = 500,
      server: ModelServer = ModelServer(),
      machine: Machine = ModelDriver.machine,
      connections: Int = 1000
  )(self: SelfFigures => SelfFigures): Measurement =
    measured(new ModelDriver(server, self, machine = machine).run(
      Plans.open(rate, 10.seconds, connections),
      _ => true
    ))

  private def measured(run: needletail.load.result.RunResult) = new Measurement("", run, Some(Duration.Zero))

  private def mentions(verdict: Verdict, text: String): Unit =
    assert(verdict.causes.exists(_.contains(text)), verdict)

  test("a healthy generator's figures are the server's, and a rate that was reached is as asked") {
    val run = open()(identity)
    assertEquals(run.verdict(p50), Verdict.Server)
    assertEquals(run.verdict(p99), Verdict.Server)
    assertEquals(run.verdict(Metric.Errors), Verdict.Server)
    assertEquals(run.verdict(Metric.Rate), Verdict.Load)
    assertEquals(run.diagnosis.overall, Verdict.Server)
  }

  test("a rate that was answered completely is as asked, though the last answers came after the load") {
    val slow = open(rate = 50, server = ModelServer(workers = 1000, serviceNanos = 500000000))(identity)
    assertEquals((slow.run.total().good, slow.run.total().bad), (slow.run.total().requests, 0L))
    assertEquals(slow.verdict(Metric.Rate), Verdict.Load)
    val asked = Condition.parseAll("rate > 49/s").getOrElse(fail("no condition"))
    assert(slow.check(asked).forall(_.passed), slow.check(asked))
  }

  test("users who are turned away wait for nothing, and have not what they asked for") {
    val refused = new ModelDriver(ModelServer(workers = 1, serviceNanos = 100000000, queue = 1))
    val plan    = Plans.closed(20, 10.seconds)
    val pausing = plan.copy(load =
      needletail.load.plan.Load.Closed(
        20,
        None,
        Some(10.seconds),
        pause = needletail.load.plan.Pause.Constant(200.millis)
      )
    )
    val run = new Measurement("", refused.run(pausing, _ => true), Some(200.millis))
    assert(run.figure(Metric.Errors).exists(_ > 0.5), run.figure(Metric.Errors))
    assertEquals(run.verdict(Metric.Rate).limit, Server)
    val free   = new ModelDriver(ModelServer(workers = 20)).run(pausing, _ => true)
    val served = new Measurement("", free, Some(200.millis))
    assertEquals(served.verdict(Metric.Rate).limit, Limit.Load)
  }

  test("a server that is asked for more than it can do is the limit") {
    val run = open(rate = 1200, connections = 100000)(identity)
    assertEquals(run.verdict(Metric.Rate), Verdict.Server)
    assertEquals(run.verdict(p99), Verdict.Server)
  }

  test("no free port is the client's limit, in plain words") {
    val plan = Plans.open(500, 10.seconds).copy(keepAlive = false)
    val run  = measured(new ModelDriver(ModelServer(), ports = 300).run(plan, _ => true))
    assertEquals(run.verdict(Metric.Rate).limit, Client)
    mentions(run.verdict(Metric.Rate), "no free port")
    mentions(run.verdict(Metric.Rate), "28232 ports allow 471 new connections a second")
    assertEquals(run.verdict(p99).limit, Client)
  }

  test("the warning before a run and its verdict say the same of the ports") {
    val few     = ModelDriver.machine.copy(firstPort = 40000, lastPort = 40399, timeWaitSeconds = 60)
    val plan    = Plans.open(500, 10.seconds).copy(keepAlive = false)
    val run     = measured(new ModelDriver(ModelServer(), ports = 300, machine = few).run(plan, _ => true))
    val warning = needletail.load.engine.Preflight.check(plan, few)
    assert(warning.exists(_.contains("it can open 7 connections/s")), warning) // 6.67
    mentions(run.verdict(Metric.Rate), "400 ports allow 7 new connections a second")
  }

  test("a rate that was offered counts as no more, whatever was answered of what had become due before") {
    val run   = open()(identity).run // 500/s
    val fewer = new Measurement("", run.copy(plan = run.plan.copy(rate = 400)), None)
    assert(fewer.figure(Metric.Rate).exists(_ > 450), fewer.figure(Metric.Rate))
    assertEquals(fewer.sustainedRate, 400.0)
  }

  test("a share of few requests is as uncertain as the run") {
    val few = open(rate = 5)(identity)
    assertEquals((few.diagnosis.overall.limit, few.verdict(Metric.Errors).limit), (Uncertain, Uncertain))
    mentions(few.verdict(Metric.Errors), "too short to judge")
    val many = open(rate = 50)(identity)
    assertEquals((many.diagnosis.overall.limit, many.verdict(Metric.Errors).limit), (Server, Server))
  }

  test("ports that are all but gone cast doubt") {
    val plan = Plans.open(400, 10.seconds).copy(keepAlive = false)
    val run  = measured(new ModelDriver(ModelServer(), _.copy(timeWait = 27000)).run(plan, _ => true))
    assertEquals(run.verdict(Metric.Rate).limit, Uncertain)
    mentions(run.verdict(Metric.Rate), "TIME_WAIT")
    val kept = open()(_.copy(timeWait = 27000))
    assertEquals(kept.verdict(p50), Verdict.Server)
  }

  test("no doubt where the server closes first, and more connections were opened than there are ports") {
    // 13,492 requests in two seconds, each on a connection of its own, from 201 ports that are held for 60 s
    val few  = ModelDriver.machine.copy(firstPort = 40000, lastPort = 40200, timeWaitSeconds = 60)
    val plan = Plans.open(6746, 2.seconds).copy(keepAlive = false)
    def run(opened: Long) =
      measured(new ModelDriver(
        ModelServer(workers = 1000),
        _.copy(timeWait = 13492, opened = opened),
        machine = few
      )
        .run(plan, _ => true))
    assertEquals(run(6746).verdict(p50), Verdict.Server)
    assert(!run(6746).diagnosis.overall.causes.exists(_.contains("ports")), run(6746).diagnosis.overall)
    // as many as there are ports or fewer: they may be held here
    mentions(run(100).verdict(p50), "ports nearly exhausted")
  }

  test("busy event loops") {
    assertEquals(open()(_.copy(busiestLoop = 0.99)).verdict(Metric.Rate).limit, Client)
    assertEquals(open()(_.copy(busiestLoop = 0.85)).verdict(p99).limit, Uncertain)
    mentions(open()(_.copy(busiestLoop = 0.99)).verdict(p50), "busy event loops")
    assertEquals(open()(_.copy(busiestLoop = 0.5)).verdict(p99), Verdict.Server)
  }

  test("errors are the server's, unless they are timeouts, which a busy generator may have caused") {
    val busy    = (self: SelfFigures) => self.copy(busiestLoop = 0.99)
    val refused = open(server = ModelServer(errors = 0.1))(busy)
    assertEquals(refused.verdict(Metric.Errors), Verdict.Server)
    val late = open(rate = 1000, server = ModelServer(workers = 1, serviceNanos = 100000000))(busy)
    assertEquals(late.verdict(Metric.Errors).limit, Client)
  }

  test("where nothing succeeded, a busy generator is not said to be why") {
    val failed = open(server = ModelServer(errors = 1))(_.copy(busiestLoop = 0.99))
    assertEquals(failed.figure(Metric.Rate), Some(0.0))
    assertEquals(failed.diagnosis.overall.limit, Uncertain)
    assertEquals(failed.verdict(Metric.Rate).limit, Uncertain)
  }

  test("a full machine: the generator's when it is alone there, doubtful when the server shares it") {
    val shared = ModelDriver.machine.copy(sharedWithTarget = true)
    assertEquals(open()(_.copy(machineCpu = 0.99)).verdict(p99).limit, Client)
    assertEquals(open(machine = shared)(_.copy(machineCpu = 0.99)).verdict(p99).limit, Uncertain)
    assertEquals(open(machine = shared)(_.copy(machineCpu = 0.99, cpu = 3)).verdict(p99).limit, Client)
    mentions(open(machine = shared)(_.copy(machineCpu = 0.99)).verdict(p99), "share a machine")
    mentions(
      open()(_.copy(machineCpu = 1.05, cpu = 4.2)).verdict(p99),
      "100 % busy, 100 % with the generator and 0 % with other programs"
    )
    mentions(
      open(machine = shared)(_.copy(machineCpu = 0.98, cpu = 1, targetCpu = 0.5)).verdict(p99),
      "98 % busy, 25 % with the generator, 50 % with the server and 23 % with other programs"
    )
    mentions(
      open(machine = shared)(_.copy(machineCpu = 0.98, cpu = 1)).verdict(p99),
      "98 % busy, 25 % with the generator, the rest with the server and other programs"
    )
    assertEquals(open(machine = shared)(_.copy(machineCpu = 0.7)).verdict(p99), Verdict.Server)
    val pinned = shared.copy(cores = 1, processors = 4) // so that the server has processors of its own
    val full   = open(machine = pinned)(_.copy(machineCpu = 0.6, cpu = 0.98, targetCpu = 0.25))
    assertEquals(full.verdict(p99).limit, Client)
    mentions(
      full.verdict(p99),
      "the generator may use 1 of 4, which it kept 98 % busy; all were 60 % busy, 24.5 % with the generator, " +
        "25 % with the server and 10.5 % with other programs"
    )
    assertEquals(
      open(machine = pinned)(_.copy(machineCpu = 0.6, cpu = 0.5, targetCpu = 0.25)).verdict(p99),
      Verdict.Server
    )
    assertEquals(open()(_.copy(machineCpu = -1)).verdict(p99), Verdict.Server)
  }

  test("lateness spoils the percentile that it is a part of, and no other") {
    val tail = open()(_.copy(lateness = ModelDriver.late(10, 8000, 9000)))
    assertEquals(tail.verdict(p50), Verdict.Server)
    assertEquals(tail.verdict(p99).limit, Client)
    assertEquals(tail.verdict(Metric.Percentile(90)), Verdict.Server)
    assertEquals(tail.verdict(Metric.Percentile(95)).limit, Client)
    mentions(tail.verdict(p99), "every hundredth request 8.00 ms after it was due")
    // what made the maximum is told beside what made p99
    val one = open()(_.copy(lateness = ModelDriver.late(10, 1300, 90000)))
    mentions(one.verdict(Metric.Max), "every hundredth request 1.30 ms after it was due, and one 90.0 ms")
    assertEquals(open()(_.copy(lateness = ModelDriver.late(10, 3000, 3000))).verdict(p99).limit, Uncertain)
    val all = open()(_.copy(lateness = ModelDriver.late(200000, 300000, 400000)))
    assertEquals(all.verdict(p50).limit, Client)
    assertEquals(all.verdict(Metric.Rate).limit, Client)
    assertEquals(open()(_.copy(lateness = ModelDriver.late(10, 900, 900))).verdict(p99), Verdict.Server)
  }

  test("the first requests of users are late by what it takes to begin, and the others are not") {
    val begin   = ModelDriver.late(5000, 6000, 7000)
    var seconds = 0
    val driver  = new ModelDriver(
      ModelServer(workers = 1000),
      s => {
        seconds += 1
        s.copy(lateness = if (seconds == 1) begin else needletail.load.result.Lateness.none)
      }
    )
    val run = measured(driver.run(Plans.closed(5000, 10.seconds), _ => true))
    assert(run.run.total().requests > 200000, run.run.total().requests)
    assertEquals(run.verdict(p50), Verdict.Server)
    assertEquals(run.verdict(p99), Verdict.Server)
  }

  test("collector pauses") {
    val some = open()(_.copy(pauseMillis = 20))
    assertEquals(some.verdict(p50), Verdict.Server)
    assertEquals(some.verdict(p99).limit, Uncertain)
    assertEquals(open()(_.copy(pauseMillis = 150)).verdict(p50).limit, Client)
    mentions(open()(_.copy(pauseMillis = 3000)).verdict(p50), "was stopped for 100 % of the time")
    val one = open()(_.copy(pauseMillis = 8))
    assertEquals(one.verdict(p99), Verdict.Server)
    assertEquals(one.verdict(Metric.Max).limit, Uncertain)
  }

  test("patterns that are costly to search for") {
    val some = open()(_.copy(searchMillis = 20))
    assertEquals(some.verdict(p50), Verdict.Server)
    assertEquals(some.verdict(p99).limit, Uncertain)
    assertEquals(some.verdict(Metric.Max).limit, Uncertain)
    assertEquals(some.verdict(Metric.Errors), Verdict.Server)
    val much = open()(_.copy(searchMillis = 100))
    assertEquals(much.verdict(p50).limit, Uncertain)
    mentions(much.verdict(p50), "costly patterns: searching responses for patterns kept the generator's loop")
    mentions(much.verdict(p50), "1,000 ms, 10 % of the time")
  }

  test("too few connections, where answers take no longer than at the beginning") {
    val run = open(
      rate = 500,
      server = ModelServer(workers = 1000, serviceNanos = 100000000),
      connections = 10
    )(identity)
    assertEquals(run.verdict(Metric.Rate).limit, Client)
    mentions(run.verdict(Metric.Rate), "too few connections")
  }

  test("connections that the server keeps are the server's limit") {
    val run = open(rate = 2000, server = ModelServer(workers = 10), connections = 100)(identity)
    assertEquals(run.verdict(Metric.Rate).limit, Server)
  }

  test("Little's law: users that the figures do not account for") {
    val run = measured(new ModelDriver(ModelServer(), s => s.copy(users = s.users * 2)).run(
      Plans.closed(50, 10.seconds),
      _ => true
    ))
    assertEquals(run.verdict(p50).limit, Uncertain)
    mentions(run.verdict(p50), "Little's law")
    val good = measured(new ModelDriver(ModelServer()).run(Plans.closed(50, 10.seconds), _ => true))
    assert(good.diagnosis.little.exists(_.holds))
    // one second at whose end many were there is chance
    var seconds = 0
    val one     = open() { s =>
      seconds += 1
      if (seconds == 5) s.copy(users = s.users + 80) else s
    }
    assert(
      one.diagnosis.little.exists(law => law.holds && law.users > law.expected * 1.5),
      one.diagnosis.little
    )
  }

  test("a percentile of too few answers is uncertain") {
    val run = open(rate = 20)(identity)
    assertEquals(run.verdict(Metric.Percentile(99.9)).limit, Uncertain)
    assertEquals(run.verdict(p99), Verdict.Server)
  }

  test("a measurement of less than a second is too short to judge, and nothing is said of its processors") {
    def run(self: SelfFigures => SelfFigures, ports: Double = Double.PositiveInfinity) = {
      val driver = new ModelDriver(ModelServer(workers = 100, serviceNanos = 100000), self, ports)
      val plan   = Plans.closed(10, Some(50)).copy(keepAlive = ports == Double.PositiveInfinity)
      measured(driver.run(plan, _ => true))
    }
    val short = run(_.copy(busiestLoop = 0.99, machineCpu = 1, cpu = 4))
    assert(short.diagnosis.isTooShort && short.diagnosis.overall.limit == Uncertain, short.diagnosis.overall)
    assertEquals(
      short.diagnosis.overall.causes,
      Vector("too short to judge: 500 requests in 5 ms, and it takes at least 0.9 s and 100 requests")
    )
    for (metric <- Vector(p50, p99, Metric.Rate, Metric.Errors))
      assertEquals(short.verdict(metric).limit, Uncertain, metric)
    assert(short.check(Condition.parseAll("p99 < 1 s").getOrElse(fail(""))).forall(c =>
      c.passed && c.reason.contains("too short")
    ))
    // what the generator knows for certain is said
    assertEquals(run(identity, ports = 100).verdict(Metric.Rate).limit, Client)
    assert(!open()(identity).diagnosis.isTooShort)
  }

  test("a run of few requests is not judged as a whole, though it be long") {
    val few = open(rate = 5)(identity)
    assertEquals(
      few.diagnosis.overall,
      Verdict(
        Uncertain,
        Vector("too short to judge: 49 requests in 10 s, and it takes at least 0.9 s and 100 requests")
      )
    )
    assertEquals(few.verdict(p50), Verdict.Server)
    val one = measured(new ModelDriver(ModelServer()).run(Plans.closed(1, Some(1)), _ => true))
    assert(
      one.diagnosis.overall.causes.exists(_.startsWith("too short to judge: 1 request in 10 ms, ")),
      one.diagnosis.overall
    )
    assert(
      one.verdict(p50).causes.contains("p50 of only 1 good response, and it takes at least 2"),
      one.verdict(p50)
    )
    val none = open(server = ModelServer(errors = 1), rate = 5)(identity)
    assertEquals(none.diagnosis.overall.causes, Vector("no good response: nothing to judge"))
  }

  test("where nothing became due, no rate was reached, and it is said what was not measured") {
    val run   = open()(identity).run
    val empty = measured(run.copy(intervals =
      run.intervals.map(i =>
        i.copy(kinds = i.kinds.map(_ => new Figures), self = i.self.copy(due = 0))
      )
    ))
    assert(empty.verdict(Metric.Rate).limit != Limit.Load, empty.verdict(Metric.Rate))
    def reasons(m: Measurement) =
      m.check(
        Condition.parseAll("p99 < 1 s, errors < 1 %, rate > 1/s").getOrElse(fail("no conditions"))
      ).map(_.reason)
    assertEquals(
      reasons(empty).take(2),
      Vector(
        "p99 was not measured: there was no good response",
        "errors were not measured: no request ended"
      )
    )
    assertEquals(
      reasons(measured(run.copy(loadMillis = 0))).last,
      "rate was not measured: the load lasted no time"
    )
  }

  test("a cause is said to be of a step before what it says of it") {
    val causes = Vector("busy event loops: 99 %", "p99 of only 1 good response, and it takes at least 100")
    assertEquals(
      Verdict(Uncertain, causes).at("4 users").causes,
      Vector(
        "busy event loops (at 4 users): 99 %",
        "p99 of only 1 good response, and it takes at least 100 (at 4 users)"
      )
    )
  }

  test("an assertion on a figure that the generator limits fails") {
    val good = Condition.parseAll("p99 < 1 s").getOrElse(fail("no condition"))
    assert(open()(identity).check(good).forall(_.passed))
    val limited = open()(_.copy(busiestLoop = 0.99)).check(good)
    assert(limited.forall(c => c.held && !c.passed))
    assert(limited.head.reason.contains("says nothing about the server"), limited.head.reason)
    val missed = Condition.parseAll("p99 < 1 us").getOrElse(fail("no condition"))
    val busy   = open()(_.copy(busiestLoop = 0.99)).check(missed).head
    assert(!busy.held, busy)
    assert(
      busy.reason.contains(
        ", but the generator was the limit, so it says nothing about the server: CLIENT-LIMITED ("
      ),
      busy.reason
    )
    assert(!open()(identity).check(missed).head.reason.contains("generator"))
  }

  /** What was seen where so many connections were opened over TLS in each second. */
  private def opening(each: Int, millis: Long)(self: SelfFigures): SelfFigures = {
    val times = Figures.histogram()
    times.recordValueWithCount(millis * 1000000, each.toLong)
    self.copy(opened = each.toLong, openings = Openings(Lateness.none, Lateness.of(times), 0))
  }

  test("handshakes made while the generator was its own limit are a cause, and fewer connections the cure") {
    val run   = open()(opening(100, 48)(_).copy(busiestLoop = 0.99)) // 500/s, 10 ms each
    val cause = "TLS handshakes: 1,000 TLS handshakes were made under load, and each took 48"
    for (verdict <- Seq(run.verdict(p50), run.verdict(Metric.Rate), run.diagnosis.overall)) {
      assertEquals(verdict.limit, Client)
      mentions(verdict, cause)
      mentions(verdict, "; try --connections 16")
      mentions(verdict, "busy event loops")
    }
    // a few in a thousand requests are not why it is busy, nor are those that were asked for
    val few = open()(opening(2, 48)(_).copy(busiestLoop = 0.99))
    val own = new Measurement("", run.run.copy(plan = run.run.plan.copy(keepAlive = false)), None)
    for (other <- Seq(few, own))
      assert(!other.diagnosis.overall.causes.exists(_.contains("handshake")), other.diagnosis.overall)
  }

  test("handshakes that are many beside the requests cast doubt on what is about as long as one") {
    val run = open()(opening(50, 48))
    assertEquals((run.verdict(p50).limit, run.verdict(p99).limit), (Server, Uncertain))
    mentions(run.verdict(p99), "TLS handshakes: 500 TLS handshakes were made under load")
    assertEquals(run.verdict(Metric.Rate), Verdict.Load)
    assertEquals(open()(opening(50, 1)).verdict(p99), Verdict.Server)
  }

  test("no more connections are recommended where their handshakes are the cause") {
    val server = ModelServer(workers = 1000, serviceNanos = 100000000) // 50 connections are needed for 500/s

    def seen(each: Int, allowed: Int) = {
      val run = open(server = server, connections = 10)(opening(each, 48)(_)).run
      measured(run.copy(plan = run.plan.copy(users = allowed))).diagnosis.overall
    }
    mentions(seen(0, allowed = 10), "allow more connections")
    mentions(seen(100, allowed = 10), "allow more connections") // as fewer would not do
    val many = seen(100, allowed = 1000)
    mentions(many, "TLS handshakes: 1,000 TLS handshakes were made under load")
    assert(!many.causes.exists(_.contains("more connections")), many)
    assertEquals(many.limit, Client)
  }

  test("nor where those that are allowed were never open, as over TLS few are opened at a time") {
    val server = ModelServer(workers = 1000, serviceNanos = 100000000)
    val run    = open(server = server, connections = 10)(opening(2, 48)(_).copy(open = 10)).run
    val slow   = measured(run.copy(plan = run.plan.copy(users = 1000))).diagnosis.overall
    mentions(slow, "none was free of the 10 that had been opened")
    assert(!slow.causes.exists(_.contains("more connections")), slow)
  }

  test("recommended connections count the time of the few requests that take far longer") {
    val run = open(rate = 100, server = ModelServer(workers = 1000, serviceNanos = 10000000))(
      opening(100, 48)(_).copy(busiestLoop = 0.99)
    ).run
    val slow = run.copy(intervals =
      run.intervals.map(i =>
        i.copy(kinds = i.kinds.map { kind =>
          kind.service.recordValueWithCount(5000000000L, kind.service.getTotalCount / 4)
          kind
        })
      )
    )
    assert(!measured(slow).diagnosis.overall.causes.exists(_.contains("--connections 16")), slow)
  }
}
