package needletail.conformance.operation

import java.util.concurrent.TimeUnit

import scala.concurrent.duration.DurationInt
import scala.io.Source

import needletail.conformance.harness.Program
import needletail.testing.Suite

/** What `deploy/` ships, tried by its own script as far as that goes without a container engine. */
class DeploySuite extends Suite {
  override val munitTimeout: scala.concurrent.duration.Duration = 120.seconds

  Program.paths.filter(_.getFileName.toString.endsWith("-native")).foreach { path =>
    test(s"deploy/try ${path.getFileName}") {
      val process = new ProcessBuilder(
        Program.buildRoot.resolve("deploy/try").toAbsolutePath.toString,
        path.toAbsolutePath.toString
      ).redirectErrorStream(true).start()
      val lines = Source.fromInputStream(process.getInputStream, "UTF-8").getLines().toList
      assert(process.waitFor(100, TimeUnit.SECONDS), "it does not end")
      lines.filter(_.startsWith("skipped: ")).foreach(line => System.err.println(s"deploy/try: $line"))
      assertEquals((process.exitValue, lines.filter(_.startsWith("FAILED"))), (0, Nil), lines.mkString("\n"))
      assert(lines.exists(_.startsWith("ok: ")), lines.mkString("\n"))
    }
  }
}
