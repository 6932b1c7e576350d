package needletail.server.overload

import scala.concurrent.duration._

import needletail.http.Priority
import needletail.server.VirtualServer
import needletail.server.clock.{Clock, LoopTime}
import needletail.testing.Suite

/** TLS handshakes that a loop computes, as others see them that wait for it: in virtual time. */
class HandshakesAsWorkSuite extends Suite {
  private final val Ms = 1000L * 1000

  test("a request is not recorded with handshakes that were computed before the clock was read") {
    val s     = new VirtualServer(OverloadConfig())
    val quick = VirtualServer.kind(0.05)
    s.greetings(1500, 1.0)
    s.offer(100, 1000, quick)
    val recorded = s.admission.stateOf(quick.route).latencies
    assertEquals(recorded.count, 100L)
    assert(recorded.maxNanos < 100000, s"${recorded.maxNanos / 1000} us instead of 60")
  }

  test(
    "nor is one that has come with the end of its client's handshake recorded with that, or that with it"
  ) {
    val s     = new VirtualServer(OverloadConfig())
    val quick = VirtualServer.kind(0.05)
    val dear  = VirtualServer.kind(2)
    for (kind <- Seq(quick, dear); _ <- 1 to 50) {
      s.greetings(2, 1.0, kind)
      s.run(20)
    }
    def mean(of: VirtualServer.Kind): Long = { // in microseconds
      val recorded = s.admission.stateOf(of.route).latencies
      assertEquals(recorded.count, 100L)
      recorded.sumNanos / recorded.count / 1000
    }
    assert(mean(quick) < 70, mean(quick))
    assert(mean(dear) > 1990 && mean(dear) < 2020, mean(dear))
  }

  test("what has come with the end of a handshake is recorded, also if the next turn is another session's") {
    val s     = new VirtualServer(OverloadConfig())
    val quick = VirtualServer.kind(0.05)
    val dear  = VirtualServer.kind(2)
    s.greetings(1, 1.0, dear)
    s.at(s.now + Ms, quick)
    s.run(20)
    def most(of: VirtualServer.Kind): Long = {
      val recorded = s.admission.stateOf(of.route).latencies
      assertEquals(recorded.count, 1L)
      recorded.maxNanos / 1000
    }
    assert(most(dear) > 1900 && most(dear) < 2200, most(dear))
    assert(most(quick) < 100, most(quick))
  }

  private final class Hands extends Clock {
    var now                                 = 1000 * Ms
    var computed, before, latest            = 0L
    def nowMillis: Long                     = now / Ms
    def turnNanos: Long                     = now
    def nanos: Long                         = now
    def atTurnEnd(task: Runnable): Unit     = ()
    override def handshakeNanos: Long       = computed
    override def handshakeNanosBefore: Long = before
    override def handshakeNanosLatest: Long = latest
  }

  private final class Loop {
    val clock = new Hands
    val time  = new LoopTime(clock, tellsApart = false)
    val delay = new QueueDelay(clock, time, OverloadConfig(target = 10.millis, burst = 1.second), 0)

    def begin(): Unit = {
      clock.before = clock.computed
      delay.nextTurn(clock.now)
    }

    /** A turn in which sessions work for so long. */
    def turn(millis: Double): Unit = {
      begin()
      work(millis)
      delay.ended()
    }
    def work(millis: Double): Unit = {
      clock.now += (millis * Ms).toLong
      time.read(null)
      delay.clockRead()
    }

    /** Handshakes that are computed after the clock was read, or in a turn without sessions. */
    def handshakes(millis: Int): Unit = {
      clock.now += millis * Ms
      clock.computed += millis * Ms
      clock.latest = millis * Ms
    }
  }

  test("who comes during handshakes has waited for them, at the end of a turn or in a turn of their own") {
    val loop = new Loop
    import loop._
    turn(2)
    handshakes(10)
    begin()
    assertEquals(delay.waited, 6 * Ms) // half of both
    work(1)
    assertEquals(delay.waited, 7 * Ms)
    for (_ <- 1 to 20) handshakes(8) // it has waited for one of these turns
    begin()
    assertEquals(delay.waited, 4 * Ms)
    work(1)
    clock.now += 5 * Ms // of waiting for it
    begin()
    assertEquals(delay.waited, 0L)
  }

  test("a loop that computes handshakes is not idle: what is overloaded stays so") {
    def stays(pause: Loop => Unit): Boolean = {
      val loop = new Loop
      import loop._
      begin()
      for (_ <- 1 to 300) {
        delay.join(Priority.Normal)
        delay.join(Priority.Normal)
        work(5)
        delay.letIn()
        delay.look()
      }
      assert(delay.isOverloaded)
      while (delay.letIn()) ()
      delay.look()
      for (_ <- 1 to 100) {
        turn(1)
        pause(loop)
      }
      delay.isOverloaded
    }
    assert(stays(_.handshakes(9)))
    assert(!stays(_.clock.now += 9 * Ms))
  }

  test("handshakes do not make cheap requests dear") {
    def isLong(dear: Boolean): Boolean = {
      val loop = new Loop
      import loop._
      turn(1)
      handshakes(40)
      begin()
      if (dear) work(0.5) else work(0.05)
      delay.counted(1)
      handshakes(3) // left from before, so that they come before the clock is read
      time.read(null)
      delay.clockRead()
      delay.ended()
      delay.isLong
    }
    assert(!isLong(dear = false))
    assert(isLong(dear = true))
  }
}
