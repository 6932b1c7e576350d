package needletail.stream

import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, Loop, Timer}
import needletail.testing.{Location, Suite}
import needletail.testkit.ManualLoop

/** What each operator makes of its elements, whether they are ready or come one by one. */
class StreamSuite extends Suite {

  private def all[A](stream: => Stream[A]): List[A] = {
    val loop = new ManualLoop
    val list = loop.run(stream.toList(1000000)).get
    assertEquals(loop.pendingTimers, 0)
    list
  }

  /** Runs the case with elements that are ready and with elements that are not. */
  private def check[A, B](elements: A*)(operator: Stream[A] => Stream[B])(expected: B*)(implicit
      at: Location
  ): Unit =
    for (pending <- Seq(false, true)) {
      val probe = new Probe(elements, pending)
      assertEquals(all(operator(probe)), expected.toList, s"pending: $pending")
      assertEquals(probe.misuse, Nil)
    }

  test("map, filter, collect") {
    check(1, 2, 3)(_.map(_ + 1))(2, 3, 4)
    check(1, 2, 3, 4)(_.filter(_ % 2 == 0))(2, 4)
    check(1, 2, 3, 4)(_.collect { case n if n > 2 => n.toString })("3", "4")
  }

  test("take, drop, takeWhile, dropWhile") {
    check(1, 2, 3)(_.take(2))(1, 2)
    check(1, 2, 3)(_.take(0))()
    check(1, 2, 3)(_.take(9))(1, 2, 3)
    check(1, 2, 3)(_.drop(2))(3)
    check(1, 2, 3)(_.drop(9))()
    check(1, 5, 2)(_.takeWhile(_ < 3))(1)
    check(1, 5, 2)(_.dropWhile(_ < 3))(5, 2)
  }

  test("chunks, scan, zipWithIndex") {
    check(1, 2, 3, 4, 5)(_.chunks(2))(Vector(1, 2), Vector(3, 4), Vector(5))
    check(1, 2, 3, 4)(_.chunks(2))(Vector(1, 2), Vector(3, 4))
    check[Int, Vector[Int]]()(_.chunks(2))()
    check(1, 2, 3)(_.scan(0)(_ + _))(0, 1, 3, 6)
    check[Int, Int]()(_.scan(7)(_ + _))(7)
    check("a", "b")(_.zipWithIndex)(("a", 0L), ("b", 1L))
  }

  test("flatMap, ++, prepend") {
    check(1, 2, 3)(_.flatMap(n => Stream.from(List.fill(n)(n))))(1, 2, 2, 3, 3, 3)
    check(1, 2, 3)(_.flatMap(n => new Probe(List.fill(n - 1)(n), pending = true)))(2, 3, 3)
    check(1, 2)(_ ++ Stream(3))(1, 2, 3)
    check(3)(Stream(1, 2) ++ _)(1, 2, 3)
    check(3)(_.prepend(1, 2))(1, 2, 3)
  }

  test("zip ends with the shorter stream") {
    check(1, 2, 3)(_.zip(Stream("a", "b")))((1, "a"), (2, "b"))
    check(1, 2)(s => Stream("a", "b", "c").zip(s))(("a", 1), ("b", 2))
  }

  test("merge alternates while both have elements, and ends with the longer one") {
    assertEquals(all(Stream(1, 3, 5, 7).merge(Stream(2, 4))), List(1, 2, 3, 4, 5, 7))
    check(1, 2, 3)(_.merge(new Probe(Seq(4, 5), pending = true)).map(_ => ()))(Seq.fill(5)(()): _*)
  }

