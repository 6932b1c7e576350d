package needletail.load.command

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.engine.LoadRunner
import needletail.load.plan.LoadPlan
import needletail.load.report.data.{HistogramLog, ResultDocument}
import needletail.load.result.{Interval, RunResult}
import needletail.testing.{Suite, TemporaryDirectories}

/** `characterise`, `compare`, `merge` against a model. */
class OtherCommandsSuite extends Suite with TemporaryDirectories {
  override def munitTimeout: Duration = 2.minutes
  private val url                     = "http://localhost:8080"

  private val folder = temporaryDirectory()

  private def file(name: String): Path = folder.resolve(name)

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
    assert(out.contains("10 users at once, held, had"), program.out)
    assert(out.contains("with a bad status (503"), program.out)
    assert(out.contains("(promptly)"), program.out)
    assert(out.contains("Service was normal again within"), program.out)
    val rows = Files.readString(file("c.csv")).linesIterator.map(_.split(',').head).toVector
    assertEquals(
      rows.takeRight(3),
      Vector("Error handling", "Error handling: backlog", "Error handling: recovery")
    )
    val document = ResultDocument.read(file("c.json")).fold(fail(_), identity)
    assertEquals(document.criteria.map(_.name).size, 6)
    assertEquals(document.criteria.flatMap(_.details.map(_.name)), Vector("backlog", "recovery"))
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
      assert(!program.out.contains("No rate satisfies"), program.out) // it was not looked for
      if (after == 3) {
        // more users were still to come
        assert(program.out.contains("/s or more, with "), program.out)
        assert(
          program.out.replaceAll(
            "\\s+",
            " "
          ).contains("of the highest rate on average; the search was interrupted."),
          program.out
        )
      }
      assert(inner.runs.size <= after + 3, s"$after: ${inner.runs.size} runs")
    }
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

  /** The file of a run in which the server, or the clock, did as told. */
  private def told(name: String, server: ModelServer)(change: RunResult => RunResult): String = {
    val driver = new ModelDriver(server)
    val runner = new LoadRunner {
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = change(driver.run(plan, watch))
    }
    val path = file(name).toString
    new ModelProgram(runner).run("run", url, "--rate", "500", "--duration", "5s", "--json", path)
    path
  }

  test("a comparison without a figure on both sides draws no conclusion, and fails") {
    val some    = told("some.json", ModelServer())(identity)
    val nothing = told("nothing.json", ModelServer())(_.copy(intervals = Vector.empty, loadMillis = 0))
    for ((a, b) <- Vector(some -> nothing, nothing -> some, nothing -> nothing)) {
      val program = new ModelProgram
      assertEquals(program.run("compare", a, b, "--junit", file("n.xml").toString), 1, program.out)
      assert(program.out.contains("No conclusion: no figure was measured on both sides."), program.out)
      assert(Files.readString(file("n.xml")).contains("<failure"))
    }
  }

  test("a change from none is better, and is no percentage") {
    val none    = told("failing.json", ModelServer(errors = 1))(identity)
    val some    = told("good.json", ModelServer())(identity)
    val program = new ModelProgram
    assertEquals(program.run("compare", none, some, "--csv", file("n.csv").toString), 0, program.out)
    val rate = program.out.linesIterator.find(_.contains(" rate ")).getOrElse(fail(program.out))
    assert(
      rate.trim.split(" {2,}").toVector.drop(2).mkString("|").matches("0/s\\|(499|500)/s\\|-\\|-\\|better"),
      rate
    )
    assert(!Files.readString(file("n.csv")).matches("(?s).*[0-9]{20}.*"), Files.readString(file("n.csv")))
  }

  test("several files of one side are given with commas; what does not compare is refused") {
    val all     = (1 to 5).map(i => runs(s"one$i.json", 10000000, 1, i.toLong))
    val program = new ModelProgram
    assertEquals(program.run("compare", all.mkString(","), all.reverse.mkString(",")), 0, program.err)
    assert(program.out.contains("ranks of 5 runs"), program.out)
    val sure = new ModelProgram
    assertEquals(
      sure.run("compare", "--confidence", "99.9", all.mkString(","), all.reverse.mkString(",")),
      0,
      sure.err
    )
    assert(sure.out.contains("7 runs of each (--repeat 7) would include them"), sure.out)
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

    val elsewhere = file("elsewhere.json").toString
    new ModelProgram(new ModelDriver(ModelServer(), seed = 9L))
      .run("run", s"$url/other", "--rate", "300", "--duration", "5s", "--json", elsewhere)
    val various = new ModelProgram
    assertEquals(various.run("merge", parts.head._1, elsewhere), 0, various.err)
    assert(
      various.err.matches(
        s"(?s).*Warning: these are results of different requests: GET $url/?, GET $url/other\n.*"
      ),
      various.err
    )
    assert(!program.err.contains("Warning"), program.err)

    val twice = new ModelProgram
    assertEquals(twice.run("merge", parts.head._1, parts.head._1), 2)
    assert(twice.err.contains("given twice"), twice.err)

    val mixed = new ModelProgram
    assertEquals(mixed.run("merge", parts.head._1, parts.head._2), 2)
    assert(mixed.err.contains("results and logs cannot be merged"), mixed.err)
    assertEquals(new ModelProgram().run("merge", parts.head._2, "--json", whole), 2)
  }
}
