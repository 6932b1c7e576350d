package needletail.actor

import scala.concurrent.duration._

import needletail.async.Async
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** An actor that fails is made afresh, so often and no more. */
class RestartSuite extends Suite {
  private final class Boom(val n: Int) extends RuntimeException(s"boom $n", null, false, false)

  /** An actor that adds up, fails on negative numbers, and writes down its life. */
  private final class Scene(settings: ActorSettings) {
    val loop   = new ManualLoop
    var life   = List.empty[String]
    var errors = List.empty[Throwable]

    val ref: ActorRef[Int] =
      Actor.spawn[Int](loop, settings.copy(onFailure = Some(e => errors ::= e))) { _ =>
        life ::= "make"
        var sum = 0
        new Actor[Int] {
          override def onStart(): Unit = life ::= "start"
          def receive(n: Int): Unit    = {
            if (n < 0) throw new Boom(n)
            sum += n
            life ::= s"sum $sum"
          }
          override def onStop(): Unit = life ::= "stop"
        }
      }

    def takeLife(): List[String] = {
      val lived = life.reverse
      life = Nil
      lived
    }
  }

  test("its state is fresh, its mailbox survives, the message that failed is gone") {
    val f = new Scene(ActorSettings())
    List(1, 2, -1, 10, 20).foreach(f.ref.send)
    f.loop.runAll()
    assertEquals(
      f.takeLife(),
      List("make", "start", "sum 1", "sum 3", "stop", "make", "start", "sum 10", "sum 30")
    )
    assertEquals(f.errors.map(_.getMessage), List("boom -1"))
    assertEquals(f.ref.stats, ActorStats(0, 5, 0, 0, 0, 1))
  }

  test("past the limit it stops, and what waits is dead") {
    val f = new Scene(ActorSettings(restarts = 2))
    List(-1, -2, -3, 1, 2).foreach(f.ref.send)
    f.loop.runAll()
    assert(f.ref.isStopped)
    assertEquals(f.errors.size, 3)
    assertEquals(
      f.takeLife(),
      List("make", "start", "stop", "make", "start", "stop", "make", "start", "stop")
    )
    assertEquals(f.ref.stats, ActorStats(0, 3, 0, 0, 2, 2))
  }

  test("failures long ago do not count") {
    val f = new Scene(ActorSettings(restarts = 1, within = 1.minute))
    for (_ <- 1 to 5) {
      f.ref.send(-1)
      f.loop.runAll()
      f.loop.advance(1.minute)
    }
    assert(!f.ref.isStopped)
    assertEquals(f.ref.stats.restarts, 5)
    f.ref.send(-1)
    f.ref.send(-1)
    f.loop.runAll()
    assert(f.ref.isStopped)
  }

  test("without restarts the first failure stops it") {
    val f = new Scene(ActorSettings(restarts = 0))
    f.ref.send(-1)
    f.loop.runAll()
    assert(f.ref.isStopped)
    assertEquals(f.takeLife(), List("make", "start", "stop"))
  }

  test("failures of the factory and of onStart count too") {
    val loop     = new ManualLoop
    var made     = 0
    var errors   = 0
    val settings = ActorSettings(restarts = 3, onFailure = Some(_ => errors += 1))
    val broken   = Actor.spawn[Int](loop, settings) { _ => made += 1; throw new Boom(0) }
    loop.runAll()
    assertEquals((made, errors, broken.isStopped), (4, 4, true))

    var started = 0
    val slow    = Actor.spawn[Int](loop, settings) { _ =>
      new Actor[Int] {
        override def onStart(): Unit = { started += 1; if (started < 3) throw new Boom(started) }
        def receive(n: Int): Unit    = started += n
      }
    }
    slow.send(10)
    loop.runAll()
    assertEquals((started, slow.isStopped), (13, false))
  }

  test("a failing onStop stops nothing else, and is reported") {
    val loop   = new ManualLoop
    var errors = List.empty[String]
    val ref    = Actor.spawn[Int](loop, ActorSettings(onFailure = Some(e => errors ::= e.getMessage))) { _ =>
      new Actor[Int] {
        def receive(n: Int): Unit   = ()
        override def onStop(): Unit = throw new Boom(9)
      }
    }
    loop.runAll()
    ref.stop()
    loop.runAll()
    assert(ref.isStopped && ref.whenStopped.isCompleted)
    assertEquals(errors, List("boom 9"))
  }

  test(
    "a fatal error in onStop is thrown on the loop; the actor has stopped all the same, and onStop is called once"
  ) {
    val loop  = new ManualLoop
    var stops = 0
    val child = new Array[ActorRef[Int]](1)
    val ref   = Actor.spawn[Int](loop) { context =>
      child(0) = context.spawn[Int]()(_ => _ => ())
      new Actor[Int] {
        def receive(n: Int): Unit   = ()
        override def onStop(): Unit = { stops += 1; throw new OutOfMemoryError("none left") }
      }
    }
    loop.runAll()
    ref.stop()
    val thrown =
      try { loop.runAll(); null }
      catch { case e: OutOfMemoryError => e }
    loop.runAll()
    assert(thrown != null)
    assert(ref.isStopped && ref.whenStopped.isCompleted && child(0).isStopped)
    assertEquals(stops, 1)
  }

