package needletail.server.overload

import java.util.{ArrayDeque, PriorityQueue}
import scala.concurrent.duration._

import needletail.testing.Suite

/** A service with so many workers and a queue without bound, simulated: what limit is found for it. */
class InFlightLimitSuite extends Suite {
  private val ms     = 1000L * 1000
  private val config = OverloadConfig(initialInFlight = 128, leastInFlight = 8)

  private final class Service(var workers: Int, var takes: Long, config: OverloadConfig = config) {
    val limit          = new InFlightLimit(5 * ms, config, 1.0)
    var now            = 1000 * ms
    var done           = 0
    var refused        = 0
    var worst          = 0L
    private val ending = // of those being worked on: end and beginning, the first to end first
      new PriorityQueue[(Long, Long)](64, (a, b) => java.lang.Long.compare(a._1, b._1))
    private val queue = new ArrayDeque[Long]

    def forget(): Unit = {
      done = 0
      refused = 0
      worst = 0
    }

    /** Until `end` it gives back what is ready. */
    private def work(end: Long): Unit = {
      var go = true
      while (go) {
        go = false
        while (ending.size < workers && !queue.isEmpty) ending.add((now + takes, queue.poll()))
        if (!ending.isEmpty) {
          val next = ending.peek()
          if (next._1 <= end) {
            now = next._1
            ending.poll()
            val took = now - next._2
            if (took > worst) worst = took
            limit.ended(now, took, took)
            done += 1
            go = true
          }
        }
      }
      now = end
    }

    def offer(perSecond: Int, millis: Int): this.type = {
      val gap = 1000 * ms / perSecond
      val end = now + millis * ms
      while (now < end) {
        if (limit.isFull) refused += 1
        else {
          limit.begin(now)
          queue.add(now)
        }
        work(Math.min(end, now + gap))
        if (now / (100 * ms) != (now - gap) / (100 * ms)) limit.look(now)
      }
      this
    }
  }

  test("below capacity nothing is refused") {
    val s = new Service(50, 20 * ms).offer(2000, 5000)
    assertEquals(s.refused, 0)
  }

  test("a service that takes any number is not limited, once that is known") {
    val s = new Service(100000, 20 * ms).offer(2000, 1000).offer(20000, 1000)
    s.forget()
    s.offer(20000, 2000)
    assertEquals(s.refused, 0)
  }

  test("at twice and at five times the capacity it stays busy, and those let in take little longer") {
    List(5000, 12500).foreach { rate =>
      val s = new Service(50, 20 * ms).offer(2000, 5000)
      s.forget()
      s.offer(rate, 20000)
      assert(s.done > 47000, clue = s"at $rate/s ${s.done} of 50000 were done")
      assert(s.worst < 110 * ms, clue = s"at $rate/s one took ${s.worst / ms} ms")
      s.forget()
      s.offer(rate, 5000)
      assert(s.worst < 60 * ms, clue = s"at $rate/s one took ${s.worst / ms} ms, after 20 s of it")
    }
  }

  test("when the load is over nothing is refused any more, at once") {
    val s = new Service(50, 20 * ms).offer(2000, 1000).offer(12500, 5000)
    s.offer(2000, 500)
    s.forget()
    s.offer(2000, 3000)
    assertEquals(s.refused, 0)
  }

  test("a service that has become slower, but has no queue, is limited only for a moment") {
    val s = new Service(100000, 20 * ms).offer(2000, 2000)
    s.takes = 60 * ms
    s.offer(2000, 2000)
    s.forget()
    s.offer(2000, 3000)
    assert(s.refused < 60, clue = s"${s.refused} of 6000 were refused")
  }

  test("a service that hangs soon has no more than the least number of requests") {
    val s = new Service(50, 20 * ms).offer(2000, 1000)
    s.takes = 30000 * ms
    s.offer(2000, 2000)
    assertEquals(s.limit.limit, config.leastInFlight)
  }

  test("a queue that has stood for less than an interval cuts nothing") {
    val s = new Service(50, 20 * ms, OverloadConfig(leastInFlight = 8)).offer(2000, 2000)
    s.offer(6000, 20).offer(100, 1000)
    assertEquals(s.refused, 0)
  }

  test(
    "a route in steady use may have three times as much under way: at a peak those let in take little longer"
  ) {
    List(5000, 12500).foreach { rate =>
      val s = new Service(50, 20 * ms, OverloadConfig()).offer(2000, 10000)
      assert(s.limit.limit >= 115 && s.limit.limit <= 150, clue = s"${s.limit.limit} for 40 that are needed")
      s.forget()
      s.offer(rate, 8000)
      assert(s.worst < 70 * ms, clue = s"at $rate/s one took ${s.worst / ms} ms")
      assert(s.done > 19500, clue = s"at $rate/s ${s.done} of 20000 were done")
    }
  }

  test("where more is served as quickly as ever, the limit doubles with each round") {
    val s = new Service(100000, 20 * ms, OverloadConfig()).offer(2000, 10000)
    s.forget()
    s.offer(20000, 60)
    assert(s.limit.limit >= 400, clue = s.limit.limit)
    s.forget()
    s.offer(20000, 1000)
    assertEquals(s.refused, 0)
    s.offer(2000, 20000)
    assert(s.limit.limit <= 150, clue = s"${s.limit.limit} long after that")
  }

