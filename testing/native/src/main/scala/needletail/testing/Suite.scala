package needletail.testing

import scala.collection.mutable.ArrayBuffer
import scala.concurrent.duration.{Duration, DurationInt}

/**
 * The base of every suite: a small runner here, munit's FunSuite on the JVM, of which this has the part that the
 * suites use.
 *
 * Each test runs on a thread of its own and fails if it is not over within `munitTimeout` (30 seconds unless
 * overridden), even if it waits for something. A test that returns a `Future` is over when that completes.
 */
abstract class Suite extends Assertions with Eventually {
  import Suite._

  type BeforeEach = Context
  type AfterEach  = Context

  private[testing] val tests = ArrayBuffer.empty[Test]

  def test(name: String)(body: => Any)(implicit location: Location): Unit =
    test(TestOptions(name, ignored = false))(body)

  def test(options: TestOptions)(body: => Any)(implicit location: Location): Unit =
    tests += Test(options, location, () => body)

  /** For `test("name".ignore) { … }`: counted as skipped. */
  implicit def testOptionsFromString(name: String): TestOptions = TestOptions(name, ignored = false)

  def munitTimeout: Duration = 30.seconds

  def beforeAll(): Unit                     = ()
  def afterAll(): Unit                      = ()
  def beforeEach(context: BeforeEach): Unit = { val _ = context }
  def afterEach(context: AfterEach): Unit   = { val _ = context }
}

object Suite {
  final case class TestOptions(name: String, ignored: Boolean) {
    def ignore: TestOptions = copy(ignored = true)
  }

  private[testing] final case class Test(options: TestOptions, location: Location, body: () => Any) {
    def name: String = options.name
  }

  /** The argument of `beforeEach` and `afterEach`. */
  final class Context private[testing] (val test: TestOptions)
}
