package needletail.async

import scala.concurrent.duration._
import scala.util.{Failure, Success, Try}

import needletail.testing.Suite
import needletail.testkit.ManualLoop

class AsyncSuite extends Suite {
  private val broken = new IllegalArgumentException("broken")

  /** `make` must come to the same end whether its input is there from the start or comes later. */
  private def law[A](name: String)(input: Try[Int])(make: Async[Int] => Async[A])(expected: Try[A]): Unit = {
    test(s"$name (complete)")(assertEquals(make(Async.fromTry(input)).poll, Option(expected)))
    test(s"$name (pending)") {
      val promise = new AsyncPromise[Int]
      val made    = make(promise)
      assertEquals(made.poll, None)
      promise.complete(input)
      assertEquals(made.poll, Option(expected))
    }
  }

  law("map")(Success(2))(_.map(_ * 3))(Success(6))
  law("map keeps a failure")(Failure(broken))(_.map(_ * 3))(Failure(broken))
  law("map catches")(Success(2))(_.map(_ => throw broken))(Failure(broken))
  law("flatMap")(Success(2))(_.flatMap(n => Async.value(n + 1)))(Success(3))
  law("flatMap to a failure")(Success(2))(_.flatMap(_ => Async.fail(broken)))(Failure(broken))
  law("flatMap keeps a failure")(Failure(broken))(_.flatMap(n => Async.value(n + 1)))(Failure(broken))
  law("flatMap catches")(Success(2))(_.flatMap(_ => throw broken))(Failure(broken))
  law("recover")(Failure(broken))(_.recover { case _: IllegalArgumentException => 9 })(Success(9))
  law("recover leaves others")(Failure(broken))(
    _.recover { case _: NoSuchElementException => 9 }
  )(Failure(broken))
  law("recover keeps a value")(Success(1))(_.recover { case _ => 9 })(Success(1))
  law("recover catches")(Failure(new Cancelled))(_.recover { case _ => throw broken })(Failure(broken))
  law("recoverWith")(Failure(broken))(_.recoverWith { case _ => Async.value(8) })(Success(8))
  law("recoverWith leaves others")(Failure(broken))(_.recoverWith { case _: Cancelled => Async.value(8) })(
    Failure(broken)
  )
  law("recoverWith keeps a value")(Success(1))(_.recoverWith { case _ => Async.value(8) })(Success(1))
  law("transform of a value")(Success(1))(_.transform(t => Async.value(t.isSuccess)))(Success(true))
  law("transform of a failure")(Failure(broken))(_.transform(t => Async.value(t.isSuccess)))(Success(false))
  law("transform catches")(Success(1))(_.transform(_ => throw broken))(Failure(broken))
  law("andFinally keeps the value")(Success(1))(_.andFinally(()))(Success(1))
  law("andFinally keeps the failure")(Failure(broken))(_.andFinally(()))(Failure(broken))
  law("andFinally that throws")(Success(1))(_.andFinally(throw broken))(Failure(broken))
  law("withFilter that holds")(Success(1))(_.withFilter(_ == 1))(Success(1))
  law("zip with a complete one")(Success(1))(_.zip(Async.value("a")))(Success((1, "a")))
  law("zip with a failed one")(Failure(broken))(_.zip(Async.value("a")))(Failure(broken))
  law("zip from a complete one")(Success(1))(a => Async.value("a").zip(a))(Success(("a", 1)))
  law("all with complete ones")(Success(1))(a => Async.all(Seq(Async.value(0), a, Async.value(2))))(
    Success(Seq(0, 1, 2))
  )
  law("all with a failure")(Failure(broken))(a => Async.all(Seq(Async.value(0), a)))(Failure(broken))
  law("race with one that never ends")(Success(1))(_.race(new AsyncPromise[Int]))(Success(1))
  law("the loser's failure does not count")(Success(1))(
    _.race(new AsyncPromise[Int].map(_ => throw broken))
  )(Success(1))
  law("a null for an Async is a failure")(Success(1))(
    _.flatMap(_ => null: Async[Int]).recover { case _: NullPointerException => -1 }
  )(Success(-1))

