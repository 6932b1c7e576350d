package needletail.actor

import java.util.concurrent.atomic.{AtomicInteger, AtomicLong}
import java.util.concurrent.{CountDownLatch, TimeUnit}

import scala.concurrent.Await
import scala.concurrent.duration._

import needletail.async.{Async, Loop, ThreadLoop, Timer}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Many threads at once: no message is lost or reordered, and no loop is woken unnecessarily. */
class ThreadsSuite extends Suite {
  private val threads = 4
  private val each    = 20000

  private def onLoop[A](body: ThreadLoop => A): A = {
    val loop = new ThreadLoop
    try body(loop)
    finally loop.close()
  }

  private def inThreads(body: Int => Unit): Unit = {
    val all = (0 until threads).map(t => new Thread(() => body(t)))
    all.foreach(_.start())
    all.foreach(_.join(30000))
    assert(all.forall(!_.isAlive), "threads hang")
  }

  test("the counter: no number twice, none lost") {
    onLoop { loop =>
      val next = Actor.spawn[Recipient[Long]](loop, ActorSettings(mailbox = threads * each)) { _ =>
        var count = 0L
        replyTo => { count += 1; replyTo ! count }
      }
      val seen     = Array.fill(threads * each + 1)(new AtomicInteger)
      val answered = new CountDownLatch(threads * each)
      inThreads { _ =>
        for (_ <- 1 to each) next ! ((n: Long) => {
          seen(n.toInt).incrementAndGet()
          answered.countDown()
          true
        }): Unit
      }
      val allAnswered = answered.await(30, TimeUnit.SECONDS)
      assert(allAnswered, s"${answered.getCount} not answered")
      assertEquals(seen.count(_.get == 1), threads * each)
    }
  }

  test("one sender's messages keep their order, and the bound holds") {
    onLoop { loop =>
      val last     = Array.fill(threads)(-1)
      var disorder = 0
      val accepted = new AtomicLong
      val beyond   = new AtomicLong // times the bound was seen broken
      val ref      = Actor.spawn[(Int, Int)](loop, ActorSettings(mailbox = 50)) { _ =>
        { case (thread, n) =>
          if (n <= last(thread)) disorder += 1
          last(thread) = n
        }
      }
      inThreads { t =>
        for (n <- 0 until each) {
          if (ref.send((t, n))) accepted.incrementAndGet()
          if (ref.stats.waiting > 50) beyond.incrementAndGet()
        }
      }
      eventually(ref.stats.waiting == 0 && ref.stats.received == accepted.get, ref.stats)
      val stats = ref.stats
      assertEquals((disorder, beyond.get), (0, 0L))
      assertEquals(stats.received + stats.rejected, (threads * each).toLong)
    }
  }

  test("dropping the oldest under many senders: the bound holds, and all is accounted for") {
    onLoop { loop =>
      val ref =
        Actor.spawn[Int](loop, ActorSettings(mailbox = 16, overflow = Overflow.DropOldest))(_ => _ => ())
      val refused = new AtomicLong
      inThreads(_ => for (n <- 0 until each) if (!ref.send(n)) refused.incrementAndGet())
      assertEquals(refused.get, 0L)
      def isAccountedFor(stats: ActorStats) =
        stats.waiting == 0 && stats.received + stats.dropped == (threads * each).toLong
      eventually(isAccountedFor(ref.stats), ref.stats)
    }
  }

  test("stopping under fire: each message is received or a dead letter") {
    onLoop { loop =>
      for (_ <- 1 to 20) {
        val ref = Actor.spawn[Int](loop, ActorSettings(mailbox = 1000000))(context =>
          n => if (n == 500) context.stop()
        )
        inThreads(_ => for (n <- 0 until 1000) ref ! n)
        Await.result(ref.whenStopped, 20.seconds)
        Await.result(Async.run(loop)(Async.unit), 20.seconds)
        val stats = ref.stats
        assertEquals(stats.received + stats.deadLetters, (threads * 1000).toLong)
        assertEquals(stats.waiting, 0)
      }
    }
  }

  test("watching while the other stops: told exactly once") {
    val (here, there) = (new ThreadLoop("here"), new ThreadLoop("there"))
    try {
      val rounds = 500
      val told   = new CountDownLatch(rounds)
      val times  = new AtomicInteger
      val ref    = Actor.spawn[ActorRef[Int]](here) { context => other =>
        context.spawn[Int]() { inner =>
          inner.watch(other)(1)
          _ => { times.incrementAndGet(); told.countDown() }
        }
        ()
      }
      for (_ <- 1 to rounds) {
        val other = Actor.spawn[Int](there)(_ => _ => ())
        ref ! other
        other.stop()
      }
      val allTold = told.await(20, TimeUnit.SECONDS)
      assert(allTold, s"${told.getCount} not told")
      for (loop <- List(there, here)) { // whatever else they were to do is done
        val done = new CountDownLatch(1)
        loop.execute(() => done.countDown())
        assert(done.await(20, TimeUnit.SECONDS))
      }
      assertEquals(times.get, rounds)
    } finally { here.close(); there.close() }
  }

  /** A loop that counts how often it is given something. */
  private final class CountingLoop(inner: Loop) extends Loop {
    val handed                                            = new AtomicInteger
    def inLoop: Boolean                                   = inner.inLoop
    def execute(task: Runnable): Unit                     = { handed.incrementAndGet(); inner.execute(task) }
    def schedule(delayNanos: Long, task: Runnable): Timer = inner.schedule(delayNanos, task)
    def nowNanos: Long                                    = inner.nowNanos
  }

  test("sending to an actor that is busy gives its loop nothing more to do") {
    val manual = new ManualLoop
    val loop   = new CountingLoop(manual)
    var seen   = 0
    val ref    = Actor.spawn[Int](loop)(context =>
      n => {
        seen += 1
        if (n == 0) for (i <- 1 to 50) context.self ! i
      }
    )
    manual.runAll()
    val before = loop.handed.get
    for (_ <- 1 to 10) ref ! 0
    assertEquals(loop.handed.get - before, 1)
    manual.runAll()
    assertEquals(seen, 10 + 500)
    assert(loop.handed.get - before <= 1 + 510 / 64 + 1, s"given ${loop.handed.get - before} times")
  }

  test("a loop that has ended takes no messages") {
    val loop = new ThreadLoop
    val ref  = Actor.spawn[Int](loop)(_ => _ => ())
    loop.close()
    eventually(!ref.send(1))
    assert(!ref.send(2))
    assert(ref.stats.deadLetters >= 2)
  }
}
