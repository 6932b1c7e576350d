import java.io.File
import java.util.concurrent.TimeUnit

import scala.collection.mutable.ArrayBuffer
import scala.sys.process.{Process, ProcessLogger}
import scala.util.Try

import sbt._

/**
 * Mutation testing of the simulation (docs/testing.md): each `simulation/mutants/NAME.patch` removes one fix from the
 * code, and the first seed is looked for that finds it.
 */
object Mutants {

  /**
   * A patch and what its head says. The head is lines of a name, a colon and a value, up to an empty line.
   *
   * @param removed   what it takes out of the code, in Markdown
   * @param options   of the simulation: which seeds are run, all by default
   * @param most      how many simulations are run at most
   * @param elsewhere what finds it where no seed does; empty if one has to
   */
  final case class Mutant(
      name: String,
      patch: File,
      removed: String,
      options: Seq[String],
      most: Long,
      isNative: Boolean,
      elsewhere: String
  )

  /** What came of a mutant: the first seed with a finding, and what it found; or no seed. */
  final case class Result(seed: Option[Long], finding: String)

  private val Fields = Set("Removed", "Seeds", "Most", "Platform", "Elsewhere")
  private val Found  = """seed (\d+): (.*)""".r

  def all(root: File): Seq[Mutant] =
    (root / "simulation" / "mutants" * "*.patch").get.sortBy(_.getName).map(read)

  def read(patch: File): Mutant = {
    def wrong(why: String) = throw new MessageOnlyException(s"${patch.getName}: $why")
    val head               = IO.readLines(patch).takeWhile(_.nonEmpty).map { line =>
      val colon = line.indexOf(": ")
      if (colon < 0 || !Fields(line.take(colon))) wrong(s"unknown line in its head: $line")
      line.take(colon) -> line.drop(colon + 2).trim
    }.toMap
    val platform = head.getOrElse("Platform", "jvm")
    if (platform != "jvm" && platform != "native") wrong(s"unknown platform $platform")
    Mutant(
      patch.getName.stripSuffix(".patch"),
      patch,
      head.getOrElse("Removed", wrong("its head does not say what it removes")),
      head.get("Seeds").toSeq.flatMap(_.split(" +")),
      head.get(
        "Most"
      ).map(most => Try(most.toLong).getOrElse(wrong(s"not a number: $most"))).getOrElse(20000L),
      platform == "native",
      head.getOrElse("Elsewhere", "")
    )
  }

  /** Checks that each mutant has its row, and can be applied to the code in `root`. */
  def check(root: File, log: Logger): TestCounts = checkTable(root, log) + checkPatches(root, log)

  /** The table in docs/testing.md has a row for each mutant, and no other. */
  private def checkTable(root: File, log: Logger): TestCounts = {
    val every   = all(root)
    val rows    = rowsOf(root / "docs" / "testing.md")
    val without = every.filterNot(mutant => rows.exists(_.startsWith(label(mutant)))).map(_.name).map(name =>
      s"$name has no row in docs/testing.md, which `./test simulate --mutants --write $name` adds"
    )
    val left = rows.filterNot(row => every.exists(mutant => row.startsWith(label(mutant)))).map(row =>
      s"a row of docs/testing.md belongs to no patch in simulation/mutants: $row"
    )
    val twice = rows.diff(rows.distinct).map(row => s"a row of docs/testing.md is there twice: $row")
    val wrong = without ++ left ++ twice
    wrong.foreach(log.error(_))
    if (wrong.isEmpty) TestCounts(1, 0, 0) else TestCounts(0, wrong.size, 0, wrong)
  }

  /** Skipped, by name, where there is no git. */
  private def checkPatches(root: File, log: Logger): TestCounts = if (!hasGit) {
    log.warn("SKIPPED: whether the patches in simulation/mutants apply to the code, as git is missing")
    TestCounts(0, 0, 1)
  } else
    all(root).map { mutant =>
      patch(root, mutant, "--check") match {
        case None      => TestCounts(1, 0, 0)
        case Some(why) =>
          val wrong = s"simulation/mutants/${mutant.patch.getName} does not apply to the code: $why"
          log.error(wrong)
          TestCounts(0, 1, 0, Seq(wrong))
      }
    }.foldLeft(TestCounts(0, 0, 0))(_ + _)

