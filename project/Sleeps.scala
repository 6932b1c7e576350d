import scala.util.matching.Regex

import sbt._
import sbt.util.Logger

/**
 * No test sleeps: it waits for what it wants to see (`eventually`), or has a clock of its own (`ManualLoop`, a simulated
 * world). What is slow on purpose, such as a client, says so with `Pause`.
 */
object Sleeps {
  private val sleep = Seq(
    """\b(Thread|((NANO|MICRO|MILLI)?SECONDS|MINUTES|HOURS|DAYS))(\s*\.\s*|\s+)sleep\b""",
    """\bpark(Nanos|Until)\b""",
    """\bimport\b.*\bThread\s*\.\s*(_|\*|sleep\b|\{.*\bsleep\b)"""
  ).mkString("|").r

  /** Texts, in which nothing begins a comment, and comments. */
  private val textOrComment = Seq(
    "\"\"\"[\\s\\S]*?\"\"\"",
    """"[^"\\\n]*(\\.[^"\\\n]*)*"""",
    """'(\\.|[^'\\\n])'""",
    """//.*""",
    """/\*[\s\S]*?(\*/|\z)"""
  ).mkString("|").r

  /** The lines of code that sleep; comments may speak of it. */
  def in(source: String): Seq[Int] = {
    val code = textOrComment.replaceAllIn(
      source,
      found =>
        if (found.matched.startsWith("/")) "\n" * found.matched.count(_ == '\n') // lines stay where they are
        else Regex.quoteReplacement(found.matched)
    )
    sleep.findAllMatchIn(code).map(found => code.take(found.start).count(_ == '\n') + 1).toSeq.distinct
  }

  /** Counts one test: of all Scala and Java files in folders `src/test` below `root`. */
  def check(root: File, log: Logger): TestCounts = {
    val hidden = new SimpleFileFilter(f => f.getName == "target" || f.getName.startsWith("."))
    val files  = root.descendantsExcept("*.scala" || "*.java", hidden).get
    val wrong  = for {
      file <- files.sortBy(_.getPath)
      path = IO.relativize(root, file).getOrElse(file.getPath)
      if path.contains("src/test/")
      line <- in(IO.read(file))
    } yield s"$path:$line sleeps: wait for what is to be seen (`eventually`), or use ManualLoop or the simulation; " +
      "what is slow on purpose uses needletail.testing.Pause"
    wrong.foreach(log.error(_))
    if (wrong.isEmpty) TestCounts(1, 0, 0) else TestCounts(0, wrong.size, 0, wrong)
  }
}
