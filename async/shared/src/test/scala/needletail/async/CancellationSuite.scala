package needletail.async

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** What is no longer needed is cancelled, and nothing else is. */
class CancellationSuite extends Suite {

  private final class Source {
    val promise   = new AsyncPromise[Int]
    var cancelled = 0
    promise.onCancel(() => cancelled += 1)
  }

  private def isCancelled(async: Async[_]): Boolean = async.poll.exists {
    case Failure(_: Cancelled) => true
    case _                     => false
  }

  test("cancelling a promise runs its hooks in order, fails it, and only once") {
    val promise = new AsyncPromise[Int]
    var seen    = List.empty[Int]
    promise.onCancel(() => seen ::= 1)
    promise.onCancel(() => seen ::= 2)
    promise.onComplete(_ => seen ::= 3)
    promise.cancel()
    promise.cancel()
    assertEquals(seen.reverse, List(1, 2, 3))
    assert(isCancelled(promise))
    promise.onCancel(() => seen ::= 4)
    assertEquals(seen.head, 4)
  }

  test("completing after cancelling is ignored") {
    val promise = new AsyncPromise[Int]
    promise.cancel()
    assert(!promise.succeed(1))
    assert(!promise.fail(new RuntimeException))
    assert(!promise.complete(Success(1)))
    assert(isCancelled(promise))
  }

  test("cancelling after completion is ignored, and its hooks never run") {
    val source = new Source
    source.promise.succeed(1)
    source.promise.cancel()
    source.promise.onCancel(() => source.cancelled += 1)
    assertEquals(source.cancelled, 0)
    assertEquals(source.promise.poll, Some(Success(1)))
  }

  private val steps = List[(String, Async[Int] => Async[Any])](
    "map"         -> (_.map(_ + 1)),
    "flatMap"     -> (_.flatMap(Async.value)),
    "withFilter"  -> (_.withFilter(_ > 0)),
    "recover"     -> (_.recover { case _ => 1 }),
    "recoverWith" -> (_.recoverWith { case _ => Async.value(1) }),
    "transform"   -> (_.transform(Async.fromTry)),
    "andFinally"  -> (_.andFinally(())),
    "zip"         -> (_.zip(new AsyncPromise[Int])),
    "zip, right"  -> (new AsyncPromise[Int].zip(_)),
    "race"        -> (_.race(new AsyncPromise[Int])),
    "race, right" -> (new AsyncPromise[Int].race(_)),
    "all"         -> (a => Async.all(Seq(new AsyncPromise[Int], a))),
    "traverse"    -> (a => Async.traverse(Seq(1), 2)(_ => a)),
    "timeout"     -> (_.timeout(1.second))
  )

  for ((name, step) <- steps)
    test(s"$name: its source is cancelled before its observers are called, and when cancel returns") {
      val loop   = new ManualLoop
      val source = new Source
      var seen   = List.empty[Boolean]
      val turn   = new AsyncPromise[Unit]
      loop.within {
        val made = step(source.promise.map(identity).flatMap(Async.value))
        made.onComplete(_ => seen ::= source.promise.isCompleted)
        turn.onComplete { _ => // cancelled while a turn of others goes on
          made.cancel()
          seen ::= source.promise.isCompleted
        }
        turn.succeed(())
      }
      assertEquals((seen, source.cancelled), (List(true, true), 1))
    }

  test(
    "what hooks and clean-ups complete has its observers called, also if nobody observes what was cancelled"
  ) {
    val ways = List[(String, (Async[Int], AsyncPromise[Int]) => Unit)](
      "cancel"     -> ((_, source) => source.cancel()),
      "map"        -> ((source, _) => source.map(_ + 1).cancel()),
      "zip"        -> ((source, _) => { source.zip(Async.fail(new Exception)); () }),
      "andFinally" -> ((source, _) => source.andFinally(()).cancel())
    )
    for ((name, way) <- ways) {
      val other  = new AsyncPromise[Int]
      val source = new AsyncPromise[Int]
      var seen   = 0
      other.map(_ + 1).foreach(n => seen = n)
      source.onCancel { () => other.succeed(1); () }
      way(source, source)
      assertEquals(seen, 2, name)
    }
  }

