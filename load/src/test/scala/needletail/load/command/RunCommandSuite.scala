package needletail.load.command

import java.nio.file.{Files, Path}

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.load.command.options.CommandLine
import needletail.load.plan.{Kind, Load, LoadPlan, Pause, RequestTemplate}
import needletail.testing.{Suite, TemporaryDirectories}

/** `run` against a model: what it says, the files it leaves, the status it ends with. */
class RunCommandSuite extends Suite with TemporaryDirectories {
  private val url = "http://localhost:8080"

  private def inFolder[A](body: Path => A): A = body(temporaryDirectory())

  test("users for a time: figures, verdict, and status 0") {
    val program = new ModelProgram
    assertEquals(program.run("run", url, "--users", "50", "--duration", "5s", "--ramp", "1s"), 0, program.err)
    assert(program.out.contains("closed model, 50 users"), program.out)
    assert(program.out.contains("Verdict: SERVER-LIMITED"), program.out)
    assert(program.out.contains("Little's law holds"), program.out)
    assert(program.err.contains("run    1.0 s"), program.err)
  }

  test("the plan is what the options say") {
    val model   = new ModelDriver(ModelServer())
    val program = new ModelProgram(model)
    val status  = program.run(
      "run",
      "localhost:8080?a=b",
      "--rate",
      "100",
      "--duration",
      "2s",
      "--ramp",
      "1s",
      "--poisson",
      "--connections",
      "7",
      "--timeout",
      "3s",
      "--connect-timeout",
      "300ms",
      "--header",
      "A: b",
      "--header",
      "C:d",
      "--body",
      "text",
      "--no-keep-alive",
      "--pipelining",
      "4",
      "--loops",
      "2",
      "--source",
      "127.0.0.2,127.0.0.3"
    )
    assertEquals(status, 0, program.err)
    val plan = model.runs.head
    assertEquals(
      plan.kinds.head.requests,
      Vector(
        RequestTemplate("POST", "http://localhost:8080/?a=b", Vector("A" -> "b", "C" -> "d"), Some("text"))
      )
    )
    import scala.concurrent.duration._
    assertEquals(
      plan.load,
      Load.Open(
        Vector(Load.Step(0, 100, 1.second), Load.Step(100, 100, 2.seconds)),
        poisson = true,
        connections = 7
      ): Load
    )
    assertEquals(plan.timeout, 3.seconds)
    assertEquals(plan.connectTimeout, 300.millis)
    assertEquals((plan.keepAlive, plan.pipelining, plan.loops), (false, 4, 2))
    assertEquals(plan.sources, Vector("127.0.0.2", "127.0.0.3"))
  }

  test("a URL without a path gets one before its query, which may have question marks") {
    for (
      (typed, url) <-
        Seq("a:1?b=c?d" -> "http://a:1/?b=c?d", "http://a?" -> "http://a/?", "a:1" -> "http://a:1/")
    ) {
      val model = new ModelDriver(ModelServer())
      assertEquals(new ModelProgram(model).run("run", typed, "--users", "1", "--requests", "1"), 0)
      assertEquals(model.runs.head.kinds.head.requests.map(_.url), Vector(url))
    }
  }

  test("assertions pass and fail, with status 1, and say why") {
    val program = new ModelProgram(new ModelDriver(ModelServer(errors = 0.02)))
    val status  = program.run(
      "run",
      url,
      "--rate",
      "500",
      "--duration",
      "5s",
      "--assert",
      "p99 < 50 ms, errors < 5 %",
      "--assert",
      "errors < 0.1 %"
    )
    assertEquals(status, 1)
    assert(program.out.contains("passed  p99 < 50 ms"), program.out)
    assert(program.out.contains("FAILED  errors < 0.1 %"), program.out)
    assertEquals(new ModelProgram().run("run", url, "--rate", "500", "--assert", "p99 < 50 ms"), 0)
  }

  test("an assertion on a figure that the generator limits fails") {
    val program = new ModelProgram(new ModelDriver(ModelServer(), _.copy(busiestLoop = 1)))
    assertEquals(program.run("run", url, "--assert", "p99 < 1 s"), 1)
    assert(program.out.contains("it says nothing about the server: CLIENT-LIMITED"), program.out)
  }

  test("every file is left") {
    inFolder { folder =>
      val names = Vector("json", "csv", "html", "hlog", "junit")
      val files = names.flatMap(name => Vector(s"--$name", folder.resolve(s"a.$name").toString))
      assertEquals(new ModelProgram().run(Vector("run", url, "--duration", "3s") ++ files: _*), 0)
      names.foreach(name => assert(Files.size(folder.resolve(s"a.$name")) > 100, name))
    }
  }

