package needletail.io

import java.util.concurrent.CountDownLatch

import scala.concurrent.{Await, Promise}
import scala.concurrent.duration._
import scala.util.Try

import needletail.async.{Async, AsyncPromise, Loop}
import needletail.testing.Suite

/** Work on loops of which one ends. */
class LoopStatesSuite extends Suite {
  private val patience = 20.seconds

  private def dies: Async[Int] = throw new OutOfMemoryError("none left")

  /** What waits for `work` is told, and its loop ends. */
  private def ends(work: LoopStates[Int] => Try[Int]): Unit = {
    val lent   = new EventLoops(1, "lent", daemon = true, onFailure = (_, _) => ())
    val states = new LoopStates[Int]("the thing", "own", 1, lent, _ => 1, _ => ())
    val told   = Promise[Try[Int]]()
    val caller = new Thread(() => { told.trySuccess(work(states)); () })
    caller.setDaemon(true)
    caller.start()
    val result = Await.result(told.future, patience)
    assertEquals(result.failed.map(_.getMessage), Try("the thing is closed"))
    Await.result(lent.stopped, patience)
    states.close()
  }

  test("who waits for work is told if it ends its loop by a fatal error as it begins, or later") {
    ends(states => Try(states.await(dies)))
    ends(states => Try(Await.result(states.run(dies), patience)))
    ends(states => Try(states.await(Async.sleep(10.millis).flatMap(_ => dies))))
    ends(states => Try(Await.result(states.run(Async.sleep(10.millis).flatMap(_ => dies)), patience)))
  }

  test(
    "who waits for work is told the same where the loop, as it ends, tells others before what it has thrown"
  ) {
    def diesInATask: Async[Int] = {
      val begun = new AsyncPromise[Unit]
      val other = new AsyncPromise[Unit]
      other.foreach(_ => ())
      val loop = Loop.current
      loop.execute { () => begun.succeed(()); () }
      loop.execute { () => other.succeed(()); () } // one of its last: calls all observers that are left
      begun.flatMap(_ => dies)
    }
    ends(states => Try(states.await(diesInATask)))
    ends(states => Try(Await.result(states.run(diesInATask), patience)))
  }

  test("who waits for work gets a fatal error that has ended another thread") {
    val states = new LoopStates[Int]("the thing", "own", 1, null, _ => 1, _ => ())
    val error  = new OutOfMemoryError("none left there")
    val thrown =
      try { states.await(Async.yieldNow.flatMap(_ => Async.fail(error))); null }
      catch { case e: OutOfMemoryError => e }
    assert(thrown eq error)
    assertEquals(states.await(Async.value(1)), 1)
    states.close()
  }

  test(
    "the future of Async.run fails if the loop ends while the work goes on, by an error or as it is stopped"
  ) {
    for (end <- Seq[EventLoops => Unit](_.stop(), loops => loops(0).execute(() => { val _ = dies }))) {
      val loops = new EventLoops(1, "jobs", daemon = true, onFailure = (_, _) => ())
      val begun = new CountDownLatch(1)
      val never = Async.run(loops(0)) { begun.countDown(); new AsyncPromise[Int] }
      begun.await()
      end(loops)
      val error = Await.result(never.failed, patience)
      assert(error.isInstanceOf[java.util.concurrent.RejectedExecutionException], error)
      Await.result(loops.stopped, patience)
    }
  }

  test("who waits for work is told if its loop ends by the work before, which it took together with it") {
    val lent    = new EventLoops(1, "lent", daemon = true, onFailure = (_, _) => ())
    val states  = new LoopStates[Int]("the thing", "own", 1, lent, _ => 1, _ => ())
    val begun   = new CountDownLatch(1)
    val go      = new CountDownLatch(1)
    val blocked = states.run { begun.countDown(); go.await(); Async.value(0) }
    begun.await()
    val (first, second) = (states.run(dies), states.run(Async.value(1)))
    go.countDown()
    assertEquals(Await.result(blocked, patience), 0)
    assertEquals(Try(Await.result(first, patience)).failed.map(_.getMessage), Try("the thing is closed"))
    Await.ready(second, patience)
    Await.result(lent.stopped, patience)
    states.close()
  }

  test("who waits for work on all loops is told when the others are done, if a fatal error ends one") {
    val works = Seq[EventLoop => Async[Unit]](
      _ => dies.map(_ => ()),
      _ => Async.sleep(10.millis).flatMap(_ => dies).map(_ => ()),
      loop => {
        loop.execute { () =>
          val _ = dies
        }
        new AsyncPromise[Unit]
      }
    )
    for (work <- works) {
      val lent   = new EventLoops(2, "lent", daemon = true, onFailure = (_, _) => ())
      val states = new LoopStates[EventLoop]("the thing", "own", 1, lent, loop => loop, _ => ())
      for (_ <- 1 to 2) Await.result(states.run(Async.attempt(states.here("no loop"))), patience)
      assertEquals(states.all.toSet, Set(lent(0), lent(1)))
      @volatile var isDone = false
      val all              = states.eachAsync(loop =>
        if (loop eq lent(0)) work(loop) else Async.sleep(100.millis).map(_ => isDone = true)
      )
      Await.result(all, patience)
      assert(isDone)
      states.close()
      lent.stop()
      Await.result(lent.stopped, patience)
    }
  }
}
