package needletail.io.loop

import java.util.concurrent.RejectedExecutionException
import java.util.concurrent.atomic.AtomicInteger

import needletail.io.{EventLoop, LoopSuite}

class TaskQueueSuite extends LoopSuite {

  private def drain(first: TaskQueue.Node): Int = {
    var n    = 0
    var node = first
    while (node ne null) {
      node.task.run()
      n += 1
      node = node.next
    }
    n
  }

  test("tasks come out in the order in which they went in") {
    val queue = new TaskQueue
    val order = new StringBuilder
    for (c <- "abc") queue.add(() => { order.append(c); () })
    assertEquals(drain(queue.takeAll()), 3)
    assertEquals(order.toString, "abc")
    assert(queue.takeAll() eq null)
  }

  test("exactly one of those who add to a sleeping queue has to wake it") {
    val queue = new TaskQueue
    assert(queue.fallAsleep())
    assertEquals(queue.add(() => ()), TaskQueue.MustWake)
    assertEquals(queue.add(() => ()), TaskQueue.Added)
    queue.awake()
    assertEquals(drain(queue.takeAll()), 2)
  }

  test("a queue with tasks does not fall asleep, and an awake one needs no waking") {
    val queue = new TaskQueue
    assertEquals(queue.add(() => ()), TaskQueue.Added)
    assert(!queue.fallAsleep())
    assertEquals(drain(queue.takeAll()), 1)
    assert(queue.fallAsleep())
    queue.awake()
    assertEquals(queue.add(() => ()), TaskQueue.Added)
  }

  test("a closed queue rejects, after it has given out its last tasks") {
    val queue = new TaskQueue
    queue.add(() => ())
    assertEquals(drain(queue.close()), 1)
    assertEquals(queue.add(() => ()), TaskQueue.Rejected)
    assert(queue.close() eq null)
    assert(queue.isEmpty)
  }

  test("no task is lost or run twice under many producers, and each producer's order is kept") {
    withLoop { loop =>
      val producers = 4
      val each      = 20000
      val ran       = new AtomicInteger
      val last      = Array.fill(producers)(-1) // written on the loop alone
      val disorder  = new AtomicInteger
      val threads   = Vector.tabulate(producers) { p =>
        new Thread(() =>
          for (i <- 0 until each)
            loop.execute { () =>
              if (last(p) != i - 1) disorder.incrementAndGet()
              last(p) = i
              ran.incrementAndGet()
              ()
            }
        )
      }
      threads.foreach(_.start())
      threads.foreach(_.join())
      on(loop)(())
      assertEquals(ran.get, producers * each)
      assertEquals(disorder.get, 0)
    }
  }

  test("a task queued by a task runs in the next turn, after what was queued before") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        loop.execute { () =>
          events.add("first")
          loop.execute(() => events.add("third"))
          loop.endOfTurn(() => events.add("end of the turn"))
        }
        loop.execute(() => events.add("second"))
      }
      events.expect("first", "second", "end of the turn", "third")
    }
  }

  test("what is put off at the end of a turn to the end of a turn comes without waiting") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        loop.endOfTurn { () =>
          events.add("once")
          loop.endOfTurn(() => events.add("twice"))
        }
      }
      events.expect("once", "twice")
    }
  }

  test("what runs next runs before the other tasks of its turn, also if it follows what failed") {
    withLoop { loop =>
      val events = new Events
      on(loop) {
        loop.execute { () =>
          events.add("first")
          loop.runNext(() => events.add("next"))
          throw new RuntimeException("thrown by a task") with scala.util.control.NoStackTrace
        }
        loop.execute(() => events.add("second"))
      }
      events.expect("first", "next", "second")
    }
  }

  test("an exception in a task is reported and the loop goes on") {
    withLoop { loop =>
      val reported = new Events
      val before   = EventLoop.onFailure
      EventLoop.onFailure = (_, e) => reported.add(e.getMessage)
      try {
        loop.execute(() => throw new RuntimeException("thrown by a task"))
        reported.expect("thrown by a task")
        assert(on(loop)(loop.inLoop))
      } finally EventLoop.onFailure = before
    }
  }

  test("a loop that has ended rejects tasks") {
    val loop = withLoop(identity)
    assert(!loop.isAlive)
    intercept[RejectedExecutionException](loop.execute(() => ()))
  }
}
