package needletail.load.engine

import needletail.testing.Suite

class WarmUpSuite extends Suite {

  /** How many rounds there were, with the compiler's work in each in milliseconds; the last value repeats. */
  private def rounds(work: Long*)(isUp: Int => Boolean = _ => false): Int = {
    var made  = 0
    var total = 0L
    WarmUp.untilSettled(() => isUp(made), () => total) { () =>
      total += work(math.min(made, work.size - 1))
      made += 1
    }
    made
  }

  private val little = WarmUp.LittleMillis

  test("rounds go on as long as they leave the compiler something to do") {
    assertEquals(rounds(900, 600, little + 1, little, 4 * little, little)(), 5 + WarmUp.QuietRounds)
  }

  test("some are made in any case, since what is used seldom is compiled late") {
    assertEquals(rounds(0L)(), WarmUp.QuietRounds)
  }

  test("a compiler that is never done is not waited for, and an interruption ends the wait") {
    assertEquals(rounds(900L)(_ == 7), 7)
    assertEquals(rounds(900L)(_ => true), 0)
  }
}
