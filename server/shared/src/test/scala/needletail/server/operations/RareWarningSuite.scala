package needletail.server.operations

import needletail.testing.Suite

class RareWarningSuite extends Suite {
  private var lines = Vector.empty[String]
  private val log   = new Log {
    def warn(message: String): Unit                    = lines :+= message
    def error(message: String, cause: Throwable): Unit = fail(message, cause)
  }

  override def beforeEach(context: BeforeEach): Unit = lines = Vector.empty

  /** What is logged of warnings at these times, each named by its time. */
  private def logged(quiet: Long)(times: Long*): Vector[String] = {
    lines = Vector.empty
    val warning = new RareWarning(quiet)
    times.foreach(now => warning.warn(log, now)(s"at $now"))
    lines
  }

  test("the first is logged at once, whatever the clock says, and the next when the quiet time is over") {
    for (start <- Seq(0L, -1000L, 5L, Long.MinValue + 1, Long.MaxValue - 50))
      assertEquals(
        logged(100)(start, start + 1, start + 99, start + 100, start + 199, start + 200),
        Vector(
          s"at $start",
          s"at ${start + 100} (and 2 more since this was last logged)",
          s"at ${start + 200} (and 1 more since this was last logged)"
        )
      )
  }

  test("those that were left out are told once") {
    assertEquals(
      logged(10)(0, 1, 20, 40),
      Vector("at 0", "at 20 (and 1 more since this was last logged)", "at 40")
    )
  }

  test("a message that is not logged is not made") {
    val warning = new RareWarning(10)
    warning.warn(log, 0)("first")
    warning.warn(log, 5)(fail("it is not needed"))
    assertEquals(lines, Vector("first"))
  }

  test("a text of a client is cut, and has no control characters") {
    assertEquals(RareWarning.shown("x" * 200), "x" * 200)
    assertEquals(RareWarning.shown("x" * 201), "x" * 200 + "…")
    assertEquals(RareWarning.shown("a\r\nb\u0000\u001b[1m\u007f\u0085 ~\u00a0é"), "a??b??[1m?? ~\u00a0é")
  }
}
