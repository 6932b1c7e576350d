package needletail.actor

import scala.concurrent.ExecutionContext

import needletail.testing.Suite
import needletail.testkit.ManualLoop

class WatchSuite extends Suite {

  private final class Scene(mailbox: Int = 1024) {
    val loop                     = new ManualLoop
    var context: Context[String] = null
    var seen                     = List.empty[String]
    val watched: ActorRef[Int]   = Actor.spawn[Int](loop)(_ => _ => ())
    val ref: ActorRef[String]    = Actor.spawn[String](loop, ActorSettings(mailbox = mailbox)) { c =>
      context = c
      message => seen ::= message
    }
    loop.runAll()
    def watch(message: String): Scheduled = loop.within(context.watch(watched)(message))
  }

  test("told once when a watched actor stops") {
    val f = new Scene
    f.watch("gone")
    f.loop.runAll()
    assertEquals(f.seen, Nil)
    f.watched.stop()
    f.watched.stop()
    f.loop.runAll()
    assertEquals(f.seen, List("gone"))
  }

  test("told at once when it had stopped before") {
    val f = new Scene
    f.watched.stop()
    f.loop.runAll()
    f.watch("gone")
    f.loop.runAll()
    assertEquals(f.seen, List("gone"))
  }

  test("told of one that stops itself after too many failures") {
    val f       = new Scene
    val failing = Actor.spawn[Int](f.loop, ActorSettings(restarts = 0, onFailure = Some(_ => ()))) { _ => _ =>
      throw new RuntimeException
    }
    f.loop.within(f.context.watch(failing)("failed"))
    failing ! 1
    f.loop.runAll()
    assertEquals(f.seen, List("failed"))
  }

  test("a watch that is called off tells nothing, even if the notice is there already") {
    val f     = new Scene
    val early = f.watch("early")
    val late  = f.watch("late")
    f.loop.within(early.cancel())
    f.watched.stop()
    f.loop.execute(() => late.cancel())
    f.loop.runAll()
    assert(!f.seen.contains("early"))
    assert(f.seen.size <= 1)
  }

  test("a full mailbox loses no notice, and it is received first") {
    val f = new Scene(mailbox = 2)
    f.watch("gone")
    f.watched.stop()
    f.loop.execute { () =>
      f.ref ! "a"
      f.ref ! "b"
      f.ref ! "too much"
    }
    f.loop.runAll()
    assertEquals(f.seen.reverse, List("gone", "a", "b"))
  }

  test("many watchers, some of which stop first") {
    val f        = new Scene
    var told     = 0
    val watchers = List.fill(10)(Actor.spawn[Unit](f.loop) { context =>
      context.watch(f.watched)(())
      _ => told += 1
    })
    f.loop.runAll()
    watchers.take(4).foreach(_.stop())
    f.loop.runAll()
    f.watched.stop()
    f.loop.runAll()
    assertEquals(told, 6)
  }

  test("whenStopped is complete after onStop") {
    val loop  = new ManualLoop
    var ended = false
    val ref   = Actor.spawn[Int](loop) { _ =>
      new Actor[Int] {
        def receive(n: Int): Unit   = ()
        override def onStop(): Unit = ended = true
      }
    }
    loop.runAll()
    val when = ref.whenStopped
    assert(!when.isCompleted)
    ref.stop()
    loop.runAll()
    assert(ended && when.isCompleted && ref.whenStopped.isCompleted)
  }

  test("whenStopped is one future, so that asking for it often takes no memory") {
    val f    = new Scene
    val once = f.watched.whenStopped
    assert((f.watched.whenStopped eq once) && !once.isCompleted)
    f.watched.stop()
    f.loop.runAll()
    assert(once.isCompleted && f.watched.whenStopped.isCompleted)
  }

  test("a callback of whenStopped that throws keeps no watcher from being told") {
    val f         = new Scene
    val callbacks = ExecutionContext.fromExecutor(_.run())
    for (n <- 1 to 3) {
      f.watched.whenStopped.onComplete(_ => throw new LinkageError("as it should be"))(callbacks)
      f.watch(s"gone $n")
    }
    f.watched.stop()
    val reported =
      try { f.loop.runAll(); "nothing" }
      catch { case e: LinkageError => e.getMessage }
    assertEquals(reported, "as it should be")
    f.loop.runAll()
    assertEquals(f.seen.reverse, List("gone 1", "gone 2", "gone 3"))
  }
}
