package needletail.testing

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Duration, DurationInt}
import scala.scalanative.unsafe._
import scala.scalanative.unsigned._
import scala.util.{Failure, Success}

/**
 * Runs suites one after another, prints the result of each test, and counts. With `note`, a test that fails is run once
 * more (`SecondTry`).
 *
 * The name of a test is printed before it starts and its result after, so that the last line shows which test crashed
 * the process, if one does.
 */
private[testing] final class Runner(out: String => Unit, note: Option[String => Unit] = None) {
  import Runner._

  private var passed, skipped = 0
  private val failures        = ArrayBuffer.empty[String]

  def run(suites: Seq[Entry]): Counts = {
    suites.foreach(run)
    if (failures.nonEmpty) out(failures.mkString("\nFailed:\n  ", "\n  ", "\n"))
    Counts(passed, failures.size, skipped)
  }

  private def run(entry: Entry): Unit = {
    out(s"${entry.name}\n")
    step(entry.name, "the suite is made", 30.seconds)(() => entry.make()).foreach { made =>
      val suite = made.asInstanceOf[Suite]
      val ready = step(entry.name, "beforeAll", suite.munitTimeout)(() => suite.beforeAll()).isDefined
      // If its fixtures fail, each test counts as failed, so that none is lost.
      suite.tests.foreach(test => if (ready) run(entry.name, suite, test) else failed(entry.name, test.name))
      step(entry.name, "afterAll", suite.munitTimeout)(() => suite.afterAll())
    }
  }

  private def run(suiteName: String, suite: Suite, test: Suite.Test): Unit = {
    out(s"  ${test.name} ... ")
    if (test.options.ignored) skip("ignored")
    else {
      val start = System.nanoTime()
      val name  = s"$suiteName: ${test.name}"
      // twice the limit: the test may be run once more
      watched(suite.munitTimeout * 2)(SecondTry.run(name, suite.munitTimeout, _.isInstanceOf[Skipped], note)(
        () =>
          surrounded(suite, test)
      )) match {
        case Success(_) =>
          passed += 1
          out(s"ok, ${(System.nanoTime() - start) / 1000000} ms\n")
        case Failure(e: Skipped) => skip(e.getMessage)
        case Failure(e)          =>
          failed(suiteName, test.name)
          out(s"FAILED\n${described(e, test.location)}\n")
      }
    }
  }

  private def surrounded(suite: Suite, test: Suite.Test): Any = {
    val context = new Suite.Context(test.options)
    suite.beforeEach(context)
    try
      test.body() match {
        // Awaited here, since afterEach must run after it.
        case future: scala.concurrent.Future[_] => scala.concurrent.Await.result(future, suite.munitTimeout)
        case value if Unawaited.is(value)       => throw Unawaited.failure(value)
        case value                              => value
      }
    finally suite.afterEach(context)
  }

  /** Runs a part of a suite that is not a test: counted, and printed, only if it fails. */
  private def step(suiteName: String, what: String, limit: Duration)(body: () => Any): Option[Any] =
    watched(limit)(Bounded.run(s"$suiteName, $what", limit)(body)) match {
      case Success(value) => Some(value)
      case Failure(e)     =>
        failed(suiteName, what)
        out(s"  $what ... FAILED\n${described(e, null)}\n")
        None
    }

  private def failed(suiteName: String, name: String): Unit = failures += s"$suiteName: $name"

  private def skip(reason: String): Unit = {
    skipped += 1
    out(s"SKIPPED: $reason\n")
  }
}

private[testing] object Runner {
  final case class Entry(name: String, make: () => Suite)

  final case class Counts(passed: Int, failed: Int, skipped: Int) {
    override def toString: String = s"$passed passed, $failed failed, $skipped skipped"
  }

  /**
   * The whole program: `args` are parts of the names of the suites to run, without any all, and after a `-` parts of the
   * names of those that are left out.
   */
  def main(all: Seq[Entry], args: Array[String]): Unit = {
    val (out, in) = args.partition(_.startsWith("-"))
    val chosen    = all.filter { suite =>
      (in.isEmpty || in.exists(suite.name.contains(_))) && !out.exists(part =>
        suite.name.contains(part.drop(1))
      )
    }
    if (chosen.isEmpty) System.err.println(s"no suite has a name with ${args.mkString(" or ")} in it")
    val counts = new Runner(write, SecondTry.note).run(chosen)
    write(s"$counts\n")
    arm(LastWords)
    System.exit(if (chosen.isEmpty || counts.failed > 0) 1 else 0)
  }

  private def write(text: String): Unit = {
    System.out.print(text)
    System.out.flush()
  }

  /** Seconds that the process has to exit, or a test after its timeout. */
  private val LastWords = 20L

  /**
   * A thread that waits in a system call not marked as blocking blocks the garbage collector, and that blocks every
   * other thread: then nothing in this process can detect the hang. The kernel's alarm ends the process.
   */
  private def watched[A](limit: Duration)(body: => A): A =
    if (!limit.isFinite) body
    else {
      arm(limit.toSeconds + LastWords)
      try body
      finally arm(0L)
    }

  private def arm(seconds: Long): Unit = { val _ = libc.alarm(seconds.toUInt) }

  @extern private object libc {
    def alarm(seconds: CUnsignedInt): CUnsignedInt = extern
  }

  /** Maximum of stack frames printed of an unexpected exception and each of its causes. */
  private val Frames = 25

  private def described(e: Throwable, test: Location): String = {
    val text = e match {
      case failure: FailException => s"${failure.location}: ${failure.getMessage}" + causes(failure.getCause)
      case other                  => (if (test == null) "" else s"$test: ") + trace(other)
    }
    text.linesIterator.map("      " + _).mkString("\n")
  }

  private def causes(cause: Throwable): String = if (cause == null) "" else s"\ncaused by: ${trace(cause)}"

  private def trace(e: Throwable): String =
    e.toString + e.getStackTrace.take(Frames).map(frame => s"\n  at $frame").mkString + causes(e.getCause)
}