  test("for comprehensions with tuple patterns") {
    val result = for {
      (a, b) <- Async.value((1, 2))
      c      <- Async.value(3)
      (d, e) <- Async.value(4) zip Async.value(5)
      sum = a + b + c + d + e
      if sum > 0
    } yield sum
    assertEquals(result.poll, Some(Success(15)))
  }

  test("a condition that does not hold is a failure") {
    val result = for { n <- Async.value(1) if n > 1 } yield n
    assert(result.poll.exists(_.failed.get.isInstanceOf[NoSuchElementException]))
  }

  test("map on a complete value runs at once, and a value that is there needs no registration") {
    var ran   = false
    val async = Async.value(1).map { n => ran = true; n }
    assert(ran)
    assert(async.resultOrNull.isValue)
    assertEquals(async.resultOrNull.value, 1)
    assertEquals(Async.fail(broken).resultOrNull.error, broken: Throwable)
    assertEquals(new AsyncPromise[Int].resultOrNull: Any, null)
  }

  test("observers are told in the order of their registration, once") {
    val promise = new AsyncPromise[Int]
    var seen    = List.empty[String]
    promise.onComplete(r => seen ::= s"a$r")
    promise.foreach(n => seen ::= s"b$n")
    promise.map(_ + 1).onComplete(r => seen ::= s"c$r")
    assert(promise.succeed(1))
    assert(!promise.succeed(2))
    assert(!promise.fail(broken))
    assertEquals(seen.reverse, List("aSuccess(1)", "b1", "cSuccess(2)"))
  }

  test("a completion inside an observer is told after the observers of the first") {
    val first  = new AsyncPromise[Int]
    val second = new AsyncPromise[Int]
    var seen   = List.empty[String]
    first.onComplete { _ => second.succeed(1); seen ::= "first a" }
    first.onComplete(_ => seen ::= "first b")
    second.onComplete(_ => seen ::= "second")
    first.succeed(0)
    assertEquals(seen.reverse, List("first a", "first b", "second"))
  }

  test("an observer's exception goes to the loop and does not affect other observers") {
    val loop    = new ManualLoop
    val promise = new AsyncPromise[Int]
    var seen    = 0
    promise.onComplete(_ => throw broken)
    promise.onComplete(_ => seen += 1)
    loop.within { promise.succeed(1) }
    assertEquals(seen, 1)
    assertEquals(intercept[IllegalArgumentException](loop.runAll()), broken)
  }

  test("two pending values: zip, race, all") {
    val a, b = new AsyncPromise[Int]
    val both = a zip b
    val one  = a race b
    val all  = Async.all(Seq(a, b, a))
    b.succeed(2)
    assertEquals(one.poll, Some(Success(2)))
    assertEquals(both.poll, None)
    a.succeed(1)
    assertEquals(both.poll, Some(Success((1, 2))))
    assertEquals(all.poll, Some(Success(Seq(1, 2, 1))))
    assertEquals(Async.all(Seq.empty[Async[Int]]).poll, Some(Success(Seq.empty[Int])))
  }

  test("a value zipped with itself") {
    val a    = new AsyncPromise[Int]
    val both = a zip a
    a.succeed(1)
    assertEquals(both.poll, Some(Success((1, 1))))
  }

  test("sleep and within go by the loop's clock") {
    val loop = new ManualLoop
    val woke = loop.within(Async.sleep(2.seconds))
    loop.advance(1999.millis)
    assert(!woke.isCompleted)
    loop.advance(1.milli)
    assert(woke.isCompleted)

    val late = loop.run(new AsyncPromise[Int].timeout(1.hour))
    assertEquals(late.failed.get.asInstanceOf[TimedOut].limit, 1.hour)
    assertEquals(loop.run(Async.sleep(1.second).map(_ => "in time").timeout(2.seconds)), Success("in time"))
    assertEquals(loop.pendingTimers, 0)
  }

  test("attempt and defer catch") {
    assertEquals(Async.attempt(1).poll, Some(Success(1)))
    assertEquals(Async.attempt[Int](throw broken).poll, Some(Failure(broken)))
    assertEquals(Async.defer(Async.value(1)).poll, Some(Success(1)))
    assertEquals(Async.defer[Int](throw broken).poll, Some(Failure(broken)))
  }
}
