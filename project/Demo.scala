import sbt._
import scala.collection.JavaConverters._

object Demo {

  /**
   * Runs a program on a JVM of its own until it ends. It shares our terminal, so Ctrl-C reaches it too; and it is
   * stopped when sbt is, however that comes about.
   */
  def run(classpath: Seq[File], mainClass: String, arguments: Seq[String]): Unit = {
    val java    = file(sys.props("java.home")) / "bin" / "java"
    val command = Seq(java.getPath, "-cp", Path.makeString(classpath), mainClass) ++ arguments
    val process = new ProcessBuilder(command.asJava).inheritIO().start()
    val stop    = sys.addShutdownHook(process.destroy())
    try {
      val status = process.waitFor()
      if (status != 0) throw new MessageOnlyException(s"$mainClass ended with status $status")
    } finally {
      process.destroy() // where sbt cancels the task, the program may not have noticed
      process.waitFor()
      scala.util.Try(stop.remove()) // refused while sbt itself is ending
    }
  }
}
