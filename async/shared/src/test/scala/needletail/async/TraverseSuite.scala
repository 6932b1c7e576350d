package needletail.async

import scala.collection.mutable
import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** `Async.traverse`: all of a list, some at a time. */
class TraverseSuite extends Suite {
  private val broken = new IllegalArgumentException("broken")

  /** Work for each of `n` items, which the test completes; remembers what was begun and what was cancelled. */
  private class Work(n: Int) {
    val begun     = mutable.ArrayBuffer.empty[Int]
    val cancelled = mutable.ArrayBuffer.empty[Int]
    val promises  = Array.fill(n)(new AsyncPromise[String])

    def apply(i: Int): Async[String] = {
      begun += i
      promises(i).onCancel { () => cancelled += i; () }
      promises(i)
    }
  }

  test("values are in the order of the items, whatever the order in which they came") {
    val work = new Work(3)
    val all  = Async.traverse(List(0, 1, 2), 3)(work(_))
    for (i <- List(2, 0, 1)) {
      assertEquals(all.poll, None)
      work.promises(i).succeed(s"v$i")
    }
    assertEquals(all.poll, Some(Success(Seq("v0", "v1", "v2"))))
  }

  test("no more than the limit are under way, and the next begins when one is complete") {
    val work = new Work(5)
    val all  = Async.traverse(0 until 5, 2)(work(_))
    assertEquals(work.begun.toList, List(0, 1))
    work.promises(1).succeed("")
    assertEquals(work.begun.toList, List(0, 1, 2))
    work.promises(0).succeed("")
    work.promises(2).succeed("")
    assertEquals(work.begun.toList, List(0, 1, 2, 3, 4))
    assertEquals(all.poll, None)
    work.promises(3).succeed("")
    work.promises(4).succeed("")
    assert(all.isCompleted)
  }

  test("with a limit of one they run one after another, in virtual time too") {
    val loop             = new ManualLoop
    def time(limit: Int) = {
      val before = loop.nowNanos
      assertEquals(
        loop.run(Async.traverse(1 to 10, limit)(i => Async.sleep(1.second).map(_ => i))),
        Success((1 to 10): Seq[Int])
      )
      (loop.nowNanos - before).nanos
    }
    assertEquals(time(1), 10.seconds: FiniteDuration)
    assertEquals(time(4), 3.seconds: FiniteDuration)
    assertEquals(time(100), 1.second: FiniteDuration)
  }

  test("a failure is the result; what is under way is cancelled, and nothing further begins") {
    val work = new Work(5)
    val all  = Async.traverse(0 until 5, 3)(work(_))
    work.promises(1).fail(broken)
    assertEquals(all.poll, Some(Failure(broken)))
    assertEquals((work.begun.toList, work.cancelled.toList.sorted), (List(0, 1, 2), List(0, 2)))
  }

  test("a failure from the start, and an exception of the function or of the items, do the same") {
    val work                               = new Work(3)
    def at(i: Int, what: => Async[String]) = (n: Int) => if (n == i) what else work(n)
    assertEquals(Async.traverse(0 to 2, 3)(at(1, Async.fail(broken))).poll, Some(Failure(broken)))
    assertEquals((work.begun.toList, work.cancelled.toList), (List(0), List(0)))
    assertEquals(Async.traverse(0 to 2, 3)(at(0, throw broken)).poll, Some(Failure(broken)))
    val items = LazyList.from(0).map(n => if (n == 2) throw broken else n)
    assertEquals(Async.traverse(items, 3)(n => Async.value(n)).poll, Some(Failure(broken)))
  }

  test("cancelling it cancels what is under way, and nothing further begins") {
    val work = new Work(5)
    Async.traverse(0 until 5, 2)(work(_)).cancel()
    assertEquals((work.begun.toList, work.cancelled.toList.sorted), (List(0, 1), List(0, 1)))
  }

  test("a function that cancels the whole has what it returned cancelled") {
    val work                    = new Work(3)
    val first                   = new AsyncPromise[String]
    var all: Async[Seq[String]] = null
    all = Async.traverse(0 to 2, 1) { n =>
      if (n == 0) first
      else {
        all.cancel()
        work(n)
      }
    }
    first.succeed("")
    assertEquals((work.begun.toList, work.cancelled.toList), (List(1), List(1)))
  }

  test("a function that completes what is under way is called for the rest, once for each") {
    val work = new Work(4)
    val all  = Async.traverse(0 until 4, 2) { n =>
      if (n > 0) work.promises(n - 1).succeed(s"v${n - 1}")
      work(n)
    }
    work.promises(3).succeed("v3")
    assertEquals(all.poll, Some(Success(Seq("v0", "v1", "v2", "v3"))))
    assertEquals(work.begun.toList, List(0, 1, 2, 3))
  }

  test("none at all, and a million that are complete, without stack") {
    assertEquals(Async.traverse(List.empty[Int], 1)(n => Async.value(n)).poll, Some(Success(Nil)))
    val sum = Async.traverse(1 to 1000000, 3)(n => Async.value(n)).map(_.foldLeft(0L)(_ + _))
    assertEquals(sum.poll, Some(Success(500000500000L)))
    val loop = new ManualLoop
    assertEquals(loop.run(Async.traverse(1 to 20000, 7)(_ => Async.yieldNow)).map(_.size), Success(20000))
  }

  test("a limit that is not positive is an error") {
    intercept[IllegalArgumentException](Async.traverse(List(1), 0)(n => Async.value(n)))
  }
}
