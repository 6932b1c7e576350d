package needletail.server.clock

import needletail.testing.Suite

/** Which part of the time of requests is the loop's own, where each of them is off the processor for a while. */
class LoopTimeSuite extends Suite {
  private final val Ms = 1000L * 1000

  private final class Hands extends Clock {
    var now                             = 1000 * Ms
    var on                              = 0L
    var waited                          = 0L
    def nowMillis: Long                 = now / Ms
    def turnNanos: Long                 = now
    def nanos: Long                     = now
    override def processorNanos: Long   = on
    var asked                           = 0
    override def waits: Long            = { asked += 1; waited }
    def atTurnEnd(task: Runnable): Unit = ()
  }

  /** What the last of many requests counts, in ms: each takes 5 ms, and is off the processor for 2 of them. */
  private def counted(work: Hands => Unit): Long = {
    val clock = new Hands
    val time  = new LoopTime(clock)
    val kind  = new OffCpuTime
    var last  = 0L
    for (_ <- 1 to 48) {
      clock.now += Ms // of waiting for it
      time.nextTurn(clock.now, waited = true)
      val before = time.own
      clock.now += 5 * Ms
      clock.on += 3 * Ms
      work(clock)
      time.read(kind)
      last = time.own - before
    }
    last / Ms
  }

  test("time that each request loses to others is not its own") {
    assertEquals(counted(_ => ()), 3L)
  }

  test("time for which each request waits is its own") {
    assertEquals(counted(_.waited += 1), 5L)
  }

  test("a request that waits among some that lose time to others is counted from the second one on") {
    val clock                                       = new Hands
    val time                                        = new LoopTime(clock)
    val slow                                        = new OffCpuTime
    val own                                         = Seq.newBuilder[Long]
    def run(kind: OffCpuTime, waits: Boolean): Long = {
      clock.now += Ms
      time.nextTurn(clock.now, waited = true)
      val before = time.own
      clock.now += 5 * Ms
      clock.on += 3 * Ms
      if (waits) clock.waited += 1
      time.read(kind)
      (time.own - before) / Ms
    }
    for (_ <- 1 to 40) own += run(slow, waits = true)
    assertEquals(own.result().slice(1, 16).toSet, Set(3L)) // not known yet to be regular
    assertEquals(own.result().drop(18).toSet, Set(5L))
    // another kind loses as much, and does not wait
    val other = new OffCpuTime
    for (_ <- 1 to 40) assertEquals((run(other, waits = false), run(slow, waits = true)), (3L, 5L))
  }

  test("it is not asked how often the thread has waited where nothing is lost") {
    val clock = new Hands
    val time  = new LoopTime(clock)
    val kind  = new OffCpuTime
    for (_ <- 1 to 100) {
      clock.now += Ms
      time.nextTurn(clock.now, waited = true)
      clock.now += 5 * Ms
      clock.on += 5 * Ms - 50000 // of reading the clocks
      time.read(kind)
    }
    assertEquals(clock.asked, 0)
  }

  private final class Delayed extends Clock {
    var now                             = 1000 * Ms
    var on                              = 0L
    var delay                           = 0L
    def nowMillis: Long                 = now / Ms
    def turnNanos: Long                 = now
    def nanos: Long                     = now
    override def processorNanos: Long   = on
    override def delayNanos: Long       = delay
    def atTurnEnd(task: Runnable): Unit = ()
  }

  test("where it is known for how long the thread has wanted to run, the rest of the lost time is its own") {
    for ((delay, own) <- Seq(0 -> 5, 1 -> 4, 2 -> 3, 7 -> 3)) {
      val clock = new Delayed
      val time  = new LoopTime(clock)
      val kind  = new OffCpuTime
      var last  = 0L
      for (_ <- 1 to 48) {
        clock.now += Ms
        time.nextTurn(clock.now, waited = true)
        val before = time.own
        clock.now += 5 * Ms
        clock.on += 3 * Ms
        clock.delay += delay * Ms
        time.read(kind)
        last = time.own - before
      }
      assertEquals(last / Ms, own.toLong, s"of 2 ms it has wanted to run for $delay")
    }
  }

  test("where nobody knows, what each request loses counts as a wait") {
    assertEquals(counted(_.waited = -1), 5L)
  }
}