  private def hasGit: Boolean =
    Try(Process(Seq("git", "--version")).!(ProcessLogger(_ => ())) == 0).getOrElse(false)

  /** Applies a patch to the code in `root`. Some is why that failed: then nothing has been changed. */
  def patch(root: File, mutant: Mutant, options: String*): Option[String] = {
    val said = ArrayBuffer.empty[String]
    // a copy of the code below another checkout is none of its folders
    val git = Process(
      Seq("git", "apply") ++ options :+ mutant.patch.getPath,
      root,
      "GIT_CEILING_DIRECTORIES" -> root.getParent
    )
    val status = git.!(ProcessLogger(said += _))
    if (status == 0) None else Some(said.headOption.getOrElse(s"git apply ended with status $status"))
  }

  /** Runs simulations in a process of its own until one has a finding. Left is why it told nothing. */
  def simulate(program: Seq[String], options: Seq[String], most: Long, log: File): Either[String, Result] = {
    val command = program ++ Seq("--first", "--seeds", most.toString) ++ options
    val process = new ProcessBuilder(command: _*).redirectErrorStream(true).redirectOutput(log).start()
    val stop    = sys.addShutdownHook(process.destroyForcibly())
    try
      if (!process.waitFor(Minutes, TimeUnit.MINUTES))
        Left(s"no end within $Minutes minutes, see $log")
      else
        IO.readLines(log).collectFirst { case Found(seed, finding) =>
          Result(Some(seed.toLong), short(finding))
        } match {
          case Some(found)                      => Right(found)
          case None if process.exitValue() == 0 => Right(Result(None, ""))
          case None                             => Left(s"status ${process.exitValue()}, see $log")
        }
    finally {
      process.destroyForcibly()
      process.waitFor()
      Try(stop.remove()) // refused while sbt itself is ending
    }
  }

  /** For a run of all seeds beside other work. */
  private final val Minutes = 15

  /** What runs simulations on the JVM. */
  def onJvm(classpath: Seq[File]): Seq[String] = {
    val java = file(sys.props("java.home")) / "bin" / "java"
    Seq(java.getPath, "-Xmx1g", "-Xss8m", "-XX:+ExitOnOutOfMemoryError", "-cp", Path.makeString(classpath)) :+
      "needletail.simulation.Main"
  }

  /**
   * Applies each mutant to the code in `root`, compiles it, runs it, takes it back, and says its result. Returns the
   * names of mutants that should have been found and were not, or could not be run.
   *
   * @param program compiles the code as it is now, for the JVM or natively, and returns what runs simulations
   * @param keep    told each result
   */
  def run(
      root: File,
      logs: File,
      mutants: Seq[Mutant],
      program: Boolean => Either[String, Seq[String]],
      keep: (Mutant, Result) => Unit
  ): Seq[String] = {
    IO.createDirectory(logs)
    println(s"unchanged: ${Untouched} simulations")
    program(false).flatMap(simulate(_, Nil, Untouched, logs / "unchanged")) match {
      case Right(Result(None, _)) => ()
      case other => throw new MessageOnlyException(s"the code as it is does not pass: $other")
    }
    mutants.flatMap { mutant =>
      val began   = System.nanoTime
      val outcome =
        patch(root, mutant) match {
          case Some(why) => Left(s"does not apply: $why")
          case None      =>
            try program(mutant.isNative).flatMap(simulate(_, mutant.options, mutant.most, logs / mutant.name))
            finally patch(root, mutant, "-R").foreach(why =>
                throw new MessageOnlyException(s"${mutant.name} could not be taken back: $why")
              )
        }
      val said = outcome match {
        case Left(why)                            => s"FAILED, $why"
        case Right(Result(Some(seed), finding))   => s"seed $seed: $finding"
        case Right(_) if mutant.elsewhere.isEmpty => s"FAILED, no seed of ${mutant.most} finds it"
        case Right(_)                             => "no seed"
      }
      println(f"${mutant.name}: $said (${(System.nanoTime - began) / 1e9}%.0f s)")
      outcome.foreach(keep(mutant, _))
      if (said.startsWith("FAILED")) Some(mutant.name) else None
    }
  }

  private final val Untouched = 300L