  test("a route that is hardly used, or has not been for long, has the limit of a new one") {
    val s = new Service(50, 20 * ms, OverloadConfig()).offer(100, 10000)
    assertEquals(s.limit.limit, OverloadConfig().initialInFlight)
    s.offer(2000, 10000)
    assert(s.limit.limit < 200)
    s.now += 60000 * ms
    s.offer(100, 2000)
    assertEquals(s.limit.limit, OverloadConfig().initialInFlight)
  }

  test("a moment in which everything stands still changes little") {
    val s = new Service(50, 20 * ms).offer(2000, 2000)
    s.now += 200 * ms // no responses are observed, and 400 requests have arrived meanwhile
    s.offer(100000, 4).offer(2000, 300)
    s.forget()
    s.offer(2000, 3000)
    assertEquals(s.refused, 0)
  }

  test("its settings are checked") {
    intercept[IllegalArgumentException](OverloadConfig(target = Duration.Zero))
    intercept[IllegalArgumentException](OverloadConfig(leastInFlight = 0))
    intercept[IllegalArgumentException](OverloadConfig(grace = -1.second))
  }

  test("the limit does not grow beyond the maximum") {
    val config = OverloadConfig(initialInFlight = 100, maxInFlight = 300)
    val s      = new Service(100000, 20 * ms, config).offer(2000, 10000).offer(20000, 1000)
    assert(s.limit.limit > 200 && s.limit.limit <= 300, clue = s.limit.limit)
  }

  test("a request that was cancelled does not show how long requests take") {
    val limit = new InFlightLimit(5 * ms, config, 1.0)
    limit.begin(0)
    limit.ended(20 * ms, 20 * ms, 20 * ms)
    assertEquals(limit.allowed, 30 * ms)
    limit.begin(20 * ms)
    limit.ended(21 * ms, -1, ms)
    assertEquals((limit.allowed, limit.inFlight), (30 * ms, 0))
    limit.begin(21 * ms)
    limit.ended(22 * ms, ms, ms)
    assertEquals(limit.allowed, 6 * ms)
  }

  test("what a request takes at its best is what a quarter of a window's requests take, not the quickest") {
    val limit                    = new InFlightLimit(5 * ms, config, 1.0)
    var now                      = 0L
    def take(millis: Long): Unit = {
      limit.begin(now)
      now += millis * ms
      limit.ended(now, millis * ms, millis * ms)
    }
    for (_ <- 1 to 7) { for (_ <- 1 to 9) take(20); take(1) }
    take(20)
    assertEquals(limit.allowed, 30 * ms)
    for (_ <- 1 to 100) { take(1); for (_ <- 1 to 9) take(20) }
    assertEquals(limit.allowed, 30 * ms)
    for (_ <- 1 to 2000) take(1)
    assertEquals(limit.allowed, 6 * ms)
  }

  test("failures show neither how long requests take nor that there is a queue, whether quick or slow") {
    for (millis <- List(1, 20, 500)) {
      val limit = new Service(50, 20 * ms).offer(2000, 5000).offer(1, 1000).limit
      var now   = 8000 * ms
      for (_ <- 1 to 40) limit.begin(now)
      for (_ <- 1 to 2000) {
        now += millis * ms / 40
        limit.failed(now, millis * ms)
        limit.begin(now)
      }
      assertEquals(limit.allowed, 30 * ms, millis)
      assert(limit.limit >= 80, clue = (millis, limit.limit))
    }
  }

  test("a queue is found although two of three requests fail quickly, and few are answered") {
    val limit  = new Service(50, 20 * ms).offer(2000, 5000).limit
    var now    = 6000 * ms
    val before = limit.allowed
    assertEquals(before, 30 * ms)
    for (_ <- 1 to 100) limit.begin(now)
    for (_ <- 1 to 100) { // in a second, of which each interval has five answers
      now += 10 * ms
      limit.begin(now)
      limit.failed(now, ms)
      if (now / ms % 20 == 0) {
        limit.begin(now)
        limit.ended(now, 500 * ms, 500 * ms)
      }
    }
    assertEquals(limit.limit, config.leastInFlight)
  }

  test(
    "a route that has answered nothing but failures since its first request does not keep its base for as long"
  ) {
    val limit = new InFlightLimit(5 * ms, config, 1.0)
    var now   = 1000 * ms
    limit.begin(now) // which is in flight all the time
    for (_ <- 1 to 100) {
      limit.begin(now)
      now += 600 * ms
      limit.failed(now, 600 * ms)
    }
    def answered(times: Int, nanos: Long): Unit = for (_ <- 1 to times) {
      limit.begin(now)
      now += nanos
      limit.ended(now, nanos, nanos)
    }
    answered(1, 20 * ms)
    assertEquals(limit.allowed, 30 * ms)
    answered(31, 35 * ms) // a window in which 20 ms are usual
    answered(220, 60 * ms)
    assertEquals(limit.allowed, 60 * ms)
  }
}
