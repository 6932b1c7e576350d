package needletail.load.engine

import java.util.concurrent.CountDownLatch
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.duration._

import com.sun.net.httpserver.HttpExchange

import needletail.load.engine.worker.SessionNumbers
import needletail.load.plan.{Load, LoadPlan, Trust}
import needletail.load.result.Openings
import needletail.testing.{Suite, TlsServer}

/** TLS sessions of connections that are made at the same time. */
class ResumptionSuite extends Suite with Serving {
  override def munitTimeout: Duration = 2.minutes // certificates are made and keys derived, by cold code

  /** Opens a connection for each request. Returns how many handshakes there were, and how many were not resumed. */
  private def handshakes(plan: String => LoadPlan): (Long, Long) =
    TlsServer.serving()(TlsServer.reply(_, 200, "Hello, World!".getBytes)) { port =>
      val secured =
        plan(s"https://localhost:$port/").copy(keepAlive = false, trust = Trust.Anybody, loops = 2)
      val result = run(secured)
      assertEquals(outcomes(result).keySet, Set("good"))
      val all = Openings.sum(result.intervals.map(_.self.openings))
      (all.tls.histogram.getTotalCount, all.tls.histogram.getTotalCount - all.resumed)
    }

  test("each of several users resumes a session, but for the first time") {
    val (all, full) = handshakes(closed(_, users = 8, requests = 20))
    assertEquals(all, 160L)
    assert(full <= 8, s"$full of $all handshakes were full ones")
  }

  test("arrivals resume a session, but for as many as there were connections at a time") {
    val (all, full) = handshakes(url =>
      open(url, 200, 1.second).copy(load = Load.Open(Vector(Load.Step(200, 200, 1.second)), connections = 6))
    )
    assert(all >= 200, all)
    assert(full <= 6, s"$full of $all handshakes were full ones")
  }

  test("a further connection of an open load resumes the session of one that stays")(undisturbed {
    val asked = new AtomicInteger
    val both  = new CountDownLatch(2)
    // the second request waits for the third, which needs a connection of its own
    def answer(exchange: HttpExchange): Unit = {
      if (asked.incrementAndGet() > 1) {
        both.countDown()
        both.await()
      }
      TlsServer.reply(exchange, 200, "Hello, World!".getBytes)
    }
    TlsServer.serving()(answer) { port =>
      val plan     = open(s"https://localhost:$port/", 10, 300.millis).copy(trust = Trust.Anybody)
      val result   = run(plan)
      val openings = Openings.sum(result.intervals.map(_.self.openings))
      assertEquals(outcomes(result), Map("good" -> 3L))
      assert(openings.tls.histogram.getTotalCount >= 2, openings.tls)
      // A machine that is busy for longer than requests are apart has the second connection opened before the first
      // one has a session.
      bound(openings.resumed >= 1, s"none of ${openings.tls.histogram.getTotalCount} resumed")
    }
  })

  test("the number given back last is taken first; loops have no number in common") {
    val numbers = new SessionNumbers(1, 4)
    assertEquals(List.fill(3)(numbers.take()), List(1, 5, 9))
    Seq(9, 1).foreach(numbers.giveBack)
    assertEquals(List.fill(3)(numbers.take()), List(1, 9, 13))
  }
}