  test("a hook may cancel what is far from its root, a hook of which may, and so on") {
    val far    = 100000
    val values = Vector.fill(far + 1)(new AsyncPromise[Int])
    for (n <- 0 until far) values(n).onCancel(() => values(n + 1).map(_ + 1).cancel())
    values.head.cancel()
    assert(values.forall(_.isCompleted))
  }

  for ((name, step) <- steps) {
    test(s"$name: cancelling it cancels its only source") {
      val loop   = new ManualLoop
      val source = new Source
      val made   = loop.within(step(source.promise))
      made.cancel()
      assertEquals(source.cancelled, 1)
      assert(isCancelled(made))
      assert(isCancelled(source.promise))
      assertEquals(loop.pendingTimers, 0)
    }

    test(s"$name: a source that somebody else observes goes on") {
      val loop   = new ManualLoop
      val source = new Source
      val made   = loop.within(step(source.promise))
      val other  = source.promise.map(_ * 2)
      made.cancel()
      assertEquals(source.cancelled, 0)
      source.promise.succeed(4)
      assertEquals(other.poll, Some(Success(8)))
      assert(isCancelled(made))
    }

    test(s"$name: a source with a callback goes on") {
      val loop   = new ManualLoop
      val source = new Source
      var seen   = 0
      source.promise.foreach(seen = _)
      loop.within(step(source.promise)).cancel()
      source.promise.succeed(4)
      assertEquals(seen, 4)
    }
  }

  test("cancelling reaches what flatMap waits for now") {
    val first, second = new Source
    val made          = first.promise.flatMap(_ => second.promise)
    first.promise.succeed(1)
    made.cancel()
    assertEquals((first.cancelled, second.cancelled), (0, 1))
  }

  test("what a step makes after it was cancelled is cancelled too") {
    val second           = new Source
    val first            = new AsyncPromise[Int]
    var made: Async[Int] = null
    made = first.flatMap { _ => made.cancel(); second.promise }
    first.succeed(1)
    assertEquals(second.cancelled, 1)
  }

  test("a failure of one cancels the others of zip and all; the winner of a race the loser") {
    val source = new Source
    val failed = new AsyncPromise[Int]
    failed zip source.promise
    failed.fail(new RuntimeException)
    assertEquals(source.cancelled, 1)

    val (a, b, c) = (new Source, new Source, new AsyncPromise[Int])
    Async.all(Seq(a.promise, c, b.promise))
    c.fail(new RuntimeException)
    assertEquals((a.cancelled, b.cancelled), (1, 1))

    val (winner, loser) = (new Source, new Source)
    winner.promise race loser.promise
    winner.promise.succeed(1)
    assertEquals((winner.cancelled, loser.cancelled), (0, 1))
  }

  test("the same when the deciding one is complete from the start") {
    val a, b, c, d = new Source
    Async.fail(new RuntimeException) zip a.promise
    b.promise zip Async.fail(new RuntimeException)
    Async.value(1) race c.promise
    Async.all(Seq(d.promise, Async.fail(new RuntimeException)))
    assertEquals(List(a, b, c, d).map(_.cancelled), List(1, 1, 1, 1))
  }

  test("a timeout cancels what ran out of time, unless others observe it") {
    val loop         = new ManualLoop
    val lone, shared = new Source
    val kept         = shared.promise.map(_ + 1)
    loop.within {
      lone.promise.timeout(1.second)
      shared.promise.timeout(1.second)
    }
    loop.advance(1.second)
    assertEquals((lone.cancelled, shared.cancelled), (1, 0))
    shared.promise.succeed(1)
    assertEquals(kept.poll, Some(Success(2)))
  }

  test("andFinally runs once: on a value, a failure, a cancellation") {
    for (finish <- List[AsyncPromise[Int] => Any](_.succeed(1), _.fail(new RuntimeException), _.cancel())) {
      val promise = new AsyncPromise[Int]
      var cleaned = 0
      promise.andFinally(cleaned += 1)
      finish(promise)
      assertEquals(cleaned, 1)
    }
    val source  = new Source
    var cleaned = 0
    val made    = source.promise.andFinally(cleaned += 1)
    made.cancel()
    made.cancel()
    assertEquals((cleaned, source.cancelled), (1, 1))
  }

