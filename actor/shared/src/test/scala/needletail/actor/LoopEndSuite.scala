package needletail.actor

import java.util.concurrent.{CountDownLatch, TimeUnit}
import java.util.concurrent.atomic.AtomicInteger

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, ThreadLoop}
import needletail.testing.Suite

/** What becomes of actors whose loop ends. */
class LoopEndSuite extends Suite {
  private val bound = 20.seconds

  /** Waits for what was given to that loop so far. */
  private def settled(loop: ThreadLoop): Unit = Await.result(Async.run(loop)(Async.unit), bound)

  test("an actor stops when its loop ends, and those who watch it are told") {
    val (loop, other) = (new ThreadLoop("ends"), new ThreadLoop("remains"))
    try {
      val stops = new AtomicInteger
      val told  = new CountDownLatch(1)
      val ref   = Actor.spawn[String](loop)(_ =>
        new Actor[String] {
          def receive(message: String): Unit = ()
          override def onStop(): Unit        = { stops.incrementAndGet(); () }
        }
      )
      Actor.spawn[String](other) { context =>
        context.watch(ref)("gone")
        _ => told.countDown()
      }
      settled(loop)
      settled(other)
      assert(!ref.isStopped)
      loop.close()
      Await.result(ref.whenStopped, bound)
      val isTold = told.await(bound.toSeconds, TimeUnit.SECONDS)
      assert(isTold && ref.isStopped)
      assertEquals(stops.get, 1)
      val asked = Await.ready(Async.run(other)(ref.ask[Int](bound)(_ => "?")), bound)
      assert(asked.value.exists(_.failed.get.isInstanceOf[Stopped]), asked)
    } finally { loop.close(); other.close() }
  }

  test("a question of another thread is not left without an answer") {
    val loop   = new ThreadLoop
    val silent = Actor.spawn[String](loop)(_ => _ => ())
    val asked  = silent.askFuture[Int](1.hour)(_ => "?")
    settled(loop)
    assert(!asked.isCompleted)
    loop.close()
    val failed = Await.ready(asked, bound)
    assert(failed.value.exists(_.failed.get.isInstanceOf[Stopped]), failed)
  }

  test("one that is spawned on a loop that has ended has stopped") {
    val loop = new ThreadLoop
    loop.close()
    eventually {
      val ref = Actor.spawn[String](loop)(_ => _ => ())
      ref.isStopped && ref.whenStopped.isCompleted && !ref.send("lost")
    }
  }

  test("one that has stopped by itself does not stop again") {
    val loop  = new ThreadLoop
    val stops = new AtomicInteger
    val ref   = Actor.spawn[String](loop)(_ =>
      new Actor[String] {
        def receive(message: String): Unit = ()
        override def onStop(): Unit        = { stops.incrementAndGet(); () }
      }
    )
    settled(loop)
    ref.stop()
    Await.result(ref.whenStopped, bound)
    val ended = Actor.spawn[String](loop)(_ => _ => ())
    loop.close()
    Await.result(ended.whenStopped, bound)
    assertEquals(stops.get, 1)
  }
}