  /** What a row of the table in docs/testing.md begins with. */
  private def label(mutant: Mutant): String = {
    val seeds = if (mutant.options.isEmpty) "" else s" (`${mutant.options.mkString(" ")}`)"
    s"| ${mutant.removed}$seeds | "
  }

  /** A row of that table. */
  def row(mutant: Mutant, result: Result): String = {
    val seed    = result.seed.map(_.toString).getOrElse("none")
    val range   = if (mutant.options.isEmpty && mutant.most == 20000) "" else s" in ${mutant.most}"
    val outcome = result.seed match {
      case Some(_) => result.finding.replace("|", "\\|")
      case None    => (s"nothing$range" +: Seq(mutant.elsewhere).filter(_.nonEmpty)).mkString(". ")
    }
    s"${label(mutant)}$seed | $outcome |"
  }

  /** The rows of `every` mutant that has one: in `before`, or of `result`, which replaces that of `mutant`. */
  def table(every: Seq[Mutant], before: Seq[String], mutant: Mutant, result: Result): Seq[String] =
    every.flatMap {
      case `mutant` => Some(row(mutant, result))
      case other    => before.find(_.startsWith(label(other)))
    }

  /** The lines before, between and after the two markers in `document`. */
  private def parts(document: File): (Seq[String], Seq[String], Seq[String]) = {
    val lines        = IO.readLines(document)
    val (begin, end) = (lines.indexOf("<!-- mutants -->"), lines.indexOf("<!-- /mutants -->"))
    if (begin < 0 || end < begin)
      throw new MessageOnlyException(s"$document has no lines <!-- mutants --> … <!-- /mutants -->")
    (lines.take(begin + 1), lines.slice(begin + 1, end), lines.drop(end))
  }

  /** The rows of the table in `document`. */
  def rowsOf(document: File): Seq[String] = parts(document)._2.drop(2)

  /** Replaces the table in `document`. */
  def write(document: File, rows: Seq[String]): Unit = {
    val (before, _, after) = parts(document)
    val columns            = Seq("| removed fix | first seed | output of the run |", "|---|---|---|")
    IO.writeLines(document, before ++ columns ++ rows ++ after)
  }

  /** The first words of a finding. */
  def short(finding: String): String = {
    val first = finding.split("; ").head.replaceAll("\\s+", " ").trim
    if (first.length <= Most) first else first.take(Most).reverse.dropWhile(_ != ' ').reverse.trim + " …"
  }

  private final val Most = 140

  /**
   * `mutants [--write] [NAME ...]`, in a copy of the checkout that `simulation/run` has made in target/mutants: runs those
   * named, which may contain `*`, or all; with `--write` their rows in the table of docs/testing.md are replaced.
   */
  def command(classpath: TaskKey[Seq[Attributed[File]]], link: TaskKey[File]): Command =
    Command.args("mutants", "[--write] [NAME ...]") { (state, words) =>
      val root = Project.extract(state).get(LocalRootProject / Keys.baseDirectory)
      val home = root.getParentFile
      if (home.getName != "mutants")
        throw new MessageOnlyException("mutants are run by ./test simulate --mutants")
      val (options, names) = words.partition(_.startsWith("--"))
      options.filter(_ != "--write").foreach(option =>
        throw new MessageOnlyException(s"unknown option $option")
      )
      val every  = all(root)
      val wanted = names.flatMap { name =>
        val chosen = every.filter(mutant =>
          mutant.name.matches(name.split("\\*", -1).map(java.util.regex.Pattern.quote).mkString(".*"))
        )
        if (chosen.isEmpty) throw new MessageOnlyException(s"no mutant is named $name")
        chosen
      }
      def program(isNative: Boolean) =
        Try(
          if (isNative) Seq(Project.extract(state).runTask(link, state)._2.getPath)
          else onJvm(Project.extract(state).runTask(classpath, state)._2.map(_.data))
        ).toEither.left.map(_ => "does not compile")
      val document = home.getParentFile.getParentFile / "docs" / "testing.md"
      def keep(mutant: Mutant, result: Result): Unit =
        if (options.nonEmpty) write(document, table(every, rowsOf(document), mutant, result))
      val chosen = if (names.isEmpty) every else wanted.distinct
      val failed = run(root, home / "results" / "logs", chosen, program, keep)
      if (failed.nonEmpty) throw new MessageOnlyException(s"${failed.size} failed: ${failed.mkString(", ")}")
      state
    }
}
