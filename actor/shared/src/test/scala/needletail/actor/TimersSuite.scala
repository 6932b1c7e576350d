package needletail.actor

import scala.concurrent.duration._

import needletail.testing.Suite
import needletail.testkit.ManualLoop

class TimersSuite extends Suite {

  private final class Scene(settings: ActorSettings = ActorSettings()) {
    val loop                     = new ManualLoop
    var context: Context[String] = null
    var seen                     = List.empty[String]
    val ref: ActorRef[String]    = Actor.spawn[String](loop, settings) { c =>
      context = c
      message => seen ::= message
    }
    loop.runAll()
  }

  test("schedule: once, after its delay") {
    val f = new Scene
    f.loop.within(f.context.schedule(2.seconds)("now"))
    f.loop.advance(1999.millis)
    assertEquals(f.seen, Nil)
    f.loop.advance(10.seconds)
    assertEquals(f.seen, List("now"))
  }

  test("every: again and again, until it is called off") {
    val f    = new Scene
    val tick = f.loop.within(f.context.every(1.second)("tick"))
    f.loop.advance(3500.millis)
    assertEquals(f.seen.size, 3)
    f.loop.within { tick.cancel(); tick.cancel() }
    f.loop.advance(1.hour)
    assertEquals(f.seen.size, 3)
    assertEquals(f.loop.pendingTimers, 0)
    intercept[IllegalArgumentException](f.context.every(Duration.Zero)("never"))
  }

  test("what is called off is not received, even if it is in the mailbox already") {
    val loop                 = new ManualLoop
    var seen                 = List.empty[String]
    var scheduled: Scheduled = null
    val ref                  = Actor.spawn[String](loop) { context =>
      scheduled = context.schedule(1.second)("late")
      message => {
        if (message == "cancel") scheduled.cancel()
        seen ::= message
      }
    }
    loop.runAll()
    // both become due in one step of the clock; the one that cancels was there first
    loop.within { loop.schedule(1.second.toNanos - 1, () => ref ! "wait"); () }
    loop.schedule(1.second.toNanos - 1, () => ref ! "cancel")
    loop.advance(1.second)
    assertEquals(seen.reverse, List("wait", "cancel"))
  }

  test("stopping gives all timers back") {
    val f = new Scene
    f.loop.within {
      f.context.every(1.second)("a")
      f.context.schedule(1.second)("b")
    }
    f.ref.stop()
    f.loop.runAll()
    assertEquals(f.loop.pendingTimers, 0)
    f.loop.within(f.context.schedule(1.second)("after the end")).cancel()
    assertEquals(f.loop.pendingTimers, 0)
  }

  test("a tick takes a place in the mailbox; one that waits is not put in twice") {
    for (overflow <- List(Overflow.RejectNewest, Overflow.DropOldest)) {
      val loop  = new ManualLoop
      var ticks = 0
      val ref   =
        Actor.spawn[String](loop, ActorSettings(mailbox = 2, batch = 1, overflow = overflow)) { context =>
          context.every(1.second)("tick")
          message => if (message == "tick") ticks += 1
        }
      loop.runAll()
      loop.advance(5.seconds)
      assertEquals(ticks, 5)
      ref ! "a"
      ref ! "b" // full
      loop.within { loop.schedule(0, () => ()); () }
      loop.advance(3.seconds)
      assertEquals(ref.stats.waiting, 0)
      assert(ticks >= 7, s"$ticks with $overflow")
    }
  }
}
