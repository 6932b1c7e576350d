package needletail.testing

import scala.reflect.ClassTag

/** Thrown by a failed assertion. */
class FailException(message: String, val location: Location, cause: Throwable = null)
    extends AssertionError(message, cause)

/** Thrown by `assume` if the test cannot be run here. */
private[testing] final class Skipped(message: String) extends RuntimeException(message)

/** The part of munit's assertions that the suites use, under the same names. */
trait Assertions {

  def fail(message: String)(implicit location: Location): Nothing =
    throw new FailException(message, location)

  def fail(message: String, cause: Throwable)(implicit location: Location): Nothing =
    throw new FailException(message, location, cause)

  def fail(message: String, clues: Clues)(implicit location: Location): Nothing =
    fail(s"$message\n$clues")

  def assert(condition: => Boolean, clue: => Any = "assertion failed")(implicit location: Location): Unit =
    if (!condition) fail(shown(clue))

  /** Skips the test, which is counted as skipped, unless the condition holds. */
  def assume(condition: Boolean, clue: => Any = "assumption failed")(implicit location: Location): Unit =
    if (!condition) throw new Skipped(s"${shown(clue)} ($location)")

  def assertEquals[A, B](obtained: A, expected: B, clue: => Any = "values are not the same")(implicit
      location: Location
  ): Unit =
    if (obtained != expected)
      fail(s"${shown(clue)}\nobtained: ${shown(obtained)}\nexpected: ${shown(expected)}")

  def assertNotEquals[A, B](obtained: A, expected: B, clue: => Any = "values are the same")(implicit
      location: Location
  ): Unit =
    if (obtained == expected) fail(s"${shown(clue)}\nobtained: ${shown(obtained)}")

  def assertEqualsDouble(
      obtained: Double,
      expected: Double,
      delta: Double,
      clue: => Any = "values are not the same"
  )(implicit location: Location): Unit = {
    val close = obtained == expected || math.abs(obtained - expected) <= delta
    if (!close) fail(s"${shown(clue)}\nobtained: $obtained\nexpected: $expected, give or take $delta")
  }

  def intercept[E <: Throwable](body: => Any)(implicit expected: ClassTag[E], location: Location): E = {
    val wanted = expected.runtimeClass
    val thrown =
      try { val _ = body; null }
      catch { case e: Throwable => e }
    thrown match {
      case null                      => fail(s"expected ${wanted.getName}, but nothing was thrown")
      case e if wanted.isInstance(e) => e.asInstanceOf[E]
      case e: FailException          => throw e
      case e                         => fail(s"expected ${wanted.getName}, but got $e", e)
    }
  }

  def interceptMessage[E <: Throwable](message: String)(
      body: => Any
  )(implicit expected: ClassTag[E], location: Location): E = {
    val thrown = intercept[E](body)
    assertEquals(thrown.getMessage, message, s"another message of ${thrown.getClass.getName}")
    thrown
  }

  def clue[A](value: A): A = value

  def clues(values: Any*): Clues = new Clues(values.map(shown))

  final class Clues(values: Seq[String]) {
    override def toString: String = values.mkString("clues: ", ", ", "")
  }

  /** In a readable form for a terminal: arrays with elements, control characters escaped, long texts truncated. */
  private def shown(value: Any): String = {
    val text = value match {
      case array: Array[_] => array.mkString("Array(", ", ", ")")
      case other           => String.valueOf(other)
    }
    val cut = if (text.length <= Longest) text else s"${text.take(Longest)}… (${text.length} characters)"
    cut.flatMap(c => if (c < ' ' && c != '\n') f"\\u${c.toInt}%04x" else c.toString)
  }

  private def Longest = 4000
}
