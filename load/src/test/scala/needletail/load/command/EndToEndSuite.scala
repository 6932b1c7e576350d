package needletail.load.command

import java.nio.file.Files
import java.util.concurrent.TimeUnit
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import needletail.http.{Response, Status => HttpStatus}
import needletail.load.engine.{Child, KnownServer, Misbehaving, Serving}
import needletail.load.report.data.ResultDocument
import needletail.load.report.text.Terminal
import needletail.server.RunningServer
import needletail.testing.Suite

/** The program as it is shipped, against servers on this machine: good ones, bad ones, none. */
class EndToEndSuite extends Suite with Serving with ShippedProgram {
  override def munitTimeout: Duration = 2.minutes // a characterisation takes half a minute

  private def url(server: RunningServer): String = s"http://127.0.0.1:${server.port}/"

  test("assertions on a real server pass, and those that cannot hold fail") {
    serving(ok) { server =>
      val good = program(
        "run",
        url(server),
        "--users",
        "2",
        "--requests",
        "200",
        "--assert",
        "errors <= 0 %, max < 10 s"
      )
      // on a machine that is busy otherwise the generator may be late: then it says so, and does not pass
      assert(good.status == 0 || good.out.contains("CLIENT-LIMITED"), good.out + good.err)
      assert(good.out.contains("400 requests: 400 good, 0 bad"), good.out)
      val bad = program("run", url(server), "--users", "2", "--requests", "200", "--assert", "p50 < 1 us")
      assertEquals(bad.status, 1)
      assert(bad.out.contains("FAILED  p50 < 1 us"), bad.out)
    }
  }

  test("failed requests are told apart from slow ones") {
    serving(KnownServer.failing(10)) { server =>
      val ran = program("run", url(server), "--users", "5", "--requests", "100", "--assert", "errors < 1 %")
      assertEquals(ran.status, 1)
      assert(ran.out.contains("450 good, 50 bad (10 %)"), ran.out)
      assert(ran.out.contains("50 with a bad status (500: 50)"), ran.out)
    }
  }

  test("a rate is kept, latency counts from due, and all files are left") {
    serving(KnownServer.delayed(20.millis)) { server =>
      val folder = Files.createTempDirectory("needletail-load")
      val names  = Vector("json", "csv", "html", "hlog", "junit")
      try {
        val files = names.flatMap(name => Vector(s"--$name", folder.resolve(name).toString))
        val ran   = program(Vector("run", url(server), "--rate", "100", "--duration", "2s") ++ files: _*)
        assertEquals(ran.status, 0, ran.err)
        val run = ResultDocument.read(folder.resolve("json")).fold(fail(_), identity).parts.head.run
        assert(math.abs(run.total().requests - 200) <= 2, run.total().requests)
        assert(run.total().response.getMinValue >= 19000000L, run.total().response.getMinValue)
        names.foreach(name => assert(Files.size(folder.resolve(name)) > 100, name))
      } finally {
        names.foreach(name => Files.deleteIfExists(folder.resolve(name)))
        Files.delete(folder)
      }
    }
  }

  test("a ladder is climbed, a small server characterised") {
    serving(KnownServer.limited(300, 20)) { server =>
      val ladder = program("ladder", url(server), "--rows", "5,10", "--requests", "5")
      assertEquals(ladder.status, 0, ladder.err)
      assert(ladder.out.contains("users  at once  requests"), ladder.out)
      val found = program(
        "characterise",
        url(server),
        "--step",
        "1s",
        "--hold",
        "2s",
        "--most-users",
        "32",
        "--connections",
        "200",
        "--objective",
        "p99 < 100 ms, errors < 1 %"
      )
      assertEquals(found.status, 0, found.err)
      assert(found.out.contains("Capacity for latency"), found.out)
      assert(found.out.contains("(503: "), found.out)
    }
  }

  test("a load that only times out comes to an end too, and every request is counted") {
    serving(KnownServer.limited(100, 100000)) { server =>
      val ran = program(
        "run",
        url(server),
        "--rate",
        "3000",
        "--duration",
        "2s",
        "--timeout",
        "500ms",
        "--connections",
        "50"
      )
      assert(ran.out.contains("6,000 requests: "), ran.out + ran.err)
      assert(ran.out.contains(" timed out"), ran.out)
    }
  }

