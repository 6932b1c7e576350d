package needletail.load.engine

import java.io.File
import java.util.concurrent.TimeUnit

/** A JVM of its own with our classes: for what depends on what else its compiler saw, or on where it runs. */
object Child {

  /** The command that runs `main`; quotes do not occur in it. */
  def command(main: String, arguments: String*): Vector[String] = {
    val classes: List[Class[?]] = List(
      getClass,
      classOf[Engine],
      classOf[needletail.async.Loop],
      classOf[needletail.io.EventLoop],
      classOf[needletail.http.Request],
      classOf[needletail.metrics.MetricText],
      classOf[needletail.client.Client],
      classOf[needletail.server.Server],
      classOf[needletail.testing.Suite],
      classOf[org.HdrHistogram.Histogram],
      classOf[munit.FunSuite],
      classOf[Option[?]]
    )
    // Scala 3 has its own library beside that of 2.13, which a class of each finds.
    val more: List[Class[?]] = List("scala.util.NotGiven", "scala.runtime.LazyVals").flatMap { name =>
      try List(Class.forName(name))
      catch { case _: ClassNotFoundException => Nil }
    }
    val path =
      (classes ++ more).map(c =>
        new File(c.getProtectionDomain.getCodeSource.getLocation.toURI).getPath
      ).distinct
    Vector(System.getProperty("java.home") + "/bin/java", "-cp", path.mkString(":"), main) ++ arguments
  }

  /** What it printed and its exit status, which is that of SIGKILL after so many seconds. */
  def run(command: Vector[String], seconds: Long = 25): (String, Int) = {
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    val killer  =
      new Thread(() => if (!process.waitFor(seconds, TimeUnit.SECONDS)) { process.destroyForcibly(); () })
    killer.setDaemon(true)
    killer.start()
    val output = new String(process.getInputStream.readAllBytes())
    (output.trim, process.waitFor())
  }
}
