package needletail.async

import needletail.testing.Suite

class TimerQueueSuite extends Suite {
  private val nothing: Runnable = () => ()

  /** A heap that counts what it does. */
  private final class Counting extends TimerHeap {
    var comparisons = 0L

    private[async] override def before(a: TimerNode, b: TimerNode): Boolean = {
      comparisons += 1
      super.before(a, b)
    }
  }

  test("timers are taken when they are due, equal ones in the order in which they were added") {
    val queue = new TimerQueue
    val tasks = Array.fill[Runnable](5)(new Runnable { def run(): Unit = () }) // a function would be only one
    List(7L, 3L, 7L, 1L, 3L).zipWithIndex.foreach { case (delay, i) => queue.add(10, delay, tasks(i)) }
    assertEquals((queue.size, queue.nextAt), (5, 11L))
    assertEquals(List.fill(5)(tasks.indexOf(queue.take())), List(3, 1, 4, 0, 2))
    assertEquals((queue.isEmpty, queue.nextAt), (true, Long.MaxValue))
  }

  test("a timer that was cancelled or taken is cancelled again without effect") {
    val queue = new TimerQueue
    val first = queue.add(0, 1, nothing)
    val other = queue.add(0, 2, nothing)
    assert(queue.take() eq nothing)
    first.cancel()
    assertEquals(queue.size, 1)
    other.cancel()
    other.cancel()
    assertEquals(queue.size, 0)
  }

  test("cancelling one of very many timers does not look at the others") {
    val count = 100000
    for (isAnyOrder <- List(false, true)) {
      val heap   = new Counting
      val queue  = new TimerQueue(heap)
      val timers = Array.tabulate(count)(i => queue.add(i.toLong, 1000000, nothing)).toSeq
      heap.comparisons = 0
      val order = if (isAnyOrder) new scala.util.Random(5).shuffle(timers) else timers.reverse
      order.foreach(_.cancel())
      assertEquals(queue.size, 0)
      // for each a way down a heap of 17 levels, with two comparisons on each, and one up
      assert(heap.comparisons <= count * 3L * 17, heap.comparisons)
    }
  }

  test("timers of random times, some of them cancelled, are taken in their order") {
    val random = new scala.util.Random(7)
    for (round <- 1 to 300) {
      val queue  = new TimerQueue
      val start  = if (round % 2 == 0) Long.MaxValue - 500 else -500L // the clock may overflow meanwhile
      val tasks  = Array.fill[Runnable](40)(new Runnable { def run(): Unit = () })
      val delays = Array.fill(40)(random.nextInt(1000).toLong)
      val timers = Array.tabulate(40)(i => queue.add(start, delays(i), tasks(i)))
      val left   = (0 until 40).filter { i =>
        val stays = random.nextBoolean()
        if (!stays) timers(i).cancel()
        stays
      }
      assertEquals(queue.nextAt, start + left.map(delays(_)).min, round)
      val taken = List.fill(left.size)(tasks.indexOf(queue.take()))
      assertEquals(taken, left.sortBy(i => (delays(i), i)).toList, round)
      assert(queue.isEmpty)
    }
  }

  test("the longest delay is later than every other, whatever the clock says") {
    val queue     = new TimerQueue
    val far, near = new Runnable { def run(): Unit = () }
    queue.add(0, Long.MaxValue, far)
    queue.add(-10, 0, near)
    assert(queue.take() eq near)
  }
}
