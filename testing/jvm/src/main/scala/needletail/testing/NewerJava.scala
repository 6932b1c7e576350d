package needletail.testing

import java.io.File
import java.nio.file.Files
import java.util.concurrent.TimeUnit

import scala.io.Source
import scala.util.{Try, Using}

/** Runs suites that need a newer Java than the current one, on one that is installed too. */
object NewerJava {

  /** The `java` of at least that version: this one's, one of a JAVA..._HOME variable, or one in the usual places. */
  def find(atLeast: Int): Option[File] = {
    val named = sys.env.toSeq.collect { case (name, home) if name.matches("JAVA\\d*_HOME") => new File(home) }
    val usual = Option(new File("/usr/lib/jvm").listFiles).toSeq.flatten.sorted
    val homes = new File(sys.props("java.home")) +: (named ++ usual)
    val newest = homes.flatMap(home => version(home).map(_ -> home)).filter(_._1 >= atLeast).sortBy(-_._1)
    newest.headOption.map { case (_, home) => new File(home, "bin/java") }
  }

  private def version(home: File): Option[Int] =
    Using(Source.fromFile(new File(home, "release"))) { release =>
      release.getLines().collectFirst { case NewerJava.release(version) => version.toInt }
    }.toOption.flatten.filter(_ => new File(home, "bin/java").canExecute)

  private val release = """JAVA_VERSION="(\d+).*""".r

  /** Runs suites there. Returns the exit status, 0 if all passed, and the output. At most a minute. */
  def run(java: File, suites: Class[?]*): (Int, String) = {
    val output    = Files.createTempFile("suites", ".txt")
    val arguments =
      Seq(java.getPath, "-cp", ClassPath.of(suites.head.getClassLoader), "org.junit.runner.JUnitCore") ++
        suites.map(_.getName)
    val process = new ProcessBuilder(arguments*)
      .redirectErrorStream(true).redirectOutput(output.toFile).start()
    try {
      val ended  = process.waitFor(60, TimeUnit.SECONDS)
      val status = if (ended) process.exitValue else -1
      (status, Try(new String(Files.readAllBytes(output), "UTF-8")).getOrElse(""))
    } finally {
      process.destroyForcibly()
      Files.delete(output)
    }
  }
}
