package needletail.load.command

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.plan.{Kind, Load, LoadPlan, Pause, RequestTemplate}
import needletail.testing.{Location, Suite}

/** `run` of a scenario with options: what they do not say stays as the scenario has it. */
class ScenarioOptionsSuite extends Suite {
  private def plan(load: Load, kinds: Int*): LoadPlan = LoadPlan(
    "the shop",
    kinds.toVector.map(n =>
      Kind(s"kind $n", Vector(RequestTemplate("GET", "http://localhost:8080/")), users = Some(n))
    ),
    load
  )

  private def ran(plan: LoadPlan, options: String*)(implicit at: Location): LoadPlan = {
    val model   = new ModelDriver(ModelServer())
    val program = new ModelProgram(model, _ => Right(plan))
    assertEquals(program.run("run" +: "shop.yaml" +: options: _*), 0, program.err)
    model.runs.last
  }

  private def load(plan: LoadPlan, options: String*)(implicit at: Location): Load =
    ran(plan, options: _*).load

  private def refused(plan: LoadPlan, options: String*)(implicit at: Location): String = {
    val model   = new ModelDriver(ModelServer())
    val program = new ModelProgram(model, _ => Right(plan))
    assertEquals(program.run("run" +: "shop.yaml" +: options: _*), 2, options.mkString(" "))
    assertEquals(model.runs.size, 0)
    program.err
  }

  private val users =
    Load.Closed(50, None, Some(30.seconds), ramp = 10.seconds, pause = Pause.Constant(20.millis))
  private val closed = plan(users, 30, 20)
  private val rate   =
    Load.Open(Vector(Load.Step(200, 200, 30.seconds)), poisson = true, connections = 70)
  private val open = plan(rate, 1, 1)

  test("users: one part of the load is another") {
    assertEquals(load(closed, "--duration", "5s"), users.copy(duration = Some(15.seconds)): Load)
    assertEquals(ran(closed, "--duration", "5s").kinds, closed.kinds)
    assertEquals(load(closed, "--users", "8"), users.copy(users = 8): Load)
    assertEquals(
      load(closed, "--ramp", "1s"),
      users.copy(duration = Some(21.seconds), ramp = 1.second): Load
    )
    assertEquals(load(closed, "--pause", "1s"), users.copy(pause = Pause.Constant(1.second)): Load)
    assertEquals(
      load(closed, "--requests", "5"),
      users.copy(requests = Some(5), duration = None): Load
    )
    val counted = users.copy(requests = Some(5), duration = None)
    assertEquals(load(plan(counted, 4), "--users", "8"), counted.copy(users = 8): Load)
    assertEquals(
      load(plan(counted, 4), "--duration", "5s"),
      users.copy(duration = Some(15.seconds)): Load
    )
  }

  test("arrivals: one part of the load is another") {
    def step(rate: Double, time: FiniteDuration) = Vector(Load.Step(rate, rate, time))
    assertEquals(load(open, "--duration", "5s"), rate.copy(steps = step(200, 5.seconds)): Load)
    assertEquals(load(open, "--rate", "50"), rate.copy(steps = step(50, 30.seconds)): Load)
    assertEquals(load(open, "--connections", "7"), rate.copy(connections = 7): Load)
    assertEquals(
      load(open, "--ramp", "1s"),
      rate.copy(steps = Load.Step(0, 200, 1.second) +: rate.steps): Load
    )
    val steady = rate.copy(poisson = false)
    assertEquals(load(plan(steady, 1), "--poisson"), rate: Load)
    val stairs = plan(rate.copy(steps = step(100, 5.seconds) ++ step(200, 5.seconds)), 1)
    assert(refused(stairs, "--duration", "5s").contains("give a --rate"))
    assertEquals(load(stairs, "--rate", "50"), rate.copy(steps = step(50, 10.seconds)): Load)
    assert(refused(open, "--pause", "5s").contains("--pause is for users"))
  }

  test("another model has the scenario's time") {
    assertEquals(
      load(closed, "--rate", "50"),
      Load.Open(Vector(Load.Step(50, 50, 20.seconds))): Load
    )
    assertEquals(load(open, "--users", "5"), Load.Closed(5, None, Some(30.seconds)): Load)
    assertEquals(load(open, "--requests", "5"), Load.Closed(10, Some(5), None): Load)
    assert(refused(closed, "--poisson").contains("needs a --rate"))
  }

  test("options that would have no effect on a scenario's requests are refused") {
    for (
      option <- Seq(
        Seq("--header", "Authorization: x"),
        Seq("--method", "PUT"),
        Seq("--body", "x"),
        Seq("--size", "5")
      )
    ) assert(refused(closed, option: _*).contains("is for a URL"), option)
    assertEquals(ran(closed, "--header", "Connection: close").keepAlive, false)
    assertEquals(ran(closed, "--timeout", "3s").timeout, 3.seconds)
  }

  test("a warm-up has its own time, whatever the load has") {
    def warmed(plan: LoadPlan): Load = {
      val model = new ModelDriver(ModelServer())
      assertEquals(new ModelProgram(model, _ => Right(plan)).run("run", "shop.yaml", "--warm-up", "40s"), 0)
      assertEquals(model.runs.map(_.load).last, plan.load)
      model.runs.head.load
    }
    assertEquals(warmed(closed), users.copy(duration = Some(40.seconds)): Load)
    assertEquals(
      warmed(plan(Load.Closed(5, Some(1), None), 5)),
      Load.Closed(5, None, Some(40.seconds)): Load
    )
    assertEquals(warmed(open), rate.copy(steps = rate.steps :+ Load.Step(200, 200, 10.seconds)): Load)
  }

  test("a method that is given is the method, with a body, too") {
    for ((options, method) <- Seq(Seq("--method", "GET") -> "GET", Seq() -> "POST")) {
      val model   = new ModelDriver(ModelServer())
      val program = new ModelProgram(model)
      val all     = Seq("run", "http://localhost:8080/", "--duration", "1s", "--body", "x") ++ options
      assertEquals(program.run(all: _*), 0, program.err)
      assertEquals(model.runs.last.kinds.head.requests.map(_.method), Vector(method))
    }
  }
}
