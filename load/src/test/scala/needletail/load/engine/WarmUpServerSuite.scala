package needletail.load.engine

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.io.{Address, EventLoops}
import needletail.load.plan.{LoadPlan, Trust}
import needletail.load.result.{Openings, Outcome, RunResult}
import needletail.testing.Suite

/** The warm-up's server behaves in every way in which servers do, and in no other. */
class WarmUpServerSuite extends Suite with Serving {
  private def parroting(plan: String => LoadPlan, isSecure: Boolean = false): RunResult = {
    val loops = new EventLoops(1, "parrot", daemon = true)
    try {
      val listener = WarmUpServer.listen(loops(0), isSecure)
      listener.address match {
        case Address.Tcp(host, port) => run(plan(s"${if (isSecure) "https" else "http"}://$host:$port/"))
        case other                   => fail(s"it listens on $other")
      }
    } finally {
      loops.stop()
      Await.ready(loops.stopped, 20.seconds)
      ()
    }
  }

  test("over TLS, with a certificate of its own") {
    for (resumes <- Seq(false, true)) {
      val secured =
        closed(_: String, users = 2, requests = 30).copy(trust = Trust.Anybody, resumesTls = resumes)
      val result = parroting(url => secured(url).copy(keepAlive = false), isSecure = true)
      val all    = Openings.sum(result.intervals.map(_.self.openings))
      assertEquals(total(result).requests, 60L)
      assertEquals(total(result).count(Outcome.Garbage), 0L)
      assert(all.tls.histogram.getTotalCount >= 60, all.tls.histogram.getTotalCount)
      assertEquals(all.resumed > 0, resumes)
    }
  }

  private def total(result: RunResult) = result.total()

  test("each of the first answers is well formed, and each sort of answer is among them") {
    val all = total(parroting(closed(_, users = 1, requests = 2000)))
    Seq(200, 304, 404, 503).foreach(status =>
      assert(all.status(status) >= 100, s"$status: ${all.status(status)}")
    )
    assertEquals(all.count(Outcome.Garbage), 0L)
    assertEquals(all.count(Outcome.TimedOut), 0L)
    assertEquals(all.requests, 2000L)
    assert(all.received > 100 * 400 * 20, all.received) // the long bodies came whole
  }

  test("it ends connections, with an answer and without, and is asked again on others") {
    val result = parroting(closed(_, users = 2, requests = 1500))
    val all    = total(result)
    val opened = result.intervals.map(_.self.opened).sum
    assert(opened >= 10 && opened <= 40, opened)
    assertEquals(all.requests, 3000L)
    assert(all.count(Outcome.Reset) > 0 && all.count(Outcome.Reset) < 20, all.count(Outcome.Reset))
  }

  test(
    "requests behind one another are answered each, in order, also behind an answer that comes in two pieces"
  ) {
    val result = parroting(url => closed(url, users = 8, requests = 400).copy(pipelining = 8))
    val all    = total(result)
    assertEquals(all.count(Outcome.Garbage), 0L)
    assertEquals(all.count(Outcome.TimedOut), 0L)
    assertEquals(all.requests, 3200L)
  }
}
