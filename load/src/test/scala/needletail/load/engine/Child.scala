package needletail.load.engine

import java.util.concurrent.TimeUnit

import needletail.testing.ClassPath

/** A JVM of its own with our classes: for what depends on what else its compiler saw, or on where it runs. */
object Child {

  /** The command that runs `main`; quotes do not occur in it. */
  def command(main: String, arguments: String*): Vector[String] =
    Vector(
      System.getProperty("java.home") + "/bin/java",
      "-cp",
      ClassPath.of(getClass.getClassLoader),
      main
    ) ++ arguments

  /** What it printed and its exit status, which is that of SIGKILL after so many seconds. */
  def run(command: Vector[String], seconds: Long = 90): (String, Int) = {
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).start()
    val killer  =
      new Thread(() => if (!process.waitFor(seconds, TimeUnit.SECONDS)) { process.destroyForcibly(); () })
    killer.setDaemon(true)
    killer.start()
    val output = new String(process.getInputStream.readAllBytes())
    (output.trim, process.waitFor())
  }
}