  test("nothing listens: status 2, soon, with a message") {
    val port = {
      val s = new java.net.ServerSocket(0);
      try s.getLocalPort
      finally s.close()
    }
    val started = System.nanoTime()
    val ran     = program("run", s"http://127.0.0.1:$port/", "--users", "2", "--duration", "1h")
    assertEquals(ran.status, 2)
    assert(ran.err.contains("no server is listening at"), ran.err)
    assert(System.nanoTime() - started < 20e9, "it went on in vain")
  }

  test("an unknown host: status 2, with a message") {
    val ran = program("run", "http://no-such-host.invalid/", "--duration", "1h")
    assertEquals(ran.status, 2)
    assert(ran.err.contains("no-such-host.invalid"), ran.err)
    assert(ran.err.contains("has no address"), ran.err)
    // said before the run: one line, and no figures of nothing
    assertEquals((ran.err.linesIterator.size, ran.out), (1, ""))
  }

  test("only wrong statuses, no HTTP, no answer at all: status 2, and what it was") {
    serving(_ => Response(HttpStatus.NotFound)) { server =>
      val ran = program("run", url(server), "--requests", "5")
      assertEquals(ran.status, 2)
      assert(ran.err.contains("the status was 404: 50"), ran.err)
    }
    val garbage = new Misbehaving((caller, _) => { caller.send("SSH-2.0-nothing\r\n\r\n"); caller.close() })
    try {
      val ran = program("run", garbage.url, "--users", "2", "--requests", "2")
      assertEquals(ran.status, 2)
      assert(ran.err.contains("are not valid HTTP (first: "), ran.err)
    } finally garbage.close()
    val silent = new Misbehaving((_, _) => ())
    try {
      val ran = program("run", silent.url, "--users", "2", "--requests", "1", "--timeout", "500ms")
      assertEquals(ran.status, 2)
      assert(ran.err.contains("did not respond completely within 500 ms"), ran.err)
      assertEquals(
        program("ladder", silent.url, "--rows", "2", "--requests", "1", "--timeout", "300ms").status,
        2
      )
      assertEquals(program("characterise", silent.url, "--timeout", "300ms", "--step", "1s").status, 2)
    } finally silent.close()
  }

  test("a scenario runs its kinds; a mistake in it is told with its line") {
    val paths = new AtomicInteger
    serving { request =>
      paths.incrementAndGet()
      if (request.path == "/search") Response.ok("found") else Response.ok("index")
    } { server =>
      val file = Files.createTempFile("needletail", ".yaml")
      try {
        Files.writeString(file, EndToEndSuite.scenario(url(server)))
        val ran = program("run", file.toString, "--assert", "search: errors <= 0 %")
        assertEquals(ran.status, 0, ran.out + ran.err)
        assert(ran.out.contains("search"), ran.out)
        assert(paths.get > 0)
        Files.writeString(file, "target: http://127.0.0.1:1\n" + EndToEndSuite.scenario("/"))
        val elsewhere = program("run", file.toString, "--target", url(server), "--assert", "errors <= 0 %")
        assertEquals(elsewhere.status, 0, elsewhere.out + elsewhere.err)
        val both = program("run", url(server), "--target", url(server))
        assertEquals(
          (both.status, both.err.contains("--target is only for scenario files")),
          (2, true),
          both.err
        )
        Files.writeString(file, EndToEndSuite.scenario(url(server)).replace("kinds:", "kind:"))
        val wrong = program("run", file.toString)
        assertEquals(wrong.status, 2)
        assert(wrong.err.contains(s"${file.getFileName}:3:1: "), wrong.err)
      } finally Files.delete(file)
    }
  }

  test("when the ports run out, the report says so, and an assertion does not pass") {
    assume(
      EndToEndSuite.ownNetwork("true").isPossible,
      "a network of its own (unshare --net) is not permitted here"
    )
    val program =
      Child.command("needletail.load.command.PortsRunOut").map(part => s"'$part'").mkString(" ")
    val (output, status) = Child.run(EndToEndSuite.ownNetwork(s"exec $program").command)
    assertEquals(status, 1, output)
    assert(output.contains("Verdict: CLIENT-LIMITED"), output)
    assert(output.contains("no free port: "), output)
    assert(
      output.contains("keeps its local port for 60 s (TIME_WAIT), and 200 ports allow 3 new connections"),
      output
    )
    assert(output.contains("it says nothing about the server"), output)
  }

