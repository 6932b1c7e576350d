package needletail.load.analysis.verdict

import needletail.load.result.{Figures, Outcome}
import needletail.testing.Suite

class FailuresSuite extends Suite {
  private def figures(answers: (Outcome, Int)*): Figures = {
    val made = new Figures
    answers.foreach { case (outcome, code) => made.answered(outcome, code, 0, 0, 1000, 0) }
    made
  }

  test("bad statuses are told by their number") {
    val some = figures(Outcome.Good -> 200, Outcome.BadStatus -> 503, Outcome.BadStatus -> 503)
    assertEquals(Failures.describe(some, Vector.empty), "2 with a bad status (503: 2)")
  }

  test("a response that is not HTTP is described by its first error") {
    val made = new Figures
    made.failed(Outcome.Garbage, 0, 1000)
    assertEquals(
      Failures.describe(made, Vector("garbage" -> "no version")),
      "1 had an invalid response (first: no version)"
    )
  }

  test("a status of success that was not to be is told too") {
    val some = figures(Outcome.Good -> 200, Outcome.BadStatus -> 204, Outcome.BadStatus -> 204)
    assertEquals(
      Failures.describe(some, Vector.empty),
      "2 with a bad status (of all responses 204: 2, 200: 1)"
    )
  }
}
