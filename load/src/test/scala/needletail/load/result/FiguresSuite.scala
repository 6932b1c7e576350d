package needletail.load.result

import needletail.testing.Suite

class FiguresSuite extends Suite {
  private val ms = 1000000L

  private def some: Figures = {
    val figures = new Figures
    for (i <- 1 to 100)
      figures.answered(Outcome.Good, 200, due = 0, sent = i * ms / 2, ended = i * ms, contentLength = 3)
    figures.answered(Outcome.BadStatus, 503, due = 0, sent = 0, ended = 7 * ms, contentLength = 5)
    figures.failed(Outcome.TimedOut, due = 0, ended = 900 * ms)
    figures.failed(Outcome.NoFreePort, due = 0, ended = 1)
    figures
  }

  private def seen(f: Figures) = (
    f.requests,
    f.good,
    f.status(200),
    f.status(503),
    f.received,
    Vector(50, 99, 100).map(p => f.response.getValueAtPercentile(p.toDouble) / ms),
    f.service.getMaxValue / ms,
    (f.failed.getTotalCount, f.failed.getMaxValue / ms),
    f.count(Outcome.NoFreePort)
  )

  private val expected = (103L, 100L, 100L, 1L, 305L, Vector(50L, 99L, 100L), 50L, (2L, 900L), 1L)

  test("good and failed requests apart; what was this machine's doing has no latency") {
    assertEquals(seen(some), expected)
    assertEquals(some.errorRate, 3.0 / 103)
  }

  test("folded figures are the same, take less, and can go on") {
    val figures = some
    figures.fold()
    figures.fold()
    assertEquals(seen(figures), expected)
    figures.answered(Outcome.Good, 200, due = 0, sent = 0, ended = 3000 * ms, contentLength = 0)
    assertEquals(figures.response.getTotalCount, 101L)
    assertEquals(figures.response.getMaxValue / (10 * ms), 300L)
    figures.reset()
    assertEquals((figures.requests, figures.response.getTotalCount, figures.received), (0L, 0L, 0L))
  }

  test("sums are without loss, folded or not") {
    val folded = some
    folded.fold()
    val sum = Figures.sum(Vector(some, folded))
    assertEquals((sum.requests, sum.response.getTotalCount, sum.failed.getTotalCount), (206L, 200L, 4L))
    assertEquals(sum.response.getValueAtPercentile(50) / ms, 50L)
    folded.add(some)
    assertEquals(folded.response.getTotalCount, 200L)
  }

  test("beyond what is told apart") {
    val figures = new Figures
    figures.answered(
      Outcome.Good,
      700,
      due = 0,
      sent = 5,
      ended = 2 * Figures.LongestNanos,
      contentLength = 0
    )
    figures.answered(
      Outcome.Good,
      200,
      due = 5,
      sent = 5,
      ended = 4,
      contentLength = 0
    ) // a clock that went back
    assertEquals(figures.response.getMaxValue / 10000000000L, 360L)
    assertEquals(figures.response.getMinValue, 0L)
    assertEquals(figures.statuses(500), 1L)
  }
}
