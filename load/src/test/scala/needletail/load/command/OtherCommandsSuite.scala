package needletail.load.command

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.report.data.{HistogramLog, ResultDocument}
import needletail.load.result.{Interval, RunResult}
import needletail.testing.{Suite, TemporaryDirectories}

/** `ladder`, `characterise`, `compare`, `merge` against a model. */
class OtherCommandsSuite extends Suite with TemporaryDirectories {
  override def munitTimeout: Duration = 2.minutes
  private val url                     = "http://localhost:8080"

  private val folder = temporaryDirectory()

  private def file(name: String): Path = folder.resolve(name)

  test("the ladder is the documents': 17 rows, 50 requests a user, their ramps, 200 and 304 good") {
    val model   = new ModelDriver(ModelServer(workers = 50, serviceNanos = 5000000))
    val program = new ModelProgram(model)
    assertEquals(
      program.run(
        "ladder",
        url,
        "--assert",
        "p99 < 9 s",
        "--csv",
        file("l.csv").toString,
        "--html",
        file("l.html").toString
      ),
      0,
      program.err
    )
    val loads = model.runs.map(_.load).collect { case load: Load.Closed => load }
    assertEquals(
      loads.map(_.users).toVector,
      Vector(10, 25, 50, 75, 100, 150, 200, 250, 300, 350, 400, 450, 500, 750, 1000, 1500, 2000)
    )
    assertEquals(loads.map(_.ramp.toSeconds).toVector, Vector(0L, 2, 3, 5, 5, 7) ++ Vector.fill(11)(10L))
    assert(loads.forall(_.requests.contains(50)))
    assert(model.runs.forall(_.goodStatuses == Set(200, 304)))
    assert(program.out.contains("100,000"), program.out)
    assert(program.out.contains("passed  p99 < 9 s  (in every row)"), program.out)
    assertEquals(Files.readString(file("l.csv")).linesIterator.size, 18)
  }

  test("the ladder is read as two capacities") {
    // 250 requests a second from 10 workers: with 250 users each waits 0.8 s, and with 500 the queue is full
    val program =
      new ModelProgram(new ModelDriver(ModelServer(workers = 10, serviceNanos = 40000000, queue = 200)))
    program.run(
      "ladder",
      url,
      "--rows",
      "10,25,50,100,250,500",
      "--requests",
      "20",
      "--objective",
      "p99 < 300 ms, errors < 1 %"
    )
    assert(program.out.contains("Capacity for latency (p99 < 300 ms, errors < 1 %): 100 users."), program.out)
    assert(program.out.contains("Capacity for throughput (errors up to 1 %): 250 users."), program.out)
  }

