import sbt._
import sbt.util.Logger

/**
 * No test sleeps: it waits for what it wants to see (`eventually`), or has a clock of its own (`ManualLoop`, a simulated
 * world). What is slow on purpose, such as a client, says so with `Pause`.
 */
object Sleeps {
  private val sleep = """\b(Thread|TimeUnit(\.\w+)?)\s*\.\s*sleep\b""".r

  /** The lines of code that sleep; comments may speak of it. */
  def in(file: File): Seq[Int] = {
    val lines     = IO.readLines(file)
    var isComment = false
    lines.zipWithIndex.flatMap { case (line, i) =>
      val began = isComment || line.trim.startsWith("/*")
      isComment = began && !line.contains("*/")
      if (!began && sleep.findFirstIn(line.replaceAll("//.*", "")).isDefined) Some(i + 1) else None
    }
  }

  /** Counts one test: of all Scala and Java files in folders `src/test` below `root`. */
  def check(root: File, log: Logger): TestCounts = {
    val hidden = new SimpleFileFilter(f => f.getName == "target" || f.getName.startsWith("."))
    val files  = root.descendantsExcept("*.scala" || "*.java", hidden).get
    val wrong  = for {
      file <- files.sortBy(_.getPath)
      path = IO.relativize(root, file).getOrElse(file.getPath)
      if path.contains("src/test/")
      line <- in(file)
    } yield s"$path:$line sleeps: wait for what is to be seen (`eventually`), or use ManualLoop or the simulation; " +
      "what is slow on purpose uses needletail.testing.Pause"
    wrong.foreach(log.error(_))
    if (wrong.isEmpty) TestCounts(1, 0, 0) else TestCounts(0, wrong.size, 0, wrong)
  }
}