  test("merge with eager ends with the shorter one, after what is ready") {
    for (pending <- Seq(false, true); first <- Seq(false, true)) {
      val ends   = new Probe(Seq(1, 2), pending)
      val waits  = new Probe(Seq(3), pending, Probe.Never)
      val merged = if (first) ends.merge(waits, eager = true) else waits.merge(ends, eager = true)
      assertEquals(all(merged).sorted, List(1, 2, 3))
      assertEquals((ends.cancelled, waits.cancelled), (0, 1))
    }
    assertEquals(all(Stream(1, 2).merge(Stream(3, 4, 5), eager = true)).sorted, List(1, 2, 3, 4, 5))
  }

  test("mapAsync keeps the order") {
    for (parallelism <- Seq(1, 2, 3, 100))
      check(30, 10, 20, 40)(_.mapAsync(parallelism)(n => Async.sleep(n.millis).map(_ => n)))(30, 10, 20, 40)
  }

  test("recover, recoverWith, onEnd") {
    val broken                  = new IllegalStateException("broken")
    def fails(pending: Boolean) = new Probe(Seq(1, 2), pending, Probe.Fail(broken))
    for (pending <- Seq(false, true)) {
      assertEquals(all(fails(pending).recover { case `broken` => 3 }), List(1, 2, 3))
      assertEquals(all(fails(pending).recoverWith { case `broken` => Stream(3, 4) }), List(1, 2, 3, 4))
      var ends = 0
      assertEquals(all(fails(pending).onEnd(ends += 1).recover { case `broken` => 3 }), List(1, 2, 3))
      assertEquals(ends, 1)
      assertEquals(
        new ManualLoop().run(fails(pending).recover { case _: Error => 3 }.drain()),
        Failure(broken)
      )
    }
  }

  test("fold, headOption, toList") {
    val loop = new ManualLoop
    assertEquals(loop.run(Stream(1, 2, 3).fold(0)(_ + _)), Success(6))
    assertEquals(loop.run(Stream(1, 2, 3).headOption), Success(Some(1)))
    assertEquals(loop.run(Stream.empty.headOption), Success(None))
    assertEquals(loop.run(Stream(1, 2).toList(2)), Success(List(1, 2)))
    val probe = new Probe(Seq(1, 2, 3))
    assert(loop.run(probe.toList(2)).failed.get.isInstanceOf[TooManyElements])
    assertEquals(probe.cancelled, 1)
  }

  test("a deferred stream that is null is a failure, once") {
    for (
      make <- Seq[() => Async[Stream[Int]]](() => Async.value(null), () => Async.yieldNow.map(_ => null))
    ) {
      val loop   = new ManualLoop
      var made   = 0
      val stream = Stream.defer { made += 1; if (made > 9) Async.value(Stream(1)) else make() }
      assert(loop.run(stream.next()).failed.get.isInstanceOf[NullPointerException])
      assertEquals(loop.run(stream.next()).get, None)
      assertEquals(made, 1)
    }
  }

  test("unfold, defer, fromIterator") {
    assertEquals(
      all(Stream.unfold(1)(n => Async.sleep(1.milli).map(_ => if (n < 4) Some((n * 10, n + 1)) else None))),
      List(10, 20, 30)
    )
    assertEquals(all(Stream.defer(Async.sleep(1.milli).map(_ => Stream(1, 2)))), List(1, 2))
    assertEquals(all(Stream.fromIterator(Iterator(1, 2))), List(1, 2))
  }

  test("ticks come once in each period, and late ones are left out") {
    val loop   = new ManualLoop
    val ticks  = Stream.ticks(1.second)
    def next() = loop.run(ticks.next()).get
    assertEquals(next(), Some(1L))
    assertEquals(next(), Some(2L))
    loop.advance(3500.millis)
    assertEquals(next(), Some(5L))
    assertEquals(next(), Some(6L))
    assertEquals(loop.nowNanos, 6.seconds.toNanos)
  }

  test("paced elements") {
    val loop = new ManualLoop
    assertEquals(loop.run(Stream(1, 2, 3).paced(1.minute).toList(3)), Success(List(1, 2, 3)))
    assertEquals(loop.nowNanos, 3.minutes.toNanos)
    assertEquals(loop.pendingTimers, 0)
  }

