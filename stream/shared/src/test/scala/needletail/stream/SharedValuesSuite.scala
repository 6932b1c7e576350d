package needletail.stream

import scala.util.Success

import needletail.async.{Async, AsyncPromise}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Functions of streams return values that others wait for, too: a stream that ends withdraws from them, and no more. */
class SharedValuesSuite extends Suite {

  private def check[A](name: String, value: A)(make: Async[A] => Stream[Any]): Unit = {
    val loop   = new ManualLoop
    val shared = new AsyncPromise[A]
    val other  = shared.map(Option(_))
    val stream = make(shared)
    val next   = loop.within(stream.next())
    loop.runAll()
    loop.within(stream.cancel())
    loop.runAll()
    assert(next.isCompleted && !other.isCompleted, name)
    assert(shared.succeed(value), name)
    assertEquals(other.poll, Some(Success(Option(value))), name)
  }

  test("cancelling a stream leaves a value that its function returned to its other observers") {
    check("mapAsync", 1)(shared => Stream(1).mapAsync(2)(_ => shared))
    check("mapAsync, not the first", 1)(shared =>
      Stream(1, 2).mapAsync(2)(n => if (n == 1) new AsyncPromise[Int] else shared)
    )
    check("unfold", Option((1, 1)))(shared => Stream.unfold(0)(_ => shared))
  }

  test("the failure of one element leaves the value of another to its other observers") {
    val loop   = new ManualLoop
    val shared = new AsyncPromise[Int]
    val other  = shared.map(_ + 1)
    val failed = new IllegalStateException("the first")
    val stream = Stream(1, 2).mapAsync(2)(n => if (n == 1) Async.fail(failed) else shared)
    assertEquals(loop.run(stream.next()).failed.get, failed)
    assert(shared.succeed(1))
    assertEquals(other.poll, Some(Success(2)))
  }

  test("an element whose turn is yet to come stays when its other observers have withdrawn") {
    val loop   = new ManualLoop
    val slow   = new AsyncPromise[Int]
    val shared = new AsyncPromise[Int]
    val other  = shared.map(_ + 1)
    val stream = Stream(1, 2).mapAsync(2)(n => if (n == 1) slow else shared)
    val first  = loop.within(stream.next())
    loop.within(other.cancel())
    assert(slow.succeed(1))
    assert(shared.succeed(2))
    assertEquals(loop.run(first), Success(Some(1)))
    assertEquals(loop.run(stream.next()), Success(Some(2)))
    assertEquals(loop.run(stream.next()), Success(None))
  }
}