  test("a failure that nobody handles is thrown on the loop, which logs it") {
    val loop = new ManualLoop
    val ref  = Actor.spawn[Int](loop)(_ => n => throw new Boom(n))
    ref.send(1)
    assertEquals(intercept[ActorFailed](loop.runAll()).getCause.getMessage, "boom 1")
    assert(!ref.isStopped)
  }

  test("in a test, whatever runs the loop throws what actors have failed with meanwhile, all of it") {
    val loop                           = new ManualLoop
    val ref                            = Actor.spawn[Int](loop)(_ => n => throw new Boom(n))
    def thrown(run: => Any): Throwable = intercept[ActorFailed](run).getCause
    loop.runAll()
    ref ! 1
    assertEquals(thrown(loop.run(Async.value(1))).getMessage, "boom 1")
    ref ! 2
    assertEquals(thrown(loop.advance(1.second)).getMessage, "boom 2")
    ref ! 3
    ref ! 4
    val both = intercept[ActorFailed](loop.runAll())
    assertEquals((both :: both.getSuppressed.toList).map(_.getCause.getMessage), List("boom 3", "boom 4"))
    loop.runAll() // once
  }

  private final class Counter extends Actor[Int] {
    def receive(n: Int): Unit = throw new Boom(n)
  }

  test("what is logged of a failure names the actor, or the class of one without a name") {
    def thrown(settings: ActorSettings)(make: Context[Int] => Actor[Int]): String = {
      val loop = new ManualLoop
      Actor.spawn[Int](loop, settings)(make).send(1)
      intercept[ActorFailed](loop.runAll()).getMessage
    }
    val here = "needletail.actor.RestartSuite"
    assertEquals(thrown(ActorSettings("orders"))(_ => n => throw new Boom(n)), "the actor orders failed")
    assertEquals(thrown(ActorSettings())(_ => n => throw new Boom(n)), s"the actor of $here failed")
    assertEquals(thrown(ActorSettings())(_ => new Counter), s"the actor of $here$$Counter failed")
    assertEquals(thrown(ActorSettings())(_ => throw new Boom(2)), s"the actor of $here failed")
  }

  test("what is logged of the last failure says that the actor is stopped, and why") {
    val loop = new ManualLoop
    val ref  = Actor.spawn[Int](loop, ActorSettings("orders", restarts = 1, within = 1.minute))(_ =>
      n => throw new Boom(n)
    )
    ref.send(1)
    assertEquals(intercept[ActorFailed](loop.runAll()).getMessage, "the actor orders failed")
    ref.send(2)
    assertEquals(
      intercept[ActorFailed](loop.runAll()).getMessage,
      "the actor orders failed, and is stopped: it failed 2 times within 1 minute"
    )
    loop.runAll()
    assert(ref.isStopped)
  }

  test("a stack that overflows is a failure like others") {
    val loop   = new ManualLoop
    var errors = List.empty[Throwable]
    val ref    = Actor.spawn[Int](loop, ActorSettings(onFailure = Some(e => errors ::= e))) { _ => n =>
      if (n == 0) throw new StackOverflowError
    }
    ref.send(0)
    ref.send(1)
    loop.runAll()
    assertEquals(errors.map(_.getClass.getSimpleName), List("StackOverflowError"))
    assertEquals(ref.stats.restarts, 1)
  }

  test("timers, watches and children of a failed incarnation end with it") {
    val loop     = new ManualLoop
    var seen     = List.empty[String]
    var children = List.empty[ActorRef[Int]]
    val other    = Actor.spawn[Int](loop)(_ => _ => ())
    val ref      = Actor.spawn[String](loop, ActorSettings(onFailure = Some(_ => ()))) { context =>
      context.schedule(1.second)("once")
      context.every(1.second)("tick")
      context.watch(other)("other stopped")
      children ::= context.spawn[Int]()(_ => _ => ())
      message => if (message == "fail") throw new Boom(0) else seen ::= message
    }
    loop.runAll()
    assertEquals(loop.pendingTimers, 2)
    ref.send("fail")
    loop.runAll()
    assertEquals(loop.pendingTimers, 2)
    assertEquals(children.map(_.isStopped), List(false, true))
    other.stop()
    loop.advance(1.second)
    assertEquals(seen.reverse, List("other stopped", "once", "tick"))
  }

  test("one that is to become null is restarted, and the report says why") {
    val loop     = new ManualLoop
    var reported = List.empty[Throwable]
    val settings = ActorSettings("strange", onFailure = Some(e => reported ::= e))
    val ref      = Actor.spawn[Int](loop, settings)(context => _ => context.become(null))
    ref ! 1
    loop.runAll()
    assertEquals(reported.map(_.getMessage), List("strange cannot become null"))
    assertEquals(ref.stats.restarts, 1)
  }
}
