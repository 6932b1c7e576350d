package needletail.server

import needletail.http.Priority
import needletail.testing.Suite

/** A loop whose requests take a fixed time each, simulated: what is let in, and how long that waited. */
class QueueDelaySuite extends Suite {
  private val ms = 1000L * 1000

  private final class Request(val at: Long, val priority: Priority)

  /** Requests come at their times; each turn of the loop handles those that had come when it began. */
  private final class Simulation(costNanos: Long, refusalNanos: Long = 5000) {
    val delay                                             = new QueueDelay(5 * ms, 100 * ms, 0)
    var now                                               = 1000 * ms
    private var coming: List[Request]                     = Nil
    var waits: List[(Long, Long)]                         = Nil // when, and how long, of those let in
    var admitted: Map[Priority, Int]                      = Map.empty.withDefaultValue(0)
    var refused: Map[Priority, Int]                       = Map.empty.withDefaultValue(0)
    var busy                                              = 0L
    private def count(m: Map[Priority, Int], p: Priority) = m.updated(p, m(p) + 1)

    def forget(): Unit = {
      waits = Nil
      admitted = admitted.empty.withDefaultValue(0)
      refused = refused.empty.withDefaultValue(0)
      busy = 0
    }

    /** So many a second for so long, priorities in turn. */
    def offer(perSecond: Int, millis: Int, priorities: Priority*): this.type = {
      val gap = 1000 * ms / perSecond
      val of  = if (priorities.isEmpty) Seq(Priority.Normal) else priorities
      val n   = (perSecond.toLong * millis / 1000).toInt
      val end = now + millis * ms
      coming = (0 until n).map(i => new Request(now + i * gap, of(i % of.length))).toList
      while (now < end) {
        if (coming.isEmpty || coming.head.at > now)
          now = if (coming.isEmpty) end else Math.min(end, coming.head.at)
        if (now < end) turn()
      }
      this
    }

    private def turn(): Unit = {
      val began         = now
      val (ready, rest) = coming.span(_.at <= began)
      coming = rest
      if (ready.nonEmpty) delay.nextTurn(began)
      ready.foreach { r =>
        delay.look()
        val in = !delay.isOverloaded || r.priority.isCritical || delay.admits(r.priority)
        if (in) {
          waits = (now, now - r.at) :: waits
          admitted = count(admitted, r.priority)
          now += costNanos
          busy += costNanos
          delay.ended(now)
          delay.counted(1)
        } else {
          refused = count(refused, r.priority)
          now += refusalNanos
          delay.ended(now)
        }
      }
    }

    /** The wait that all but one in a hundred stayed below, in milliseconds. */
    def p99: Double = {
      val sorted = waits.map(_._2).sorted
      sorted(sorted.length * 99 / 100) / 1e6
    }
  }

  test("below capacity nothing is refused") {
    val s = new Simulation(2 * ms).offer(400, 5000)
    assertEquals(s.refused.values.sum, 0)
  }

  test("a burst that is soon worked off is let in whole") {
    val s = new Simulation(2 * ms).offer(2000, 25).offer(1, 1000)
    assertEquals(s.refused.values.sum, 0)
  }

  test("at twice and at five times the capacity the loop stays busy and those let in wait shortly") {
    List(1000, 2500).foreach { rate =>
      val s = new Simulation(2 * ms).offer(rate, 1000)
      s.forget()
      s.offer(rate, 5000)
      assert(s.busy > 4500 * ms, clue = s"at $rate/s the loop worked ${s.busy / ms} of 5000 ms")
      assert(s.p99 < 15, clue = s"at $rate/s: p99 of the wait ${s.p99} ms")
      assert(s.refused.values.sum > rate * 5 / 3)
    }
  }

  test("refusing begins within a quarter of a second and ends as soon after the load") {
    val s = new Simulation(2 * ms).offer(2500, 250)
    assert(s.delay.isOverloaded)
    s.offer(400, 500)
    assert(!s.delay.isOverloaded)
    s.forget()
    s.offer(400, 2000)
    assertEquals(s.refused.values.sum, 0)
  }

  test("requests that are dearer than the target still keep the loop busy") {
    val s = new Simulation(50 * ms).offer(40, 2000)
    s.forget()
    s.offer(40, 10000)
    assert(s.busy > 9000 * ms, clue = s"worked ${s.busy / ms} of 10000 ms")
    assert(s.p99 < 150, clue = s"p99 ${s.p99} ms")
  }

  test("cheap requests are not refused: that would cost as much") {
    val s = new Simulation(20000).offer(100000, 500)
    assertEquals(s.refused.values.sum, 0)
  }

  test("the lowest are refused first, the highest not while there is room for them") {
    val s   = new Simulation(2 * ms)
    val mix = Seq(Priority.High, Priority.Normal, Priority.Low, Priority.Low, Priority.Low)
    s.offer(1000, 1000, mix*)
    s.forget()
    s.offer(1000, 5000, mix*) // 200 high, 200 normal, 600 low, room for 500
    assert(s.refused(Priority.High) == 0, clue = s.refused)
    assert(s.refused(Priority.Normal) < 150, clue = s.refused)
    assert(s.refused(Priority.Low) > 2000, clue = s.refused)
    assert(s.busy > 4400 * ms, clue = s"worked ${s.busy / ms} of 5000 ms")
  }

  test("the critical ones pass whatever the load") {
    val s =
      new Simulation(2 * ms).offer(2500, 3000, Priority.Critical, Priority.Low, Priority.Low, Priority.Low)
    assertEquals(s.refused(Priority.Critical), 0)
  }
}
