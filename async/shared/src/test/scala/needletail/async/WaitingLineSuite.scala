package needletail.async

import java.util.concurrent.{ConcurrentLinkedQueue, CountDownLatch, LinkedBlockingQueue}
import java.util.concurrent.atomic.AtomicInteger

import scala.util.Random

import needletail.testing.Suite

/** Those that wait, and leave from wherever they stand. */
class WaitingLineSuite extends Suite {
  private final class Waiting(val number: Int) extends WaitingLine.Waiter[Waiting]

  test("who has left is not found; two that have left behind each other neither") {
    val line      = new WaitingLine[Waiting]
    val (a, b, c) = (new Waiting(1), new Waiting(2), new Waiting(3))
    line.add(a)
    line.add(b)
    line.remove(b)
    line.add(c)
    assertEquals(line.poll(), a)
    line.remove(c)
    line.remove(c)
    assert(line.isEmpty)
    assertEquals(line.poll(), null)
    line.add(b)
    assertEquals(line.poll(), b)
  }

  /** Adds, polls and removes at random, beside a list that does the same. */
  private def atRandom[A](steps: Int)(make: Int => A)(
      add: A => Unit,
      poll: () => A,
      remove: A => Unit
  ): Unit =
    for (seed <- 1 to 200) {
      val random  = new Random(seed)
      var present = Vector.empty[A]
      var all     = Vector.empty[A]
      for (n <- 1 to steps) random.nextInt(3) match {
        case 0 =>
          val one = make(n)
          add(one)
          present :+= one
          all :+= one
        case 1 =>
          assertEquals(Option(poll()), present.headOption, (seed, n))
          present = present.drop(1)
        case _ if all.nonEmpty =>
          val one = all(random.nextInt(all.size))
          remove(one)
          present = present.filterNot(_ == one)
        case _ => ()
      }
      present.foreach(one => assertEquals(poll(), one, seed))
      assertEquals(Option(poll()), None, seed)
    }

  test("in any order, as a list would have it") {
    val line = new WaitingLine[Waiting]
    atRandom(60)(new Waiting(_))(line.add, () => line.poll(), line.remove)
    assert(line.isEmpty)
  }

  test("the queues of threads for blocking work, from which tasks are removed, likewise") {
    val queue = new LinkedBlockingQueue[Integer]
    atRandom(60)(Integer.valueOf)(queue.add(_): Unit, () => queue.poll(), queue.remove(_): Unit)
  }

  test("threads that add, take and leave: each is taken or has left, once") {
    val line    = new WaitingLine[Waiting]
    val taken   = new ConcurrentLinkedQueue[Integer]
    val left    = new AtomicInteger
    val each    = 20000
    val done    = new CountDownLatch(4)
    val threads = (0 until 4).map { thread =>
      new Thread(() => {
        val random = new Random(thread)
        var mine   = List.empty[Waiting]
        for (n <- 0 until each) {
          val one = new Waiting(thread * each + n)
          line.add(one)
          mine ::= one
          if (random.nextInt(2) == 0) {
            val oldest = line.poll()
            if (oldest != null && oldest.claim()) taken.add(oldest.number)
          }
          if (random.nextInt(2) == 0) {
            if (mine.head.claim()) left.incrementAndGet()
            line.remove(mine.head)
            mine = mine.tail
          }
        }
        done.countDown()
      })
    }
    threads.foreach(_.start())
    done.await()
    var rest = line.poll()
    while (rest != null) {
      if (rest.claim()) taken.add(rest.number)
      rest = line.poll()
    }
    assertEquals(taken.size + left.get, 4 * each)
    assertEquals(new java.util.HashSet(taken).size, taken.size)
  }
}