  test("a file that cannot be written is told of before the run, and nothing is run") {
    val model = new ModelDriver(ModelServer())
    inFolder { folder =>
      val there   = Files.writeString(folder.resolve("kept"), "kept")
      val program = new ModelProgram(model)
      assertEquals(program.run("run", url, "--json", there.toString, "--csv", s"$folder/none/a.csv"), 2)
      assert(program.err.contains("no such file or directory"), program.err)
      assertEquals(Files.readString(there), "kept")
      assertEquals(new ModelProgram(model).run("run", url, "--json", folder.toString), 2)
      val same = folder.resolve("same").toString
      assertEquals(new ModelProgram(model).run("run", url, "--json", same, "--csv", same), 2)
      assert(!Files.exists(folder.resolve("same")))
      // by another name
      Files.createSymbolicLink(folder.resolve("link"), folder.resolve("kept"))
      assertEquals(
        new ModelProgram(model).run("run", url, "--json", there.toString, "--csv", s"$folder/link"),
        2
      )
      // what is read would be lost
      val over = new ModelProgram(model)
      assertEquals(over.run("merge", there.toString, "--json", s"$folder/link"), 2)
      assert(over.err.contains("it is an input file"), over.err)
      val scenario = new ModelProgram(model)
      assertEquals(scenario.run("run", there.toString, "--html", there.toString), 2)
      assertEquals(Files.readString(there), "kept")
    }
    assertEquals(model.runs.size, 0)
  }

  test("wrong usage is told, with status 2, and nothing is run") {
    val model                                        = new ModelDriver(ModelServer())
    def told(text: String)(arguments: String*): Unit = {
      val program = new ModelProgram(model)
      assertEquals(program.run(arguments: _*), 2, arguments.mkString(" "))
      assert(program.err.contains(text), program.err)
      assertEquals(program.out, "")
    }
    told("Usage")()
    told("unknown command walk")("walk")
    told("Missing argument")("run")
    told("A.json B.json: 2 are required")("compare", "one.json")
    told("Unknown option")("run", url, "--user", "3")
    told("\"0\" is not a whole number from 1")("run", url, "--users", "0")
    told("--user; did you mean --users?")("run", url, "--user", "3")
    told("--duraton; did you mean --duration?")("run", url, "--duraton", "3s")
    told("unknown command rnu; did you mean run?")("rnu", url)
    told("it must be more than 0")("run", url, "--duration", "0s")
    told("5 has no unit")("run", url, "--duration", "5")
    told("exclude each other")("run", url, "--rate", "5", "--users", "5")
    told("needs a --rate")("run", url, "--poisson")
    told("--requests and --duration exclude each other")("run", url, "--requests", "5", "--duration", "5s")
    told("it has no unit")("run", url, "--assert", "p99 < 5")
    told("there is no kind of requests 'search'")("run", url, "--assert", "search: p99 < 5 s")
    told("only http://")("run", "ftp://localhost/")
    told("names as xn--")("run", "http://b\u00fccher.example/")
    told("names no host")("run", "http:///path")
    told("is not a URL")("run", "http://local host/")
    told("a URL must not contain credentials")("run", "http://me:secret@localhost/")
    told("\"99\" is not a status code")("run", url, "--good-statuses", "200,99")
    told("there is no port 70000")("run", "http://localhost:70000/")
    told("is not a header")("run", url, "--header", "nothing")
    told("has a line break")("run", url, "--header", "a: b\r\nc: d")
    told("cannot read")("run", url, "--body", "@/no/such/file")
    told("cannot read /dev/zero: it is larger than")("run", url, "--body", "@/dev/zero")
    told("cannot read /dev/zero: it is larger than")("compare", "/dev/zero", "/dev/zero")
    told("there is no name of a file after @")("run", url, "--body", "@")
    told("there is none")("run", "shop.yaml")
    assertEquals(model.runs.size, 0)
  }

  test("the value of an unknown option is no mistake of its own") {
    val program = new ModelProgram
    assertEquals(program.run("run", url, "--usres", "5"), 2)
    assertEquals(
      program.err.linesIterator.toVector,
      Vector(
        "needletail-load run: Unknown option --usres; did you mean --users?",
        "See needletail-load run --help."
      )
    )
    val far = new ModelProgram
    assertEquals(far.run("run", url, "--quick"), 2)
    assert(!far.err.contains("did you mean"), far.err)
  }

  test("Connection: close is no keep-alive, as elsewhere") {
    val model = new ModelDriver(ModelServer())
    assertEquals(
      new ModelProgram(model).run("run", url, "--duration", "1s", "--header", "connection: Close"),
      0
    )
    assertEquals(model.runs.head.keepAlive, false)
  }

  test("a scheme is of no case, and which statuses are good can be said") {
    val model = new ModelDriver(ModelServer())
    val url   = "HTTP://localhost:8080/a"
    assertEquals(
      new ModelProgram(model).run("run", url, "--duration", "1s", "--good-statuses", "201, 204"),
      0
    )
    assertEquals(model.runs.head.kinds.head.requests.head.url, "http://localhost:8080/a")
    assertEquals(model.runs.head.goodStatuses, Set(201, 204))
  }

  test("help and version go to standard output, with status 0") {
    for (command <- CommandLine.commands.map(_._1)) {
      val program = new ModelProgram
      assertEquals(program.run(command, "--help"), 0)
      assert(program.out.contains(s"needletail-load $command"), program.out)
      assertEquals(program.err, "")
    }
    val program = new ModelProgram
    assertEquals(program.run("--version"), 0)
    assert(program.out.startsWith("needletail-load "), program.out)
  }