  test("a cancelled source fails what derives from it, which may recover") {
    val promise = new AsyncPromise[Int]
    val made    = promise.recover { case _: Cancelled => -1 }
    promise.cancel()
    assertEquals(made.poll, Some(Success(-1)))
  }

  test("shield keeps its source running, and hears of it until it is cancelled") {
    val source = new Source
    val view   = source.promise.shield
    val other  = source.promise.shield
    view.cancel()
    assertEquals(source.cancelled, 0)
    assert(isCancelled(view))
    source.promise.succeed(3)
    assertEquals(other.poll, Some(Success(3)))
  }

  test("sleep gives its timer back") {
    val loop = new ManualLoop
    loop.within(Async.sleep(1.hour)).cancel()
    assertEquals(loop.pendingTimers, 0)
  }

  test("a hook's exception goes to the loop and does not affect other hooks") {
    val loop    = new ManualLoop
    val promise = new AsyncPromise[Int]
    var seen    = 0
    promise.onCancel(() => throw new IllegalArgumentException("hook"))
    promise.onCancel(() => seen += 1)
    promise.onComplete(_ => seen += 1)
    loop.within(promise.cancel())
    assertEquals(seen, 2)
    intercept[IllegalArgumentException](loop.runAll())
  }

  private final class Heard extends ResultListener[Int] {
    var results                              = List.empty[Int]
    def completed(result: Result[Int]): Unit = results ::= result.value
  }

  test("a listener hears of one value after the other") {
    val heard = new Heard
    val later = new AsyncPromise[Int]
    heard.listen(Async.value(1))
    heard.listen(later)
    assert(heard.isListening)
    intercept[IllegalStateException](heard.listen(Async.value(9)))
    later.succeed(2)
    heard.listen(Async.value(3))
    assertEquals(heard.results.reverse, List(1, 2, 3))
    assert(!heard.isListening)
  }

  test("a listener that withdraws cancels what has no other observers, and only that") {
    val lone, shared = new Source
    val heard        = new Heard
    heard.listen(lone.promise)
    heard.withdraw()
    heard.withdraw()
    assertEquals(lone.cancelled, 1)
    val other = shared.promise.map(_ + 1)
    heard.listen(shared.promise)
    heard.withdraw()
    shared.promise.succeed(1)
    assertEquals(other.poll, Some(Success(2)))
    assertEquals(shared.cancelled, 0)
    heard.listen(Async.value(5))
    assertEquals(heard.results, List(5))
  }

  /** `x` waits for `shared` and is then waited for by `y` alone, which takes its place. */
  private def replaced(shared: Async[Int], last: Async[Int] => Async[Int]): (Async[Int], Async[Int]) = {
    val a, b = new AsyncPromise[Unit]
    val x    = a.flatMap(_ => shared)
    val y    = last(b.flatMap(_ => x))
    b.succeed(())
    a.succeed(())
    (x, y)
  }

  test("cancelling one that was replaced by its only observer leaves a shared value to others") {
    for (last <- Seq[Async[Int] => Async[Int]](identity, _.shield, _.map(_ + 1))) {
      val source = new Source
      val other  = source.promise.map(_ + 1)
      val (x, y) = replaced(source.promise, last)
      x.cancel()
      assert(isCancelled(x) && isCancelled(y) && !other.isCompleted)
      x.cancel()
      assertEquals(source.cancelled, 0)
      source.promise.succeed(1)
      assertEquals(other.poll, Some(Success(2)))
      assert(isCancelled(x) && isCancelled(y))
    }
  }

  test("and cancels a value that has no others") {
    for (last <- Seq[Async[Int] => Async[Int]](identity, _.shield)) {
      val source = new Source
      val (x, y) = replaced(source.promise, last)
      x.cancel()
      assertEquals(source.cancelled, 1)
      assert(isCancelled(x) && isCancelled(y))
    }
    val source = new Source
    val (x, y) = replaced(source.promise, _.shield)
    y.cancel()
    assert(isCancelled(y) && !x.isCompleted)
    assertEquals(source.cancelled, 0)
    x.cancel()
    assertEquals(source.cancelled, 1)
    assert(isCancelled(x))
  }
}