  test("a server is characterised by five criteria") {
    val program =
      new ModelProgram(new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000, queue = 100)))
    val status = program.run(
      "characterise",
      url,
      "--objective",
      "p99 < 50 ms, errors < 0.1 %",
      "--connections",
      "10000",
      "--json",
      file("c.json").toString,
      "--csv",
      file("c.csv").toString,
      "--html",
      file("c.html").toString,
      "--junit",
      file("c.xml").toString,
      "--assert",
      "p99 < 50 ms"
    )
    assertEquals(status, 0, program.err)
    val out = program.out.replaceAll("\\s+", " ") // whatever its lines
    assert(program.out.linesIterator.forall(_.length <= 110), program.out)
    for (
      name <- Seq(
        "Responsiveness",
        "Throughput",
        "Capacity for latency",
        "Maximum load",
        "Tail latency",
        "Error handling"
      )
    )
      assert(out.contains(name), program.out)
    assert(out.contains("10 users at once"), program.out)
    assert(out.contains("with a bad status (503"), program.out)
    assert(out.contains("(promptly)"), program.out)
    assert(out.contains("Service was normal again within"), program.out)
    val document = ResultDocument.read(file("c.json")).fold(fail(_), identity)
    assertEquals(document.criteria.map(_.name).size, 6)
    val knee = document.criteria.find(_.name == "Capacity for latency").getOrElse(fail("no knee"))
    assert(math.abs(knee.low - 500) < 25, knee)
  }

  test("an interruption ends a search, and what was found until then is reported") {
    for (after <- Vector(1, 3, 6, 12, 20)) {
      val interruption = new Interruption
      val inner        = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
      val model        = new needletail.load.engine.LoadRunner {
        def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
          if (inner.runs.size == after) interruption.interrupt()
          inner.run(plan, watch)
        }
      }
      val program = new ModelProgram(model, interruption = interruption)
      program.run("characterise", url, "--html", file("i.html").toString)
      assert(program.out.contains("Responsiveness"), program.out + program.err)
      assert(program.err.contains("interrupted; these are the results so far"), program.err)
      assert(!program.out.contains("No load satisfies"), program.out) // it was not looked for
      if (after == 3) {
        // more users were still to come
        assert(program.out.contains("/s or more, without"), program.out)
        assert(program.out.replaceAll("\\s+", " ").contains("the limit of the search"), program.out)
      }
      assert(inner.runs.size <= after + 3, s"$after: ${inner.runs.size} runs")
    }
  }

  test("an interruption ends the ladder, and its last row is not read") {
    val interruption = new Interruption
    val inner        = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
    val model        = new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
        if (inner.runs.size == 2) interruption.interrupt()
        inner.run(plan, watch)
      }
    }
    val program = new ModelProgram(model, interruption = interruption)
    program.run("ladder", url, "--rows", "10,20,100,200", "--html", file("i.html").toString)
    assert(program.err.contains("interrupted; these are the results so far"), program.err)
    assert(program.out.contains("Interrupted at 100 users, after"), program.out)
    assert(program.out.contains("errors < 0.1 %): 20 users or more"), program.out)
    assert(Files.readString(file("i.html")).contains("Interrupted at 100 users"))
    val before = new Interruption
    before.interrupt()
    val none = new ModelProgram(inner, interruption = before)
    assertEquals(none.run("ladder", url, "--html", file("i.html").toString), 2)
    assert(none.err.contains("before anything was measured"), none.err)
    // or when a row had just been climbed
    val between = new Interruption
    val two     = new needletail.load.engine.LoadRunner {
      private val driver = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
        val result = driver.run(plan, watch)
        if (driver.runs.size == 2) between.interrupt()
        result
      }
    }
    val second = new ModelProgram(two, interruption = between)
    second.run("ladder", url, "--rows", "10,20,100,200")
    assert(second.out.contains("Interrupted before the row of 100 users."), second.out)
  }

  test("a row of the ladder that was interrupted is not what assertions are about") {
    // of 10 workers: with 100 users they wait longer, even at first
    def asserting(rows: String, complete: Int): (Int, String) = {
      val interruption = new Interruption
      val inner        = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
      val model        = new needletail.load.engine.LoadRunner {
        def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
          if (inner.runs.size == complete) interruption.interrupt()
          inner.run(plan, watch)
        }
      }
      val program = new ModelProgram(model, interruption = interruption)
      val status  = program.run("ladder", url, "--rows", rows, "--assert", "p99 < 30 ms")
      assert(program.out.contains("Interrupted at 100 users, after"), program.out)
      (status, program.out)
    }
    val (held, some) = asserting("10,20,100,200", complete = 2)
    assert(held == 0 && some.contains("passed  p99 < 30 ms  (in every complete row)"), some)
    val (nothing, none) = asserting("100,200", complete = 0)
    assert(
      nothing == 2 && none.contains("not checked: no row was complete") && !none.contains("FAILED"),
      none
    )
  }

  /** The report of a ladder, in some of whose runs, counted from 0, the server refuses every connection. */
  private def refusing(
      runs: Set[Int],
      interruption: Interruption = new Interruption,
      after: Int = 100
  ): String = {
    val inner = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
    val model = new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
        inner.server = inner.server.copy(refuses = runs(inner.runs.size))
        val result = inner.run(plan, watch)
        if (inner.runs.size == after) interruption.interrupt()
        result
      }
    }
    val program = new ModelProgram(model, interruption = interruption)
    val status  = program.run("ladder", url, "--rows", "10,50,100,150", "--objective", "p99 < 2 s")
    assertEquals(status, 0, program.err)
    program.out
  }

  test("rows that the ladder gave up itself are those in which the server failed") {
    val died = refusing(Set(2, 3))
    assert(
      died.contains("Given up at 100, 150 users, before all requests had been sent: no request succeeded"),
      died
    )
    assertEquals(died.split("Given up at", -1).length, 2, "the reason is given once")
    assert(died.contains("Capacity for latency (p99 < 2 s): 50 users."), died)
    assert(died.contains("Capacity for throughput (errors up to 1 %): 50 users."), died)
    assert(!died.contains("Interrupted") && !died.contains("or more, as the ladder ends"), died)
  }

  test("a row in the middle that was given up bounds the capacity, though the server came back") {
    val restarted = refusing(Set(2))
    assert(restarted.contains("Given up at 100 users, "), restarted)
    assert(restarted.contains("Capacity for latency (p99 < 2 s): 50 users."), restarted)
    assert(restarted.contains("Capacity for throughput (errors up to 1 %): 50 users."), restarted)
    assert(!restarted.contains("Interrupted"), restarted)
  }

  test("a row that was given up before the interruption is not taken for the interrupted one") {
    val both = refusing(Set(2), after = 3)
    assert(both.contains("Given up at 100 users, "), both)
    assert(both.contains("Interrupted before the row of 150 users."), both)
    assert(both.contains("Capacity for latency (p99 < 2 s): 50 users."), both)
    assert(!both.contains("that row is not used"), both)
  }

  test("rows of the same number of users are not taken for each other") {
    val inner = new ModelDriver(ModelServer(workers = 10, serviceNanos = 20000000))
    val model = new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
        inner.server = inner.server.copy(errors = if (inner.runs.isEmpty) 0.0 else 0.5)
        inner.run(plan, watch)
      }
    }
    val program = new ModelProgram(model)
    program.run("ladder", url, "--rows", "10,20,10", "--objective", "p99 < 2 s")
    assert(program.out.contains("Capacity for throughput (errors up to 1 %): 10 users."), program.out)
  }

  test("a server that gives nothing good when warmed up is not asked any further") {
    val model = new ModelDriver(ModelServer(errors = 1))
    assertEquals(new ModelProgram(model).run("characterise", url), 2)
    assertEquals(model.runs.size, 1)
  }

  test("a characterisation of nothing is refused") {
    val program = new ModelProgram(new ModelDriver(ModelServer(errors = 1)))
    assertEquals(program.run("characterise", url), 2)
    assert(program.err.contains("the status was 500"), program.err)
  }

  private def runs(name: String, serviceNanos: Long, n: Int, seed: Long): String = {
    val model   = new ModelDriver(ModelServer(8, serviceNanos), seed = seed)
    val path    = file(name).toString
    val program = new ModelProgram(model)
    assertEquals(
      program.run(
        "run",
        url,
        "--rate",
        "500",
        "--poisson",
        "--duration",
        "10s",
        "--repeat",
        n.toString,
        "--json",
        path
      ),
      0,
      program.err
    )
    path
  }

  test("a comparison finds what changed, and ends with status 1 where it is worse") {
    for (n <- Vector(1, 5)) {
      val a     = runs("a.json", 10000000, n, 1)
      val same  = runs("same.json", 10000000, n, 2)
      val worse = runs("worse.json", 11000000, n, 3)
      val equal = new ModelProgram
      assertEquals(equal.run("compare", a, same), 0, equal.out)
      assert(equal.out.contains("Nothing changed"), equal.out)
      val program = new ModelProgram
      assertEquals(
        program.run("compare", a, worse, "--junit", file("w.xml").toString, "--csv", file("w.csv").toString),
        1
      )
      assert(
        "B is worse in [1-5] of 5 figures, beyond noise \\(99 % sure of each\\)".r.findFirstIn(
          program.out
        ).isDefined,
        program.out
      )
      assert(program.out.contains("in one of them with a probability of up to 5 %."), program.out)
      assert(program.out.contains(if (n == 1) "confidence" else "p = 0.0079"), program.out)
      assertEquals(new ModelProgram().run("compare", worse, a), 0)
    }
    assert(Files.readString(file("w.xml")).contains("<failure"))
  }

  test("several files of one side are given with commas; what does not compare is refused") {
    val all     = (1 to 5).map(i => runs(s"one$i.json", 10000000, 1, i.toLong))
    val program = new ModelProgram
    assertEquals(program.run("compare", all.mkString(","), all.reverse.mkString(",")), 0, program.err)
    assert(program.out.contains("ranks of 5 runs"), program.out)
    val missing = new ModelProgram
    assertEquals(missing.run("compare", all.head, file("none.json").toString), 2)
    assert(missing.err.contains("cannot read"), missing.err)
    val other = new ModelProgram
    Files.writeString(file("other.json"), "{}")
    assertEquals(other.run("compare", all.head, file("other.json").toString), 2)
    assert(other.err.contains("not a result of needletail-load"), other.err)
  }

  test("results of several generators merge without loss, and logs do") {
    val parts = (1 to 3).map { i =>
      val json = file(s"g$i.json").toString
      val hlog = file(s"g$i.hlog").toString
      new ModelProgram(new ModelDriver(ModelServer(), seed = i.toLong))
        .run("run", url, "--rate", "300", "--poisson", "--duration", "5s", "--json", json, "--hlog", hlog)
      (json, hlog)
    }
    val whole   = file("whole.json").toString
    val program = new ModelProgram
    assertEquals(
      program.run(Seq("merge") ++ parts.map(_._1) ++ Seq("--json", whole, "--assert", "p99 < 50 ms"): _*),
      0,
      program.err
    )
    val total = ResultDocument.read(file("whole.json")).fold(fail(_), identity).parts.head.run
    val each  =
      parts.map(p => ResultDocument.read(file(p._1.split('/').last)).fold(fail(_), identity).parts.head.run)
    assertEquals(total.total().requests, each.map(_.total().requests).sum)
    assertEquals(total.machine.size, 3)

    val logs = new ModelProgram
    assertEquals(
      logs.run(Seq("merge") ++ parts.map(_._2) ++ Seq("--hlog", file("whole.hlog").toString): _*),
      0,
      logs.err
    )
    val sums = HistogramLog.sums(HistogramLog.read(file("whole.hlog")).fold(fail(_), identity))
    assertEquals(sums.map(_._2.getTotalCount).sum, total.total().good)

    val twice = new ModelProgram
    assertEquals(twice.run("merge", parts.head._1, parts.head._1), 2)
    assert(twice.err.contains("given twice"), twice.err)

    val mixed = new ModelProgram
    assertEquals(mixed.run("merge", parts.head._1, parts.head._2), 2)
    assert(mixed.err.contains("results and logs cannot be merged"), mixed.err)
    assertEquals(new ModelProgram().run("merge", parts.head._2, "--json", whole), 2)
  }
}
