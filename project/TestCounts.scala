import sbt._
import scala.sys.process.{Process, ProcessLogger}

/** How many tests passed, failed and were skipped in one run of them. */
final case class TestCounts(passed: Int, failed: Int, skipped: Int) {
  def +(that: TestCounts): TestCounts =
    TestCounts(passed + that.passed, failed + that.failed, skipped + that.skipped)

  override def toString: String = s"$passed passed, $failed failed, $skipped skipped"
}

object TestCounts {

  /** What did not come to an end counts as one failure: a crash, or a compile error. */
  private val broken = TestCounts(0, 1, 0)

  private val Line = """(\d+) passed, (\d+) failed, (\d+) skipped""".r

  def of(run: Result[Tests.Output]): TestCounts = run match {
    case Inc(_)        => broken
    case Value(output) =>
      val counts = output.events.values.map(of).foldLeft(TestCounts(0, 0, 0))(_ + _)
      if (output.overall != TestResult.Passed && counts.failed == 0) counts + broken else counts
  }

  private def of(suite: SuiteResult): TestCounts = {
    val counts = TestCounts(
      suite.passedCount,
      suite.failureCount + suite.errorCount,
      suite.skippedCount + suite.ignoredCount + suite.canceledCount + suite.pendingCount
    )
    // what a test is skipped by is a throwable too
    val bad = suite.result != TestResult.Passed || suite.throwables.size > counts.skipped
    if (bad && counts.failed == 0) counts + broken else counts
  }

  /** Runs a program of tests that closes with a line of counts and exits with 0 only when none failed. */
  def of(
      program: Result[File],
      arguments: Seq[String],
      environment: Seq[(String, String)],
      log: Logger
  ): TestCounts = program match {
    case Inc(_)      => broken
    case Value(file) =>
      var last   = ""
      val echo   = ProcessLogger { line => last = line; println(line) }
      val status = Process(file.getPath +: arguments, None, environment: _*).!(echo)
      last match {
        case Line(passed, failed, skipped) if (status == 0) == (failed == "0") =>
          TestCounts(passed.toInt, failed.toInt, skipped.toInt)
        case _ =>
          log.error(s"the program of tests ended with status $status after: $last")
          broken
      }
  }

  /** Checks that either hold or do not, as one test. */
  def of(checks: Seq[Result[_]]): TestCounts =
    if (checks.forall(_.toEither.isRight)) TestCounts(1, 0, 0) else broken

  /** Leaves the counts in `target/test-counts/NAME`, where `./test` finds them. */
  def report(root: File, name: String, counts: TestCounts, log: Logger): Unit = {
    IO.write(root / "target" / "test-counts" / name, s"$counts\n")
    val line = s"$name: $counts"
    if (counts.failed == 0) log.info(line) else log.error(line)
  }
}
