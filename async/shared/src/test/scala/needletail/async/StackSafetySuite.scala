package needletail.async

import scala.concurrent.duration._
import scala.util.Success

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Long loops and long chains: neither the stack nor the heap may grow with their length. */
class StackSafetySuite extends Suite {
  private val steps = 1000000

  test("a loop of flatMaps over complete values runs at once") {
    def count(left: Int): Async[Int] =
      if (left == 0) Async.value(42) else Async.unit.flatMap(_ => count(left - 1))
    assertEquals(count(steps).poll, Some(Success(42)))
  }

  test("a loop of flatMaps over complete values that does not end in flatMap") {
    def sum(n: Int): Async[Long] =
      if (n == 0) Async.value(0L) else Async.unit.flatMap(_ => sum(n - 1)).map(_ + n)
    assertEquals(sum(steps).poll, Some(Success(steps.toLong * (steps + 1) / 2)))
  }

  test("loops through recoverWith and transform") {
    def recovering(left: Int): Async[Int] =
      if (left == 0) Async.value(1)
      else Async.fail(new Cancelled).recoverWith { case _ => recovering(left - 1) }
    def transforming(left: Int): Async[Int] =
      if (left == 0) Async.value(2) else Async.unit.transform(_ => transforming(left - 1))
    assertEquals(recovering(steps).poll, Some(Success(1)))
    assertEquals(transforming(steps).poll, Some(Success(2)))
  }

  test("a loop of flatMaps over pending values") {
    val loop                         = new ManualLoop
    def count(left: Int): Async[Int] =
      if (left == 0) Async.value(7) else Async.sleep(1.milli).flatMap(_ => count(left - 1))
    assertEquals(loop.run(count(steps)), Success(7))
  }

  test("a loop of flatMaps over pending values keeps no more than one step") {
    val loop                           = new ManualLoop
    var longest                        = 0
    def endless(step: Int): Async[Int] = Async.sleep(1.milli).flatMap(_ => endless(step + 1))
    val root                           = loop.within(endless(0))
    for (_ <- 1 to 1000) {
      loop.advance(1.milli)
      longest = math.max(longest, lengthOf(root))
    }
    assert(longest <= 3, s"$longest values hang together")
    root.cancel()
    assertEquals(loop.pendingTimers, 0)
  }

  test("the same for a loop that is derived from and observed; cancelling what derives from it ends it") {
    val loop                           = new ManualLoop
    def endless(step: Int): Async[Int] = Async.sleep(1.milli).flatMap(_ => endless(step + 1))
    val root                           = loop.within(endless(0))
    val derived                        = root.map(_ + 1)
    var seen                           = 0
    derived.onComplete(_ => seen += 1)
    for (_ <- 1 to 100) {
      loop.advance(1.milli)
      assert(lengthOf(root) <= 3)
    }
    derived.cancel()
    assertEquals(seen, 1)
    assertEquals(loop.pendingTimers, 0)
    assert(root.isCompleted)
  }

  test("a chain of a million maps on one promise") {
    val promise          = new AsyncPromise[Int]
    var last: Async[Int] = promise
    for (_ <- 1 to steps) last = last.map(_ + 1)
    promise.succeed(0)
    assertEquals(last.poll, Some(Success(steps)))
  }

  test("a chain of a million maps is cancelled from its end to its root") {
    val promise          = new AsyncPromise[Int]
    var last: Async[Int] = promise
    for (_ <- 1 to steps) last = last.map(_ + 1)
    last.cancel()
    assert(promise.isCompleted)
  }

  test("promises that complete one another") {
    val promises = Array.fill(100000)(new AsyncPromise[Int])
    for (i <- 1 until promises.length) promises(i - 1).onComplete(_ => { promises(i).succeed(i); () })
    promises(0).succeed(0)
    assertEquals(promises.last.poll, Some(Success(99999)))
  }

  test("a step that was replaced still has the result for its holders") {
    val gate   = new AsyncPromise[Unit]
    val inner  = new AsyncPromise[Int]
    val middle = gate.flatMap(_ => inner) // will step aside for `outer`
    val start  = new AsyncPromise[Unit]
    val outer  = start.flatMap(_ => middle)
    start.succeed(())
    gate.succeed(())
    assert(!middle.isCompleted)
    val late = middle.map(_ * 2)
    outer.cancel()
    assert(!inner.isCompleted, "late still needs it")
    inner.succeed(4)
    assertEquals(late.poll, Some(Success(8)))
    assertEquals(middle.poll, Some(Success(4)))
    assert(outer.poll.get.isFailure)
  }

  test("a loop that is shielded for one observer after another keeps no more than one step") {
    var step: AsyncPromise[Unit]  = null
    def endless(): Async[Nothing] = {
      step = new AsyncPromise[Unit]
      step.flatMap(_ => endless())
    }
    val root  = endless()
    var ended = 0
    for (_ <- 1 to 100000) {
      val watch = root.shield.andFinally(ended += 1)
      step.succeed(())
      watch.cancel()
    }
    assert(!root.isCompleted)
    assertEquals(ended, 100000)
    assert(lengthOf(root) <= 3, s"${lengthOf(root)} values hang together")
    root.cancel()
    assert(root.isCompleted && step.isCompleted)
  }

  test(
    "a loop that one observer after another has forwarded has a result for its holders, however many they were"
  ) {
    var step: AsyncPromise[Unit]  = null
    var newest: Async[Nothing]    = null
    def endless(): Async[Nothing] = {
      step = new AsyncPromise[Unit]
      newest = step.flatMap(_ => endless())
      newest
    }
    val root                 = endless()
    var last: Async[Nothing] = null
    for (_ <- 1 to 100000) {
      val gate = new AsyncPromise[Unit]
      val next = gate.flatMap(_ => newest)
      gate.succeed(())
      if (last != null) last.cancel() // it never is without an observer
      step.succeed(())
      last = next
    }
    assert(!root.isCompleted)
    val derived = root.map(identity)
    last.cancel()
    assert(!root.isCompleted && !derived.isCompleted)
    derived.cancel()
    assert(root.isCompleted && step.isCompleted)
  }

  test("a value that waits for itself fails") {
    val gate            = new AsyncPromise[Unit]
    var own: Async[Int] = null
    own = gate.flatMap(_ => own)
    gate.succeed(())
    assert(own.poll.exists(_.isFailure))
  }

  /** How many nodes can be reached from `async` by way of what they wait for. */
  private def lengthOf(async: Async[_]): Int = async match {
    case derived: Derived[_, _, _] => 1 + (if (derived.source == null) 0 else lengthOf(derived.source))
    case pending: Pending[_]       => 1 + (if (pending.state == null) 0 else lengthOf(pending.state))
    case _                         => 0
  }
}
