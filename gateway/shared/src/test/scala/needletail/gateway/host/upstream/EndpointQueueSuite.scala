package needletail.gateway.host.upstream

import java.util.concurrent.atomic.AtomicBoolean

import scala.concurrent.duration._

import needletail.async.Async
import needletail.io.Address
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Who gets the place of a server when it becomes free, and how long it is waited for. */
class EndpointQueueSuite extends Suite {
  private final class Waiting(triesDown: Boolean = false) {
    val loop      = new ManualLoop
    var isBack    = false
    val endpoints = loop.within {
      Vector.tabulate(2)(i => new Endpoint(Address.Tcp("127.0.0.1", 1), i, 1, 1, _ => ()))
    }
    val queue = new EndpointQueue(endpoints, e => e.index == 0 || isBack, triesDown)
    val busy  = endpoints(0)
    assert(busy.tryEnter())

    def enter(nanos: FiniteDuration = 1.second, ticket: Long = queue.ticket()): Async[Endpoint] =
      loop.within(queue.enter(ticket, nanos.toNanos))

    /** The place of `busy` is returned. */
    def leave(): Unit = {
      loop.within(queue.leave(busy))
      loop.runAll()
    }
  }

  private def result(async: Async[Endpoint]) = async.poll.map(_.toEither)

  test("a place is the oldest one's, also where that has waited before and comes back") {
    val w               = new Waiting
    val first           = w.queue.ticket()
    val (second, third) = (w.enter(), w.enter())
    val again           = w.enter(ticket = first)
    val got             = List(again, second, third)
    for (i <- got.indices) {
      w.leave()
      assertEquals(got.map(_.isCompleted), got.indices.map(_ <= i).toList)
      assertEquals(result(got(i)), Some(Right(w.busy)))
      assertEquals(w.busy.inFlight.get, 1)
    }
    w.leave()
    assertEquals((w.busy.inFlight.get, w.queue.isEmpty, w.loop.pendingTimers), (0, true, 0))
  }

  test("one that is cancelled leaves the queue, and returns the place that it was just given") {
    val w                     = new Waiting
    val (first, second, last) = (w.enter(), w.enter(), w.enter())
    w.loop.within(first.cancel())
    w.loop.within {
      w.queue.leave(w.busy)
      second.cancel() // has been given it, and does not know yet
    }
    w.loop.runAll()
    assertEquals(result(last), Some(Right(w.busy)))
    assertEquals((w.busy.inFlight.get, w.loop.pendingTimers), (1, 0))
  }

  test("it is waited for no longer than was said, and where nobody may wait for what is free only") {
    val w     = new Waiting
    val first = w.enter(300.millis)
    val none  = w.enter(0.millis)
    w.loop.advance(1.milli)
    assertEquals(result(none), Some(Left(EndpointQueue.Busy)))
    w.loop.advance(298.millis)
    assertEquals(first.poll, None)
    w.loop.advance(1.milli)
    assertEquals(result(first), Some(Left(EndpointQueue.Busy)))
    w.leave()
    val free = w.enter(0.millis)
    w.loop.runAll()
    assertEquals(result(free), Some(Right(w.busy)))
  }

  test("a server that is back is found, also by one that may have been started since, if those are tried") {
    for (triesDown <- List(false, true); isDown <- List(false, true)) {
      val w     = new Waiting(triesDown)
      val first = w.enter()
      val last  = w.enter()
      if (isDown) w.endpoints(1).downUntil = w.loop.nowNanos + 500.millis.toNanos
      w.loop.advance(100.millis)
      assertEquals(first.poll, None)
      w.isBack = true
      w.loop.advance(100.millis)
      assertEquals(first.isCompleted, triesDown || !isDown)
      w.loop.advance(400.millis)
      assertEquals((result(first), last.poll), (Some(Right(w.endpoints(1))), None))
    }
  }

  test("many servers are put in order while other threads send requests to them") {
    val endpoints = new ManualLoop().within {
      Vector.tabulate(64)(i => new Endpoint(Address.Tcp("127.0.0.1", 1), i, 1, 3, _ => ()))
    }
    val isOver = new AtomicBoolean
    val other  = new Thread(() => {
      val random = new java.util.SplittableRandom(1)
      while (!isOver.get) {
        val endpoint = endpoints(random.nextInt(64))
        if (!endpoint.tryEnter()) endpoint.inFlight.set(0)
      }
    })
    other.start()
    try for (_ <- 1 to 5000) assertEquals(EndpointQueue.inOrder(endpoints).toSet.size, 64)
    finally {
      isOver.set(true)
      other.join()
    }
  }

  test("none is waited for where none is left that could answer") {
    val w     = new Waiting
    val first = w.enter()
    w.busy.downUntil = w.loop.nowNanos + 10.seconds.toNanos
    w.loop.advance(20.millis)
    assertEquals(result(first), Some(Right(null)))
    assertEquals((w.queue.isEmpty, w.loop.pendingTimers), (true, 0))
  }
}
