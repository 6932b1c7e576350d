package needletail.server.overload

import scala.concurrent.duration._

import needletail.async.Async
import needletail.http.Priority
import needletail.server.clock.{Clock, LoopTime}
import needletail.testing.Suite

/** The parts of a loop's queue, each by itself: who is admitted next, and who is refused. */
class AdmissionQueueSuite extends Suite {
  private final val Ms = 1000L * 1000

  private final class Hands extends Clock {
    var now                             = 1000 * Ms
    def nowMillis: Long                 = now / Ms
    def turnNanos: Long                 = now
    def nanos: Long                     = now
    def atTurnEnd(task: Runnable): Unit = ()
  }

  /** A clock, and what becomes of requests that join, in the order in which that is decided. */
  private class Line {
    val clock                         = new Hands
    val time                          = new LoopTime(clock, tellsApart = false)
    var admitted, refused             = Vector.empty[Int]
    def passMicros(micros: Int): Unit = { clock.now += micros * 1000L; time.read(null) }
    def pass(millis: Int): Unit       = passMicros(1000 * millis)
    def joined(number: Int, turn: Async[Boolean]): Async[Boolean] = {
      turn.onComplete(result =>
        result.foreach(isLetIn => if (isLetIn) admitted :+= number else refused :+= number)
      )
      turn
    }
  }

  /** A burst may last 100 ms, a request waits patiently for 10, and after an overload it must be calm for 200. */
  private final class OneQueue extends Line {
    val rate  = new AdmissionRate(time, 100 * Ms)
    val queue = new AdmissionQueue(time, rate, 100 * Ms, 10 * Ms, 200 * Ms)
    def join(number: Int, ahead: Int = 0): Async[Boolean] = joined(number, queue.join(ahead))
    def join(numbers: Range): Unit                        = numbers.foreach(join(_))

    /**
     * For so many eighths of a burst, in each of which so many join and so many are admitted, and others have the
     * processor besides.
     */
    def flow(eighths: Int, joining: Int, admitted: Int, othersMillis: Int = 0): this.type = {
      for (_ <- 1 to eighths) {
        join(1 to joining)
        for (_ <- 1 to admitted) queue.letIn()
        clock.now += othersMillis * Ms // of the clock, and not of the loop's own time
        time.wall = clock.now
        passMicros(12500)
        queue.look(0)
      }
      this
    }

    /** Then twenty can be admitted within a burst. */
    def learn(): this.type = {
      for (n <- 1 to 10) {
        join(-n)
        queue.letIn()
        pass(5)
      }
      admitted = Vector.empty
      this
    }
  }

  test("the oldest is next, until it has waited for twice its patience; then the newest") {
    val line = new OneQueue
    line.join(1 to 4)
    line.queue.letIn()
    line.pass(20)
    line.queue.letIn()
    line.passMicros(1)
    line.queue.letIn()
    line.queue.letIn()
    assertEquals((line.admitted, line.refused), (Vector(1, 2, 4, 3), Vector.empty[Int]))
    assert(line.queue.isEmpty)
  }

  test("a request that was cancelled leaves the queue, and nobody is admitted in its place") {
    val line  = new OneQueue
    val first = line.join(1)
    line.join(2)
    first.cancel()
    assertEquals(line.queue.size, 1)
    first.cancel()
    assertEquals(line.queue.size, 1)
    line.queue.letIn()
    assertEquals((line.admitted, line.refused, line.queue.size), (Vector(2), Vector.empty[Int], 0))
  }

  test(
    "as many may wait as can be admitted within a burst, after those of a higher priority; the oldest are refused"
  ) {
    val line = new OneQueue().learn()
    line.join(1 to 20)
    assertEquals((line.queue.size, line.refused), (20, Vector.empty[Int]))
    line.join(21 to 25)
    assertEquals((line.queue.size, line.refused), (20, (1 to 5).toVector))
    line.queue.look(15)
    assertEquals((line.queue.size, line.refused), (5, (1 to 20).toVector))
    line.join(26, ahead = 100)
    assertEquals((line.queue.size, line.refused), (1, (1 to 25).toVector))
  }

  test(
    "a queue of less than a burst's time refuses nobody, and one that lasts longer refuses those that have waited so long"
  ) {
    val line = new OneQueue
    line.join(1 to 12)
    line.pass(99)
    line.queue.look(0)
    assertEquals((line.queue.size, line.refused), (12, Vector.empty[Int]))
    line.join(13)
    line.pass(1)
    line.queue.look(0)
    assertEquals((line.queue.size, line.refused), (1, (1 to 12).toVector))
  }

  test(
    "a queue that refuses after a burst's time, and grows, is overloaded: the newest first, and none waits longer than its patience"
  ) {
    val line = new OneQueue
    line.flow(7, joining = 4, admitted = 1)
    assert(!line.queue.isOverloaded)
    line.flow(1, joining = 4, admitted = 1)
    assert(line.queue.isOverloaded && line.refused.nonEmpty)
    line.queue.look(0)
    assert(line.queue.isEmpty, "none has come in the last 10 ms")
    line.join(101 to 102)
    line.pass(9)
    line.queue.look(0)
    line.queue.letIn()
    assertEquals(line.admitted.last, 102, "the newest first")
    line.pass(1)
    line.queue.look(0)
    assertEquals(line.refused.last, 101, "after its patience")
  }

