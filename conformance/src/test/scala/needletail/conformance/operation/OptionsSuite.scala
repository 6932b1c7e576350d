package needletail.conformance.operation

import scala.concurrent.duration.{Duration, DurationInt}

import needletail.conformance.harness.Program
import needletail.testing.Suite

/** Values of options that are not allowed: the program says what is wrong, and ends with status 2. (STATED) */
class OptionsSuite extends Suite {
  override val munitTimeout: Duration = 120.seconds

  Program.paths.foreach { program =>
    test(s"${program.getFileName}: what is wrong with an option is said in one sentence (STATED)") {
      for (
        (options, problem) <- Seq(
          Seq("--head-timeout", "0s") -> "ServerConfig.headTimeout is ",
          Seq("--body-timeout", "0s") -> "ServerConfig.bodyTimeout is ",
          Seq("--mount", "foo")       -> "mount",
          Seq("--codings", "nothing") -> "nothing",
          Seq(
            "--fastcgi",
            "127.0.0.1:0",
            "--scgi",
            "127.0.0.1:0"
          ) -> "--fastcgi and --scgi cannot be used together"
        )
      ) {
        val (status, lines) = Program.ended(program, Seq("--port", "0") ++ options: _*)
        assertEquals(status, 2, lines)
        assert(
          lines.length == 2 && lines.head.startsWith("reference: ") && lines.head.contains(problem),
          lines
        )
        assertEquals(lines.last, "Try 'reference --help'.")
      }
    }
  }
}
