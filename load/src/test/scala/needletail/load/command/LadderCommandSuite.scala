package needletail.load.command

import java.nio.file.{Files, Path}

import scala.concurrent.duration._

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.plan.{Load, LoadPlan}
import needletail.load.result.{Interval, RunResult, SelfFigures}
import needletail.testing.{Suite, TemporaryDirectories}

/** `ladder` against a model. */
class LadderCommandSuite extends Suite with TemporaryDirectories {
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
    def row(kind: String) =
      s"(?m)^Capacity for $kind: (.*)$$".r.findFirstMatchIn(program.out).fold("")(_.group(1))
    val latency = row("latency \\(p99 < 300 ms, errors < 1 %\\)")
    // 2,000 requests in a ramp of 5 s and what they took beyond it
    assert(
      latency.matches("100 users, who came at 20/s: at most [0-9]{2} at once, 2[0-9]{2} good responses/s\\."),
      latency
    )
    val throughput = row("throughput \\(errors up to 1 %\\)")
    assert(
      throughput.matches(
        "250 users, who came at 25/s: at most [12][0-9]{2} at once, 24[0-9] good responses/s\\."
      ),
      throughput
    )
  }

  test(
    "the ladder tells how many of a row's users were there at once, and each row's own reason to doubt it"
  ) {
    // 20 users a second, each of whom needs 50 requests of 1 ms: one or two at once
    val slow    = ModelServer(workers = 10, serviceNanos = 1000000)
    var busy    = 0.9
    val self    = (s: SelfFigures) => s.copy(machineCpu = busy)
    val inner   = new ModelDriver(slow, self)
    val program = new ModelProgram(new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: Interval => Boolean): RunResult = {
        busy = if (inner.runs.isEmpty) 0.97 else 0.91
        inner.run(plan, watch)
      }
    })
    assertEquals(
      program.run("ladder", url, "--rows", "75,100", "--csv", file("o.csv").toString),
      0,
      program.err
    )
    val table = program.out.linesIterator.map(_.trim.split(" {2,}").toVector).toVector
    val from  = table.indexWhere(_.headOption.contains("users"))
    assertEquals(table(from).take(3), Vector("users", "at once", "requests"))
    val rows = table.drop(from + 1).filter(_.headOption.exists(Set("75", "100"))).map(_.take(2))
    assertEquals(rows.map(_.head), Vector("75", "100"))
    assert(rows.forall(row => Set("1", "2", "3")(row(1))), rows)
    assert(program.out.contains("100 users, who came at 20/s: at most "), program.out)
    assert(
      "In doubt at 75, 100 users: machine full: .* were 91 to 97 % busy, ".r.findFirstIn(
        program.out
      ).isDefined,
      program.out
    )
  }

  test("a row that lasts some milliseconds, or has few requests, has no verdict, and its figures count") {
    val quick   = ModelServer(workers = 50, serviceNanos = 200000)
    val program = new ModelProgram(new ModelDriver(quick, _.copy(machineCpu = 0.99)))
    assertEquals(
      program.run(
        "ladder",
        url,
        "--rows",
        "10,25",
        "--html",
        file("q.html").toString,
        "--csv",
        file("q.csv").toString
      ),
      0,
      program.err
    )
    def verdict(users: String) =
      program.out.linesIterator.find(_.startsWith(s"$users ")).fold("")(_.split(" {2,}").last)
    assertEquals(verdict("10"), "too short to judge", program.out)
    assert(verdict("25").endsWith("LIMITED"), program.out)
    assert(
      program.out.contains(
        "In doubt at 10 users: too short to judge: 500 requests in 10 ms, and it takes at least 0.9 s and 100 requests."
      ),
      program.out
    )
    assert(!program.out.contains("In doubt at 10, 25 users: machine full"), program.out)
    assert(Files.readString(file("q.html")).contains(">too short to judge</span>"))
    val csv = Files.readString(file("q.csv")).linesIterator.map(_.split(',')).toVector
    assertEquals(csv(1)(csv.head.indexOf("verdict")), "too short to judge")
    val few = new ModelProgram(new ModelDriver(ModelServer(workers = 1, serviceNanos = 100000000)))
    few.run("ladder", url, "--rows", "1", "--requests", "20", "--objective", "p99 < 1 s")
    assert(
      few.out.contains("In doubt at 1 user: too short to judge: 20 requests in 2 s, and it takes at least "),
      few.out
    )
    assert(
      few.out.contains("(p99 < 1 s): 1 user, alone: at most 1 at once, 9.50 good responses/s. The ladder"),
      few.out
    )
  }

  test("where not even the first row holds, its figures are told") {
    val program =
      new ModelProgram(new ModelDriver(ModelServer(workers = 20, serviceNanos = 400000000, errors = 0.3)))
    program.run(
      "ladder",
      url,
      "--rows",
      "10,25",
      "--requests",
      "20",
      "--objective",
      "p99 < 300 ms, errors < 1 %"
    )
    assert(
      "Not even the first row satisfies p99 < 300 ms, errors < 1 %: its p99 is 40[0-9] ms, and its errors are [23][0-9.]+ %\\.".r
        .findFirstIn(program.out).isDefined,
      program.out
    )
    assert(
      "Even in the first row, [23][0-9.]+ % of the requests failed\\.".r.findFirstIn(program.out).isDefined,
      program.out
    )
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
    assert(program.out.contains("errors < 0.1 %): 20 users, who came at 10/s: at most "), program.out)
    assert(program.out.contains("good responses/s. The ladder ends there: it may be more."), program.out)
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
    assert(died.contains("Capacity for latency (p99 < 2 s): 50 users, who came at 16.7/s: "), died)
    assert(died.contains("Capacity for throughput (errors up to 1 %): 50 users, who came at 16.7/s: "), died)
    assert(!died.contains("Interrupted") && !died.contains("The ladder ends there"), died)
  }

  test("a row in the middle that was given up bounds the capacity, though the server came back") {
    val restarted = refusing(Set(2))
    assert(restarted.contains("Given up at 100 users, "), restarted)
    assert(restarted.contains("Capacity for latency (p99 < 2 s): 50 users, who came at 16.7/s: "), restarted)
    assert(
      restarted.contains("Capacity for throughput (errors up to 1 %): 50 users, who came at 16.7/s: "),
      restarted
    )
    assert(!restarted.contains("Interrupted"), restarted)
  }

  test("a row that was given up before the interruption is not taken for the interrupted one") {
    val both = refusing(Set(2), after = 3)
    assert(both.contains("Given up at 100 users, "), both)
    assert(both.contains("Interrupted before the row of 150 users."), both)
    assert(both.contains("Capacity for latency (p99 < 2 s): 50 users, who came at 16.7/s: "), both)
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
    assert(
      program.out.contains(
        "Capacity for throughput (errors up to 1 %): 10 users, who came together: at most 10 at once, "
      ),
      program.out
    )
  }
}
