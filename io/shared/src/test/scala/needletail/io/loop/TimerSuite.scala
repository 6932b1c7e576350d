package needletail.io.loop

import java.util.concurrent.atomic.AtomicBoolean

import needletail.async.{TimerHeap, TimerNode}
import needletail.io.LoopSuite

class TimerSuite extends LoopSuite {
  import TimerSuite.*

  private val millis = 1000000L

  test("the heap gives out what is due, earliest first, equal ones in the order they were added") {
    val heap  = new TimerHeap
    val times = Array(5L, 3L, 9L, 3L, 7L, 1L, 3L)
    times.zipWithIndex.foreach { case (t, i) => heap.add(new Node(i), t) }
    def names(now: Long) = Iterator.continually(heap.takeDue(now)).takeWhile(_ ne null).map(nameOf).toList
    assertEquals(names(0), Nil)
    assertEquals(names(3), List(5, 1, 3, 6))
    assertEquals(names(100), List(0, 4, 2))
    assert(heap.isEmpty)
  }

  test(
    "any timer can be taken out, and the rest keep their order: against a sorted list, with seeded random moves"
  ) {
    val random = new java.util.Random(7)
    val heap   = new TimerHeap
    var model  = Map.empty[Node, Long]
    for (i <- 0 until 5000)
      random.nextInt(3) match {
        case 0 | 1 if model.size < 300 =>
          val node = new Node(i)
          val due  = random.nextInt(1000).toLong
          heap.add(node, due)
          model += node -> due
        case 2 if model.nonEmpty && random.nextBoolean() =>
          val victim = model.keys.toVector(random.nextInt(model.size))
          heap.remove(victim)
          heap.remove(victim) // again: nothing happens
          model -= victim
        case _ if model.nonEmpty =>
          val first = heap.takeDue(Long.MaxValue / 2)
          assertEquals(first.due, model.values.min)
          model = model.filterNot(_._1 eq first)
        case _ => ()
      }
    assertEquals(heap.size, model.size)
    val rest = Iterator.continually(heap.takeDue(Long.MaxValue / 2)).takeWhile(_ ne null).map(_.due).toList
    assertEquals(rest, model.values.toList.sorted)
  }

  test("a clock that wraps around does not confuse the heap") {
    val heap = new TimerHeap
    val late = new Node(1)
    heap.add(late, Long.MinValue + 10) // 20 after the next one
    heap.add(new Node(0), Long.MaxValue - 10)
    assertEquals(nameOf(heap.takeDue(Long.MaxValue - 10)), 0)
    assert(heap.takeDue(Long.MaxValue) eq null)
    assert(heap.takeDue(Long.MinValue + 10) eq late)
  }

  test("a scheduled task runs, not earlier than asked for") {
    withLoop { loop =>
      val events = new Events
      val start  = System.nanoTime()
      on(loop)(loop.schedule(30 * millis, () => events.add((System.nanoTime() - start).toString)))
      val took = events.next().toLong
      assert(took >= 30 * millis, s"after $took ns")
    }
  }

  test("a cancelled task does not run, and cancelling twice or late does no harm") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        val t = loop.schedule(20 * millis, () => events.add("cancelled"))
        val u = loop.schedule(40 * millis, () => events.add("kept"))
        t.cancel()
        t.cancel()
        loop.schedule(50 * millis, () => { u.cancel(); events.add("late") })
      }
      events.expect("kept", "late")
    }
  }

  test("a very long delay is no overflow") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        loop.schedule(Long.MaxValue, () => events.add("never"))
        loop.schedule(-1, () => events.add("at once"))
      }
      events.expect("at once")
      events.expectNothing(20)
    }
  }

  test(
    "a connection's deadline: moved later costs nothing and holds; moved earlier holds too; then there is none"
  ) {
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop) { c =>
        c.deadline = loop.nowNanos + 20 * millis
        c.deadline = loop.nowNanos + 3600L * 1000 * millis
        c.deadline = loop.nowNanos + 120 * millis
        new Recorder(events) {
          override def onDeadline(): Unit = {
            this.events.add(s"deadline, then ${c.deadline}")
          }
        }
      }
      val start = System.nanoTime()
      withClient(listener) { client =>
        events.expect(s"deadline, then ${Long.MaxValue}")
        val took = System.nanoTime() - start
        assert(took >= 100 * millis, s"after $took ns")
        events.expectNothing(60)
        send(client, "x")
        events.expect("data x")
      }
    }
  }

  test("a timer that sets itself anew for now keeps neither sockets nor tasks waiting") {
    val goesOn = new AtomicBoolean(true)
    withLoop { loop =>
      val again = new TimerNode {
        private[needletail] def fire(): Unit = if (goesOn.get) loop.addTimer(this, loop.nowNanos)
      }
      try {
        on(loop)(loop.addTimer(again, loop.nowNanos))
        for (_ <- 1 to 3) {
          assertEquals(on(loop)(loop.timersSet), 1)
          withClient(listen(loop)(new Echo(_))) { client =>
            send(client, "x")
            assertEquals(receive(client, 1), "x")
          }
        }
      } finally goesOn.set(false) // else a loop that it holds would never end
    }
  }

  test("a connection that moves its deadline to a time that has passed keeps none of the others waiting") {
    val goesOn = new AtomicBoolean(true)
    withLoop { loop =>
      val events   = new Events
      val listener = listen(loop) { c =>
        c.deadline = loop.nowNanos
        new Recorder(events) {
          override def onDeadline(): Unit = if (goesOn.get) c.deadline = loop.nowNanos - millis
        }
      }
      try
        withClient(listener) { restless =>
          send(restless, "x")
          events.expect("data x")
          withClient(listen(loop)(new Echo(_))) { client =>
            send(client, "y")
            assertEquals(receive(client, 1), "y")
          }
        }
      finally goesOn.set(false)
    }
  }

  test("the loop's clocks move on") {
    withLoop { loop =>
      val (n, m) = on(loop)((loop.nowNanos, loop.nowMillis))
      val passed = new Events
      on(loop)(loop.schedule(20 * millis, () => passed.add("20 ms")))
      passed.expect("20 ms")
      val (n2, m2) = on(loop)((loop.nowNanos, loop.nowMillis))
      assert(n2 - n >= 15 * millis, s"${n2 - n} ns")
      assert(m2 - m >= 10 && math.abs(m2 - System.currentTimeMillis()) < 20000, s"$m, $m2")
    }
  }
}

object TimerSuite {
  private final class Node(val name: Int) extends TimerNode {
    private[needletail] def fire(): Unit = ()
  }

  private def nameOf(node: TimerNode): Int = node match {
    case n: Node => n.name
    case _       => -1
  }
}
