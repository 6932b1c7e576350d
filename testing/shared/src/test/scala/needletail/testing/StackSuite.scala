package needletail.testing

import scala.concurrent.duration._

/** Recursion that does not end is an error that can be caught, more than once, on a stack that works afterwards. */
class StackSuite extends Suite {
  // Of strings, as compilers make loops of sums.
  private def depth(n: Long): String = if (n < 0) "" else depth(n + 1) + "x"

  // By hand: munit's intercept treats it as fatal.
  private def overflow(): Unit = {
    val caught =
      try depth(0)
      catch { case _: StackOverflowError => "caught" }
    assertEquals(caught, "caught")
  }

  private def down(n: Int): String = if (n == 0) "" else down(n - 1) + "x"

  test("endless recursion in a thread is a StackOverflowError, time and again") {
    for (_ <- 1 to 3) Bounded.run("overflows", 20.seconds)(() => overflow()).get
  }

  test("a stack that has overflowed is used again") {
    Bounded.run("overflows and goes on", 20.seconds) { () =>
      overflow()
      assertEquals(down(1000).length, 1000)
      overflow()
      assertEquals(down(1000).length, 1000)
    }.get
  }
}
