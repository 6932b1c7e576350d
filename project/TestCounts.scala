import java.util.concurrent.ConcurrentLinkedQueue

import sbt._
import sbt.testing.Status

import scala.collection.JavaConverters._
import scala.collection.mutable.ArrayBuffer
import scala.sys.process.{Process, ProcessLogger}

/** How many tests passed, failed and were skipped in one run of them, and the names of those that failed. */
final case class TestCounts(passed: Int, failed: Int, skipped: Int, names: Seq[String] = Nil) {
  def +(that: TestCounts): TestCounts =
    TestCounts(passed + that.passed, failed + that.failed, skipped + that.skipped, names ++ that.names)

  override def toString: String = s"$passed passed, $failed failed, $skipped skipped"
}

object TestCounts {

  /** What did not come to an end counts as one failure: a crash, or a compile error. */
  private val broken = TestCounts(0, 1, 0)

  private val failures = new ConcurrentLinkedQueue[String]
  private val events   = new ConcurrentLinkedQueue[TestCounts]

  /** Notes the tests that end on the JVM, and the names of those that fail, for `named` and `heard`. */
  object Heard extends TestsListener {
    def doInit(): Unit                                   = ()
    def doComplete(result: TestResult): Unit             = ()
    def startGroup(name: String): Unit                   = ()
    def endGroup(name: String, result: TestResult): Unit = ()
    def endGroup(name: String, error: Throwable): Unit   = {
      events.add(broken)
      failures.add(s"$name: $error")
      ()
    }

    def testEvent(event: TestEvent): Unit = event.detail.foreach { test =>
      events.add(test.status match {
        case Status.Success                => TestCounts(1, 0, 0)
        case Status.Failure | Status.Error => broken
        case _                             => TestCounts(0, 0, 1)
      })
      if (test.status == Status.Failure || test.status == Status.Error) {
        val what = test.selector match {
          case one: sbt.testing.TestSelector => one.testName
          case other                         => other.toString
        }
        val suite = test.fullyQualifiedName
        failures.add(if (what.startsWith(suite)) what
        else s"$suite: $what") // munit's names are whole already
      }
    }
  }

  /** The counts with the names that were noted since the last time. */
  def named(counts: TestCounts): TestCounts = {
    events.clear()
    counts.copy(names = counts.names ++ taken(failures))
  }

  /** What was noted since the last time, of runs that ended like this. */
  def heard(runs: Seq[Result[Unit]]): TestCounts = {
    val counts = taken(events).foldLeft(TestCounts(0, 0, 0))(_ + _)
    val failed = runs.exists(_.toEither.isLeft)
    (if (failed && counts.failed == 0) counts + broken else counts).copy(names = taken(failures))
  }

  private def taken[A](queue: ConcurrentLinkedQueue[A]): List[A] =
    Iterator.continually(queue.poll()).takeWhile(_ != null).toList

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

  /** One run of a program of tests; `name` says which. */
  final case class Run(name: String, arguments: Seq[String], environment: Seq[(String, String)])

  /** One run of a program of tests; `out` gets each line of its output. */
  def of(program: Result[File], run: Run, out: String => Unit, log: Logger): TestCounts = program match {
    case Inc(_)      => broken.copy(names = Seq(s"${run.name}: the program was not linked"))
    case Value(file) => of(file, run, out, log)
  }

  /** A program of tests closes with a line of counts and exits with 0 only when none failed. */
  private def of(program: File, run: Run, out: String => Unit, log: Logger): TestCounts = {
    var last   = ""
    var listed = false // below the line that says which failed
    val names  = ArrayBuffer.empty[String]
    val echo   = ProcessLogger { line =>
      if (listed && line.startsWith("  ")) names += line.trim
      listed = line == "Failed:" || listed && line.startsWith("  ")
      last = line
      out(line)
    }
    val status = Process(program.getPath +: run.arguments, None, run.environment: _*).!(echo)
    last match {
      case Line(passed, failed, skipped) if (status == 0) == (failed == "0") =>
        val how = run.environment.map { case (name, value) => s", with $name=$value" }.mkString
        TestCounts(passed.toInt, failed.toInt, skipped.toInt, names.map(_ + how).toList)
      case _ =>
        log.error(s"the program of tests (${run.name}) ended with status $status after: $last")
        broken.copy(names = Seq(s"${run.name}: ended with status $status after: $last"))
    }
  }

  /** Checks that either hold or do not, as one test. */
  def of(checks: Seq[Result[_]]): TestCounts =
    if (checks.forall(_.toEither.isRight)) TestCounts(1, 0, 0) else broken

  /** Checks that each either hold or do not. */
  def each(checks: Seq[Result[_]]): TestCounts = {
    val passed = checks.count(_.toEither.isRight)
    TestCounts(passed, checks.length - passed, 0)
  }

  /** Leaves the counts in `target/test-counts/NAME` and what failed in `NAME.failed`, where `./test` finds them. */
  def report(root: File, name: String, counts: TestCounts, log: Logger): Unit = {
    IO.write(root / "target" / "test-counts" / name, s"$counts\n")
    IO.writeLines(root / "target" / "test-counts" / s"$name.failed", counts.names)
    val line = s"$name: $counts"
    if (counts.failed == 0) log.info(line) else log.error(line)
  }
}
