package needletail.server.overload

import needletail.server.VirtualServer

import needletail.http.Priority
import needletail.testing.Suite

/** A loop whose requests take a fixed time each, in virtual time: what is let in, and how long that waited. */
class QueueDelaySuite extends Suite {
  import VirtualServer._

  private val two      = kind(2)
  private def server() = new VirtualServer(OverloadConfig()).offer(200, 3000, two) // no longer cold

  test("below capacity nothing is refused") {
    assertEquals(server().offer(400, 5000, two).reasons, Map.empty[String, Int])
  }

  test("at twice and at five times the capacity the loop stays busy and those let in wait shortly") {
    List(1000, 2500).foreach { rate =>
      val s      = server()
      val before = s.workedMillis
      s.forget()
      s.offer(rate, 8000, two)
      val worked = s.workedMillis - before
      assert(worked > 7900, clue = s"at $rate/s the loop worked $worked of 8000 ms")
      assert(s.served.size > 3700, clue = s"at $rate/s ${s.served.size} of 4000 were served")
      assert(s.p99 < 40, clue = s"at $rate/s: p99 ${s.p99} ms")
      assertEquals(s.reasons.keySet, Set("queue_delay"))
    }
  }

  test("after the load all is let in at once") {
    val s = server().offer(2500, 3000, two)
    assert(s.admission.isOverloaded)
    s.offer(400, 500, two)
    assert(!s.admission.isOverloaded)
    s.forget()
    s.offer(400, 2000, two)
    assertEquals(s.reasons, Map.empty[String, Int])
    assert(s.p99 < 20, clue = s"p99 ${s.p99} ms")
  }

  test("once it is overloaded no request waits long for its refusal") {
    val s = server().offer(1000, 3000, two)
    s.forget()
    s.offer(1000, 3000, two)
    val longest = s.refused.map(_.took).max
    assert(longest < 30 * Ms, clue = s"${longest / 1e6} ms")
  }

  test("requests that are dearer than the target still keep the loop busy") {
    val s      = server().offer(40, 3000, kind(50))
    val before = s.workedMillis
    s.forget()
    s.offer(40, 10000, kind(50))
    assert(s.workedMillis - before > 9000, clue = s"worked ${s.workedMillis - before} of 10000 ms")
    assert(s.p99 < 200, clue = s"p99 ${s.p99} ms")
  }

  test("cheap requests are not refused: that would cost as much") {
    val s = server()
    s.forget()
    s.offer(40000, 500, kind(0.03))
    assertEquals(s.reasons, Map.empty[String, Int])
  }

  test("the lowest are refused first, the highest not while there is room for them") {
    val s   = server()
    val low = kind(2, Priority.Low)
    val mix = Seq(kind(2, Priority.High), two, low, low, low)
    s.offer(1000, 1000, mix*)
    s.forget()
    s.offer(1000, 5000, mix*) // 200 high, 200 normal, 600 low, room for 500
    assertEquals(s.refused(Priority.High), 0)
    assert(s.refused(Priority.Normal) < 50, clue = s.refused(Priority.Normal))
    assert(s.refused(Priority.Low) > 2000, clue = s.refused(Priority.Low))
    assert(s.quantile(0.99, _.kind.route.priority eq Priority.High) < 40)
  }

  test(
    "requests of a high priority that take 0.6 of the processor wait for their turn, not for the last of them"
  ) {
    val s      = server()
    val random = new scala.util.Random(1)
    s.forget()
    List(kind(2, Priority.High) -> 3.3, two -> 0.5).foreach { case (kind, meanMillis) =>
      var at = s.now.toDouble
      while (at < s.now + 20000.0 * Ms) {
        at -= Math.log(1 - random.nextDouble()) * meanMillis * Ms
        s.at(at.toLong, kind)
      }
    }
    s.run(21000)
    assertEquals(s.refused(Priority.High), 0)
    val p99 = s.quantile(0.99, _.kind.route.priority eq Priority.High)
    assert(p99 < 20, clue = s"p99 $p99 ms")
  }

  test("the critical ones pass whatever the load") {
    val low = kind(2, Priority.Low)
    val s   = server().offer(2500, 3000, kind(2, Priority.Critical), low, low, low)
    assertEquals(s.refused(Priority.Critical), 0)
  }

  test(
    "a few clients that ask again at once, each of whom is answered soon, are no overload for the first second"
  ) {
    val s = server()
    s.forget()
    s.closed(8, 0, 900, two)
    assertEquals(s.reasons, Map.empty[String, Int])
  }
}