  test("Ctrl-C ends a run with a report of what was measured, and its files") {
    serving(ok) { server =>
      val json    = Files.createTempFile("needletail", ".json")
      val command =
        EndToEndSuite.command("run", url(server), "--rate", "50", "--duration", "1h", "--json", json.toString)
      val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
      try {
        val lines = scala.io.Source.fromInputStream(process.getInputStream, "UTF-8").getLines()
        val seen  = lines.takeWhile(!_.contains("run    2.0 s")).toVector // two seconds were measured
        new ProcessBuilder("kill", "-INT", process.pid.toString).start().waitFor()
        val rest = lines.toVector
        assert(process.waitFor(20, TimeUnit.SECONDS), "it did not end")
        assertEquals(process.exitValue, 130, (seen ++ rest).mkString("\n"))
        assert(rest.exists(_.contains("Verdict:")), rest.mkString("\n"))
        val run = ResultDocument.read(json).fold(fail(_), identity).parts.head.run
        assert(
          run.total().good >= 90 && run.loadMillis < 20000,
          s"${run.total().good} in ${run.loadMillis} ms"
        )
      } finally {
        process.destroyForcibly()
        Files.delete(json)
      }
    }
  }

  test("Ctrl-C twice ends it at once, whatever it waits for") {
    val server  = new Misbehaving((_, _) => ()) // never answers
    val command =
      EndToEndSuite.command("run", server.url, "--users", "1", "--timeout", "50s", "--duration", "1h")
    val process  = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    def signal() = new ProcessBuilder("kill", "-INT", process.pid.toString).start().waitFor()
    try {
      val lines = scala.io.Source.fromInputStream(process.getInputStream, "UTF-8").getLines()
      lines.find(_.contains("run    1.0 s"))
      signal()
      assert(!process.waitFor(500, TimeUnit.MILLISECONDS), "it waited for nothing")
      signal()
      assert(process.waitFor(20, TimeUnit.SECONDS), "it did not end")
      assertEquals(process.exitValue, 130)
    } finally {
      process.destroyForcibly()
      server.close()
    }
  }
}

object EndToEndSuite {

  /** The program in a process of its own, which Ctrl-C ends. */
  def command(arguments: String*): Vector[String] =
    heedful ++ Child.command("needletail.load.Main", arguments: _*)

  /** A script in a network of its own, which has no more than 200 local ports: only administrators can make one. */
  def ownNetwork(script: String): Script = new Script(
    "ip link set lo up && echo '40000 40199' > /proc/sys/net/ipv4/ip_local_port_range && " +
      s"echo 0 > /proc/sys/net/ipv4/tcp_tw_reuse && $script"
  )

  final class Script(text: String) {
    val command: Vector[String] = Vector("unshare", "--net", "sh", "-c", text)

    def isPossible: Boolean =
      scala.util.Try(
        new ProcessBuilder(command: _*).redirectErrorStream(true).start().waitFor()
      ).toOption.contains(0)
  }

  /** A program that a script started in the background ignores Ctrl-C, and so do all that it starts: not this one. */
  private val heedful: Vector[String] = {
    val env = Vector("env", "--default-signal=INT")
    if (scala.util.Try(new ProcessBuilder(env :+ "true": _*).start().waitFor()).toOption.contains(0)) env
    else Vector.empty
  }

  def scenario(url: String): String =
    s"""name: two kinds
       |users: {count: 4, requests: 20}
       |kinds:
       |  - name: index
       |    requests:
       |      - get: $url
       |  - name: search
       |    requests:
       |      - get: ${url}search
       |""".stripMargin
}

/** Asks a server that keeps its connections on a new one each time, faster than ports become free again. */
object PortsRunOut {
  def main(arguments: Array[String]): Unit = {
    val server   = new Misbehaving((caller, _) => caller.answer())
    val terminal = new Terminal(System.out, System.out, false, 100)
    val status   = new Program(new EngineLoadGenerator, terminal, new Interruption)
      .run(Vector(
        "run",
        server.url,
        "--rate",
        "400",
        "--duration",
        "2s",
        "--no-keep-alive",
        "--assert",
        "p99 < 10 s"
      ))
    server.close()
    sys.exit(status)
  }
}
