package needletail.load.analysis.verdict

import needletail.load.analysis.{ModelDriver, ModelServer, Plans}
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

  test("that all requests failed is told with its cause only if it is that of all") {
    def reason(outcomes: Outcome*) = {
      val made = new Figures
      outcomes.foreach(made.failed(_, 0, 1000))
      val run = new ModelDriver(ModelServer()).run(Plans.closed(1, Some(1)), _ => true)
      TotalFailure.reason(run.copy(intervals = run.intervals.take(1).map(_.copy(kinds = Vector(made)))))
    }
    assertEquals(
      reason(Outcome.Reset, Outcome.Reset),
      Some("no request succeeded: http://127.0.0.1:1/ closed or reset every connection")
    )
    assertEquals(
      reason(Outcome.Reset, Outcome.TimedOut, Outcome.Reset),
      Some("no request succeeded: 2 reset or truncated, 1 timed out")
    )
    assertEquals(
      reason(Outcome.TimedOut),
      Some("no request succeeded: http://127.0.0.1:1/ did not respond completely within 10 s")
    )
    assertEquals(reason(), Some("no request was completed"))
  }

  test(
    "a run was given up once there was no connection for three seconds, whatever failed of what was left"
  ) {
    def ended(outcome: Outcome) = {
      val made = new Figures
      made.failed(outcome, 0, 1000)
      Vector(made)
    }
    val run = new ModelDriver(ModelServer()).run(Plans.closed(1, Some(1)), _ => true)
    def gaveUp(millis: Int*)(left: Outcome*): Boolean = {
      val outcomes = millis.map(_ => Outcome.Refused) ++ left
      val lengths  = millis ++ left.map(_ => 1000)
      val starts   = lengths.scanLeft(0)(_ + _)
      TotalFailure.gaveUp(run.copy(intervals = outcomes.indices.map { n =>
        run.intervals.head.copy(starts(n).toLong, lengths(n).toLong, ended(outcomes(n)))
      }.toVector))
    }
    assert(gaveUp(1000, 1000, 1000)(Outcome.Unsent))
    assert(gaveUp(300, 700, 1000, 1000)(Outcome.Unsent))
    assert(!gaveUp(300, 700, 1000)(Outcome.Unsent))
    assert(gaveUp(1200, 800, 1000)())
    assert(!gaveUp(1000, 1000)(Outcome.Good))
  }

  test("a status of success that was not to be is told too") {
    val some = figures(Outcome.Good -> 200, Outcome.BadStatus -> 204, Outcome.BadStatus -> 204)
    assertEquals(
      Failures.describe(some, Vector.empty),
      "2 with a bad status (of all responses 204: 2, 200: 1)"
    )
  }
}
