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
    override def waits: Long            = waited
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

  test("where nobody knows, what each request loses counts as a wait") {
    assertEquals(counted(_.waited = -1), 5L)
  }
}
