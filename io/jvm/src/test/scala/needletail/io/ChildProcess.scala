package needletail.io

import java.io.File
import java.util.concurrent.TimeUnit

/** A JVM of its own with our classes, started by a shell so that its limits can be set. */
object ChildProcess {

  /** The command line that runs `main`, with all that `uses` come from; `$0` and quotes do not occur in it. */
  def command(main: String, uses: Class[?]*): String = {
    val classes =
      List[Class[?]](getClass, classOf[EventLoop], classOf[needletail.async.Loop], classOf[Option[?]]) ++ uses
    // Scala 3 has its own library beside that of 2.13, which a class of each finds.
    val more: List[Class[?]] = List("scala.util.NotGiven", "scala.runtime.LazyVals").flatMap { name =>
      try List(Class.forName(name))
      catch { case _: ClassNotFoundException => Nil }
    }
    val path =
      (classes ++ more).map(c => new File(c.getProtectionDomain.getCodeSource.getLocation.toURI).getPath)
    val java = System.getProperty("java.home") + "/bin/java"
    s"exec '$java' -XX:TieredStopAtLevel=1 -Xmx64m -cp '${path.distinct.mkString(":")}' $main"
  }

  def start(script: String): Process =
    new ProcessBuilder("/bin/sh", "-c", script).redirectErrorStream(true).start()

  /** What it printed and its exit status, or None if it is not over after ten seconds. */
  def result(process: Process): Option[(String, Int)] = {
    val output = new String(process.getInputStream.readAllBytes())
    if (process.waitFor(10, TimeUnit.SECONDS)) Some((output, process.exitValue)) else None
  }
}