  /** The times at which the elements come, in milliseconds, of a stream that is made on the loop. */
  private def times(pausing: Int => Int = _ => 0)(stream: => Stream[Int]): List[Long] = {
    val loop = new ManualLoop
    def now  = loop.nowNanos / 1000000
    loop.run {
      stream.mapAsync(1)(n => {
        val came = now
        Async.sleep(pausing(n).millis).map(_ => came)
      }).toList(9)
    }.get
  }

  test(
    "paced elements come one in a period after a pause of their source, too, not those of the pause at once"
  ) {
    assertEquals(
      times()(Stream.defer(Async.sleep(5500.millis).map(_ => Stream(1, 2, 3))).paced(1.second)),
      List(5500L, 6500L, 7500L)
    )
    assertEquals(
      times()((Stream(
        1,
        2
      ) ++ Stream.defer(Async.sleep(2300.millis).map(_ => Stream(3, 4)))).paced(1.second)),
      List(1000L, 2000L, 4300L, 5300L)
    )
  }

  test("paced elements come one in a period after a pause of their reader, too") {
    assertEquals(
      times(pausing = n => if (n == 1) 3500 else 0)(Stream(1, 2, 3, 4).paced(1.second)),
      List(1000L, 4500L, 5500L, 6500L)
    )
    val loop  = new ManualLoop
    val paced = Stream(1, 2, 3).paced(1.second)
    // a reader that gives up its read, and comes back when the element has waited for it for a while
    assert(loop.run(paced.next().timeout(500.millis)).isFailure)
    loop.advance(1400.millis)
    assertEquals((loop.run(paced.next()), loop.nowNanos), (Success(Some(1)), 1900.millis.toNanos))
    assertEquals((loop.run(paced.next()), loop.nowNanos), (Success(Some(2)), 2900.millis.toNanos))
  }

  test("paced elements of a source that is slow within the period keep their times") {
    assertEquals(
      times()(Stream.unfold(1)(n =>
        Async.sleep(300.millis).map(_ => if (n > 3) None else Some((n, n + 1)))
      ).paced(
        1.second
      )),
      List(1000L, 2000L, 3000L)
    )
  }

  test("where the loop is a little late, the next paced element is not") {
    val loop  = new ManualLoop
    val late  = new LateLoop(loop, 300.micros)
    val paced = Stream(1, 2, 3, 4).paced(1.milli)
    val first = loop.run(late.within(paced.next()))
    assertEquals((first, loop.nowNanos), (Success(Some(1)), 1300.micros.toNanos))
    assertEquals(loop.run(paced.toList(3)), Success(List(2, 3, 4)))
    assertEquals(loop.nowNanos, 4300.micros.toNanos)
    intercept[IllegalArgumentException](Stream(1).paced(Duration.Zero))
  }

  test("until ends when the signal comes and nothing is ready") {
    val loop   = new ManualLoop
    val source = new Probe(Seq(1, 2), ending = Probe.Never)
    assertEquals(loop.run(source.until(Async.sleep(1.second)).toList(9)), Success(List(1, 2)))
    assertEquals(source.cancelled, 1)
    assertEquals(all(Stream(1, 2).until(Async.unit)), List(1, 2))
  }
}

/** Runs timers late. */
private final class LateLoop(loop: ManualLoop, by: FiniteDuration) extends Loop {
  def inLoop: Boolean                                   = loop.inLoop
  def execute(task: Runnable): Unit                     = loop.execute(task)
  def nowNanos: Long                                    = loop.nowNanos
  def schedule(delayNanos: Long, task: Runnable): Timer = loop.schedule(delayNanos + by.toNanos, task)

  /** Evaluates `body`, on `loop`, as if that were this one. */
  def within[A](body: => A): A = {
    Loop.enter(this)
    try body
    finally Loop.enter(loop)
  }
}
