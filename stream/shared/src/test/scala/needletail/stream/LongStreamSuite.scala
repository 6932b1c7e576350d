package needletail.stream

import scala.concurrent.duration._
import scala.util.Success

import needletail.async.Async
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** A million elements: neither the stack nor the turn of the loop may grow with their number. */
class LongStreamSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes
  private val million                 = 1000000

  private def ten(s: Stream[Int]): Stream[Int] =
    s.map(_ + 1).filter(_ => true).collect { case n => n }.takeWhile(_ > 0).drop(0).take(Long.MaxValue)
      .flatMap(n => Stream(n)).scan(0)((_, n) => n).zipWithIndex.map(_._1).mapAsync(2)(Async.value)

  private def ready = Stream.fromIterator(Iterator.range(0, million))

  /** Runs until it is over, and returns the most elements that came within one turn of the loop. */
  private def busiestTurn(read: Stream[Int] => Async[Any]): Int = {
    val loop         = new ManualLoop
    var here, most   = 0
    var over         = false
    def turn(): Unit = {
      most = math.max(most, here)
      here = 0
      if (!over) loop.execute(() => turn())
    }
    val all = loop.within(read(ready.map { n => here += 1; n }))
    all.onComplete(_ => over = true)
    turn()
    loop.runAll()
    assert(all.poll.exists(_.isSuccess), all)
    most
  }

  test("a million ready elements through ten operators") {
    assertEquals(new ManualLoop().run(ten(ready).fold(0L)((n, _) => n + 1)), Success(million + 1L))
  }

  test("they do not starve the loop") {
    assert(busiestTurn(ten(_).drain()) <= 256)
  }

  test("elements that are dropped do not starve it either, however deep") {
    assert(busiestTurn(_.filter(_ => false).drain()) <= 256)
    assert(busiestTurn(_.filter(_ % 200 == 0).filter(_ => false).drain()) <= 256)
    assert(busiestTurn(_.drop(Int.MaxValue.toLong).drain()) <= 256)
    assert(busiestTurn(_.flatMap(_ => Stream.empty).drain()) <= 256)
    assert(busiestTurn(_.collect { case n if n < 0 => n }.drain()) <= 256)
    assert(busiestTurn(_.chunks(million).drain()) <= 256)
    assert(busiestTurn(_.filter(_ => false).zip(Stream(1)).drain()) <= 256)
    assert(busiestTurn(_.filter(_ => false).headOption) <= 256)
  }

  test("a hundred thousand pending elements") {
    val n = 100000
    val s = ten(new Probe(0 until n, pending = true)).merge(Stream.empty).zip(Stream.from(0 to n))
    assertEquals(new ManualLoop().run(s.fold(0)((n, _) => n + 1)), Success(n + 1))
  }

  test("a reader that recurses through next") {
    val s                         = ten(ready)
    def count(n: Int): Async[Int] = s.next().flatMap {
      case Some(_) => count(n + 1)
      case None    => Async.value(n)
    }
    assertEquals(new ManualLoop().run(count(0)), Success(million + 1))
  }

  test("a stream that continues with itself") {
    def from(n: Int): Stream[Int] =
      Stream(n) ++ Stream.defer(Async.value(if (n < 100000) from(n + 1) else Stream.empty))
    assertEquals(new ManualLoop().run(from(0).fold(0)((n, _) => n + 1)), Success(100001))
    def empty(n: Int): Stream[Int] =
      Stream.empty ++ Stream.defer(Async.value(if (n < 100000) empty(n + 1) else Stream(n)))
    assertEquals(new ManualLoop().run(empty(0).toList(9)), Success(List(100000)))
    val broken                       = new Exception("broken")
    def retried(n: Int): Stream[Int] =
      Stream.fail(broken).recoverWith { case _ => if (n < 100000) retried(n + 1) else Stream(n) }
    assertEquals(new ManualLoop().run(retried(0).toList(9)), Success(List(100000)))
  }

  test("a producer that never waits, and a reader on another loop") {
    val loop   = new needletail.async.ThreadLoop("reader")
    val push   = new Push[Int](100)
    val sum    = Async.run(loop)(push.stream.fold(0L)(_ + _))
    val writer = new needletail.async.ThreadLoop("writer")
    Async.run(writer)(Stream.from(1 to 100000).mapAsync(1)(push.send(_)).onEnd(push.complete()).drain())
    assertEquals(scala.concurrent.Await.result(sum, 1.minute), 100000L * 100001 / 2)
    loop.close()
    writer.close()
  }
}
