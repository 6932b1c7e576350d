package needletail.load.command

import needletail.load.analysis.{ModelDriver, ModelServer}
import needletail.testing.Suite

class RunCommandSuite extends Suite {
  test("a run says what was measured, and ends with 0") {
    val program = new ModelProgram
    val status  = program.run("run", "http://localhost:8080", "--users", "50", "--duration", "5s")
    assertEquals(status, 0, program.err)
    println(program.out); println(program.err)
    assert(program.out.contains("closed model, 50 users"), program.out)
  }
  test("show") {
    val program = new ModelProgram(new ModelDriver(ModelServer(errors = 0.02)), live = true)
    program.run("run", "http://localhost:8080", "--rate", "1200", "--duration", "5s", "--assert", "p99 < 10 ms, errors < 5 %")
    println(program.out); println(program.err)
    val help = new ModelProgram
    for (c <- Seq("run", "characterise", "ladder", "compare", "merge")) help.run(c, "--help")
    help.run("--help")
    help.run("run", "--user", "x")
    help.run("run", "http://a/", "--users", "x", "--assert", "p99 < 10")
    println(help.out); println(help.err)
  }
}