  test("a run without one good response ends with status 2 and the reason") {
    val program = new ModelProgram(new ModelDriver(ModelServer(errors = 1)))
    assertEquals(program.run("run", url, "--duration", "3s"), 2)
    assert(program.err.contains("no request succeeded: the status was 500"), program.err)
    // there are no figures, and nothing of which one could say whose limit it is
    assert(!program.out.contains("p50") && !program.out.contains("SERVER-LIMITED"), program.out)
    assert(program.out.contains("no good response: nothing to judge"), program.out)
  }

  test("users who pause for most of the time ask for a rate: the server is not its limit") {
    val paused = new ModelProgram
    assertEquals(paused.run("run", url, "--users", "1", "--duration", "5s", "--pause", "200ms"), 0)
    assert(
      paused.out.linesIterator.exists(l => l.startsWith("rate") && l.endsWith("LOAD-LIMITED")),
      paused.out
    )
    assert(paused.out.contains("the server may be able to do more"), paused.out)
    assert(paused.out.contains("closed model, 1 user,"), paused.out)
    val busy = new ModelProgram
    busy.run("run", url, "--users", "5", "--duration", "5s")
    assert(busy.out.linesIterator.exists(l => l.startsWith("rate") && l.endsWith("SERVER-LIMITED")), busy.out)
  }

  test("warnings of the machine come first, a warm-up is not measured, repetitions are told apart") {
    val model   = new ModelDriver(ModelServer())
    val program = new ModelProgram(model, warnings = Vector("few ports"))
    assertEquals(program.run("run", url, "--duration", "2s", "--warm-up", "1s", "--repeat", "3"), 0)
    assert(program.err.startsWith("Warning: few ports"), program.err)
    assertEquals(model.runs.size, 4)
    assert(program.out.contains("run 3 of 3:"), program.out)
  }

  test("an interruption ends the run, with a report of what was measured") {
    val interruption = new Interruption
    val inner        = new ModelDriver(ModelServer())
    val model        = new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: needletail.load.result.Interval => Boolean) =
        inner.run(plan, i => { if (i.startMillis >= 2000) interruption.interrupt(); watch(i) })
    }
    val program = new ModelProgram(model, interruption = interruption)
    program.run("run", url, "--duration", "1h")
    assert(program.out.contains("closed model, 10 users, 3 s"), program.out)
  }

  test("a run without a connection is given up after three seconds, however many intervals these are") {
    val inner  = new ModelDriver(ModelServer(refuses = true))
    var lasted = 0L
    val model  = new needletail.load.engine.LoadRunner {
      def run(plan: LoadPlan, watch: needletail.load.result.Interval => Boolean) =
        inner.run(plan, i => { val goOn = watch(i); if (goOn) lasted = i.startMillis + i.lengthMillis; goOn })
    }
    new ModelProgram(model).run("run", url, "--duration", "1h", "--ramp", "300ms")
    assertEquals(lasted, 2000L, "with what followed, three seconds")
  }

  test("a scenario is run, and the command line may say another load") {
    val model    = new ModelDriver(ModelServer())
    val scenario = LoadPlan(
      "the shop",
      Vector("index", "search").map(name => Kind(name, Vector(RequestTemplate("GET", s"$url/$name")))),
      Load.Closed(4, Some(5), None)
    )
    val program = new ModelProgram(model, _ => Right(scenario))
    assertEquals(program.run("run", "shop.yaml", "--assert", "search: p99 < 1 s"), 0, program.err)
    assert(program.out.contains("the shop"), program.out)
    assert(program.out.contains("kind"), program.out)
    assertEquals(new ModelProgram(model, _ => Right(scenario)).run("run", "shop.yaml", "--rate", "50"), 0)
    assert(model.runs.last.load.isInstanceOf[Load.Open])
    assertEquals(model.runs.last.kinds.size, 2)
    // another number of users: they pause as before, and are shared as before
    val paused = scenario.copy(
      load =
        Load.Closed(0, Some(5), None, pause = Pause.Constant(scala.concurrent.duration.Duration(20, "ms"))),
      kinds = scenario.kinds.zip(Vector(30, 10)).map { case (kind, n) => kind.copy(users = Some(n)) }
    )
    assertEquals(new ModelProgram(model, _ => Right(paused)).run("run", "shop.yaml"), 0)
    assertEquals(model.runs.last, paused)
    assertEquals(
      new ModelProgram(model, _ => Right(paused)).run("run", "shop.yaml", "--users", "8", "--requests", "3"),
      0
    )
    model.runs.last.load match {
      case load: Load.Closed =>
        assertEquals((load.users, load.pause), (8, paused.load.asInstanceOf[Load.Closed].pause))
      case other => fail(s"not expected: $other")
    }
    assertEquals(model.runs.last.kinds.map(k => (k.users, k.weight)), Vector((None, 30.0), (None, 10.0)))
  }
}
