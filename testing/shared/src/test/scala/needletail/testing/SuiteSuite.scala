package needletail.testing

import java.util.concurrent.{CountDownLatch, TimeUnit}
import scala.concurrent.ExecutionContext.Implicits.global
import scala.concurrent.{Future, Promise}
import scala.concurrent.duration.{Duration, DurationInt}
import scala.util.{Success, Try}

/** What suites may rely on, on both platforms. */
class SuiteSuite extends Suite {
  private var prepared, started, ended = 0

  override def munitTimeout: Duration = 10.seconds

  override def beforeAll(): Unit                     = prepared += 1
  override def beforeEach(context: BeforeEach): Unit = if (context.test.name.nonEmpty) started += 1
  override def afterEach(context: AfterEach): Unit   = if (context.test.name.nonEmpty) ended += 1

  test("beforeAll has run once, beforeEach before each test and afterEach after each") {
    assertEquals(prepared, 1)
    assertEquals(started, ended + 1)
  }

  test("assertions that hold say nothing") {
    assert(1 + 1 == 2, "arithmetic")
    assertEquals(List(1, 2), List(1, 2), "lists")
    assertNotEquals("a", "b")
    assertEqualsDouble(1.0, 1.05, 0.1)
  }

  test("assertions that do not hold throw, with the clue and both values") {
    assert(intercept[AssertionError](assert(1 > 2, "one is more")).getMessage.contains("one is more"))
    val message = intercept[AssertionError](assertEquals("left", "right", "sides")).getMessage
    List("left", "right", "sides").foreach(part => assert(message.contains(part), message))
    intercept[AssertionError](assertNotEquals(1, 1))
    intercept[AssertionError](assertEqualsDouble(1.0, 1.2, 0.1))
    assert(intercept[AssertionError](fail("enough", clues(42))).getMessage.contains("enough"))
  }

  test("intercept returns what was thrown and refuses nothing or something else") {
    assertEquals(
      intercept[IllegalStateException](throw new IllegalStateException("closed")).getMessage,
      "closed"
    )
    interceptMessage[IllegalStateException]("closed")(throw new IllegalStateException("closed"))
    intercept[AssertionError](intercept[IllegalStateException](1))
    intercept[AssertionError] {
      interceptMessage[IllegalStateException]("open")(throw new IllegalStateException("closed"))
    }
    val other = intercept[Throwable](intercept[IllegalStateException](throw new NumberFormatException("one")))
    assert(!other.isInstanceOf[IllegalStateException], other)
  }

  test("a Future is awaited") {
    val promise = Promise[Int]()
    Future { Pause(20.millis); promise.success(3) }
    promise.future.map(value => assertEquals(value, 3))
  }

  test("a body that hangs is given up on, with the reason") {
    val never   = new CountDownLatch(1)
    val outcome = Bounded.run("hangs", 50.millis)(() => never.await(1, TimeUnit.MINUTES))
    assert(outcome.failed.get.getMessage.contains("not over after 50 milliseconds"), outcome)
  }

  test("time in which the whole machine stood still is not counted") {
    var now      = 0L
    val patience = new Patience(3.seconds.toNanos, () => now)
    now = 60.seconds.toNanos
    assert(!patience.isOver)
    assertEquals(patience.left, 2.seconds.toNanos)
    now += 500.millis.toNanos
    assert(!patience.isOver)
    assertEquals(patience.left, 1500.millis.toNanos)
    now += 1500.millis.toNanos
    assert(!patience.isOver)
    now += 500.millis.toNanos
    assert(patience.isOver)
  }

  test("a Future that never comes is given up on") {
    assert(Bounded.run("never", 50.millis)(() => Promise[Int]().future).isFailure)
  }

  test("what is waited for is seen as soon as it is there, and missed with a reason") {
    var looks = 0
    eventually { looks += 1; looks == 3 }
    assertEquals(looks, 3)
    val missed = intercept[AssertionError](eventually(false, "it never rains", within = 20.millis))
    assert(missed.getMessage.contains("it never rains (within 20 milliseconds)"), missed.getMessage)
    intercept[IllegalStateException](eventually(throw new IllegalStateException("closed")))
  }

  test("what a body throws is its outcome, a fatal error too") {
    val thrown = Bounded.run("throws", 20.seconds)(() => throw new StackOverflowError).failed.get
    assert(thrown.isInstanceOf[StackOverflowError], thrown)
    assertEquals(Bounded.run("returns", 20.seconds)(() => 7).get, 7: Any)
  }

  private def tries(note: Option[String => Unit])(results: (() => Any)*): (Try[Any], Int) = {
    var count       = 0
    def next(): Any = { count += 1; results(count - 1)() }
    (SecondTry.run("it", munitTimeout, _.isInstanceOf[ArithmeticException], note)(() => next()), count)
  }

  test("where a second try is allowed, a test that fails has one, and it is noted if it passes") {
    var noted            = List.empty[String]
    val note             = Some((line: String) => noted ::= line)
    val fails: () => Any = () => throw new IllegalStateException("busy")
    val skips: () => Any = () => throw new ArithmeticException
    assertEquals(tries(note)(fails, () => 5), (Success(5): Try[Any], 2))
    assertEquals(noted, List("it (first: java.lang.IllegalStateException: busy)"))
    noted = Nil
    val (outcome, count) = tries(note)(fails, fails)
    assert(outcome.isFailure && count == 2)
    assertEquals(tries(note)(skips)._2, 1)
    assertEquals(tries(note)(() => 5), (Success(5): Try[Any], 1))
    assertEquals(tries(None)(fails)._2, 1)
    assertEquals(noted, Nil)
  }
}
