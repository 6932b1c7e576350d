package needletail.actor

import scala.concurrent.duration._

import needletail.async.{Loop, Timer}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

class ActorSuite extends Suite {

  test("an actor receives what it is sent, in order, on its loop") {
    val loop = new ManualLoop
    var seen = List.empty[Int]
    val ref  = Actor.spawn[Int](loop)(context => n => { assert(context.loop.inLoop); seen ::= n })
    for (n <- 1 to 10) assert(ref.send(n))
    assertEquals(seen, Nil)
    loop.runAll()
    assertEquals(seen.reverse, List.range(1, 11))
    assertEquals(ref.stats, ActorStats(0, 10, 0, 0, 0, 0))
  }

  test("hooks: started before the first message, stopped after the last, once each") {
    val loop = new ManualLoop
    var seen = List.empty[String]
    val ref  = Actor.spawn[String](loop) { context =>
      seen ::= "made"
      new Actor[String] {
        override def onStart(): Unit       = seen ::= "start"
        def receive(message: String): Unit = {
          seen ::= message
          if (message == "stop") context.stop()
        }
        override def onStop(): Unit = seen ::= "end"
      }
    }
    loop.runAll()
    assertEquals(seen.reverse, List("made", "start"))
    List("a", "stop", "never").foreach(ref.send)
    loop.runAll()
    ref.stop()
    loop.runAll()
    assertEquals(seen.reverse, List("made", "start", "a", "stop", "end"))
    assert(ref.isStopped)
  }

  test("stopped from outside: messages that wait are dead letters, as are those that come later") {
    val loop   = new ManualLoop
    val before = Actor.deadLetters
    var seen   = 0
    val ref    = Actor.spawn[Int](loop)(_ => _ => seen += 1)
    ref.send(1)
    ref.send(2)
    ref.stop()
    loop.runAll()
    assert(!ref.send(3))
    ref ! 4
    assertEquals(seen, 0)
    assertEquals(ref.stats.deadLetters, 4L)
    assert(Actor.deadLetters - before >= 4)
  }

  test("its loop ended: a message left to another sender, who is refused, is a dead letter too") {
    var other: () => Boolean = null
    var hasEnded             = false
    object Ended extends Loop {
      def inLoop: Boolean                                   = false
      def nowNanos: Long                                    = 0
      def schedule(delayNanos: Long, task: Runnable): Timer = throw new UnsupportedOperationException
      def execute(task: Runnable): Unit                     =
        if (!hasEnded) task.run()
        else {
          val send = other
          other = null
          if (send != null)
            assert(send()) // as from another thread, just before this one learns that it is too late
          throw new java.util.concurrent.RejectedExecutionException
        }
    }
    val ref = Actor.spawn[Int](Ended)(_ => _ => ())
    hasEnded = true
    other = () => ref.send(2)
    assert(!ref.send(1))
    assertEquals((ref.stats.waiting, ref.stats.deadLetters), (0, 2L))
  }

  test("become changes what the next message meets") {
    val loop = new ManualLoop
    var seen = List.empty[String]
    val ref  = Actor.spawn[String](loop) { context =>
      def closed: Actor[String] = {
        case "open"  => seen ::= "opened"; context.become(open)
        case message => seen ::= s"no $message"
      }
      def open: Actor[String] = {
        case "close" => seen ::= "closed"; context.become(closed)
        case message => seen ::= message
      }
      closed
    }
    List("in", "open", "in", "close", "in").foreach(ref.send)
    loop.runAll()
    assertEquals(seen.reverse, List("no in", "opened", "in", "closed", "no in"))
  }

  test("no more than a batch at once: the loop's other tasks have their turn") {
    val loop = new ManualLoop
    var seen = List.empty[String]
    val ref  = Actor.spawn[Int](loop, ActorSettings(batch = 3))(_ => n => seen ::= n.toString)
    loop.runAll()
    for (n <- 1 to 7) ref.send(n)
    loop.execute(() => seen ::= "task")
    loop.runAll()
    assertEquals(seen.reverse, List("1", "2", "3", "task", "4", "5", "6", "7"))
  }

  test("two actors in endless talk do not keep the loop from its tasks") {
    val loop                                           = new ManualLoop
    var turns                                          = 0
    var task                                           = false
    def player(other: => ActorRef[Int]): ActorRef[Int] =
      Actor.spawn[Int](loop) { _ => n =>
        turns += 1
        if (n > 0) other ! n - 1
      }
    lazy val ping: ActorRef[Int] = player(pong)
    lazy val pong: ActorRef[Int] = player(ping)
    ping ! 1000
    loop.execute(() => task = turns < 1000)
    loop.runAll()
    assertEquals(turns, 1001)
    assert(task)
  }

  test("a child lives on its parent's loop and stops with it") {
    val loop                 = new ManualLoop
    var child: ActorRef[Int] = null
    val parent               = Actor.spawn[Int](loop) { context =>
      child = context.spawn[Int](ActorSettings(name = "child"))(_ => _ => ())
      _ => ()
    }
    loop.runAll()
    assertEquals(child.loop, parent.loop)
    assert(!child.isStopped)
    parent.stop()
    loop.runAll()
    assert(child.isStopped)
  }

  test("settings are checked, and names shown") {
    intercept[IllegalArgumentException](ActorSettings(mailbox = 0))
    intercept[IllegalArgumentException](ActorSettings(batch = 0))
    intercept[IllegalArgumentException](ActorSettings(restarts = -1))
    intercept[IllegalArgumentException](ActorSettings(within = Duration.Zero))
    assertEquals(
      Actor.spawn[Int](new ManualLoop, ActorSettings(name = "x"))(_ => _ => ()).toString,
      "ActorRef(x)"
    )
  }
}