  test("a queue that has existed for long is not overloaded while it need not refuse any, or does not grow") {
    def after(flow: OneQueue => Any): OneQueue = {
      val line = new OneQueue
      flow(line)
      assert(!line.queue.isOverloaded && !line.queue.isEmpty)
      line
    }
    val level = after { line =>
      line.join(101 to 110)
      line.flow(40, joining = 5, admitted = 5)
    }
    assertEquals(level.refused, Vector.empty[Int], "as many join as are admitted")
    val burst = after { line =>
      line.join(101 to 160)
      line.flow(30, joining = 4, admitted = 5)
    }
    assert(burst.refused.nonEmpty, "more than can be admitted in the time of a burst")
    val bursts = after { line =>
      line.flow(8, joining = 5, admitted = 5)
      for (_ <- 1 to 4) {
        line.join(101 to 150)
        line.flow(12, joining = 2, admitted = 5)
      }
    }
    assert(bursts.refused.nonEmpty)
  }

  test("a queue that grows because others have the processor is not overloaded") {
    for (others <- List(0, 13)) {
      val line = new OneQueue
      line.flow(12, joining = 4, admitted = 3, othersMillis = others)
      assert(line.refused.nonEmpty, others)
      assertEquals(line.queue.isOverloaded, others == 0)
    }
  }

  test("a queue of which none is admitted is overloaded") {
    val line = new OneQueue
    line.flow(8, joining = 1, admitted = 0)
    assert(line.queue.isOverloaded)
  }

  test("bursts are allowed again when an overloaded queue has been empty for the calm time") {
    for ((calm, isOverloaded) <- Seq(199 -> true, 200 -> false)) {
      val line = new OneQueue
      line.flow(8, joining = 4, admitted = 1)
      line.queue.look(0)
      assert(line.queue.isOverloaded && line.queue.isEmpty)
      line.pass(calm)
      line.join(13)
      assertEquals(line.queue.isOverloaded, isOverloaded, calm)
    }
  }

  test(
    "a rate is known from eight admissions in a quarter of the window on, and is of the last two windows"
  ) {
    val line = new Line
    val rate = new AdmissionRate(line.time, 100 * Ms)
    for (_ <- 1 to 7) rate.count()
    line.pass(30)
    assertEquals(rate.in(100 * Ms), -1)
    rate.count()
    assertEquals(rate.in(100 * Ms), 27) // 8 in 30 ms
    rate.begin()
    line.pass(24)
    for (_ <- 1 to 10) rate.count()
    line.passMicros(24999)
    assertEquals(rate.in(100 * Ms), -1)
    line.passMicros(1)
    assertEquals(rate.in(100 * Ms), 40)
    line.pass(100)
    assertEquals(rate.in(100 * Ms), 8) // 10 in 125 ms
    line.pass(100)
    assertEquals(rate.in(100 * Ms), -1, "none in the last 100 ms and more")
    for (_ <- 1 to 10) rate.count()
    line.pass(100)
    assertEquals(rate.in(100 * Ms), 10)
    rate.begin()
    line.pass(50)
    assertEquals(rate.in(100 * Ms), -1, "a queue forms")
  }

  /** Two hundred can be admitted within a burst. */
  private final class Delay extends Line {
    val config = OverloadConfig(target = 10.millis, burst = 1.second)
    val delay  = new QueueDelay(clock, time, config, 0)

    def join(number: Int, priority: Priority): Unit = { joined(number, delay.join(priority)); () }

    /** One of a low priority waits from now on, as an empty queue forgets what it has learnt. */
    def learn(): this.type = {
      join(200, Priority.Low)
      for (n <- 1 to 60) {
        join(-n, Priority.High)
        delay.letIn()
        pass(5)
      }
      admitted = Vector.empty
      this
    }
  }

  test("those of a higher priority that wait take the room of the others, whoever came first") {
    val after = new Delay().learn()
    for (n <- 1 to 150) after.join(n, Priority.High)
    for (n <- 201 to 300) after.join(n, Priority.Low)
    assertEquals(after.refused, (200 to 250).toVector)
    val before = new Delay().learn()
    for (n <- 201 to 300) before.join(n, Priority.Low)
    for (n <- 1 to 150) before.join(n, Priority.High)
    assertEquals(before.refused, Vector.empty[Int])
    before.delay.look()
    assertEquals(before.refused, (200 to 250).toVector)
    for (_ <- 1 to 151) assert(before.delay.letIn())
    assertEquals(before.admitted, (1 to 150).toVector :+ 251)
  }

  test("requests join a queue once the loop is later than the target, unless they are cheap") {
    def isLong(millis: Int, requests: Int): Boolean = {
      val line = new Delay
      line.pass(millis)
      line.delay.counted(requests)
      line.delay.ended()
      line.delay.isLong
    }
    assertEquals((10 to 11).map(isLong(_, 1)), IndexedSeq(false, true))
    assertEquals((44 to 45).map(isLong(11, _)), IndexedSeq(true, false), "0.25 ms each")
  }

  test("without a wait in between, what is read in a turn has waited for half of the turn before") {
    val line = new Delay
    line.delay.nextTurn(line.clock.now)
    line.pass(8)
    line.delay.nextTurn(line.clock.now)
    assertEquals(line.delay.waited, 4 * Ms)
    line.pass(1)
    assertEquals(line.delay.waited, 5 * Ms)
    line.clock.now += 3 * Ms // it waits
    line.delay.nextTurn(line.clock.now)
    assertEquals(line.delay.waited, 0L)
  }
}
