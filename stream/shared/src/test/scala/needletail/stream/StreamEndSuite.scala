package needletail.stream

import scala.concurrent.duration._
import scala.util.Failure

import needletail.async.{Async, AsyncPromise, Cancelled}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** How streams end: whatever happens, each source is either used up or cancelled once. */
class StreamEndSuite extends Suite {

  /** Operators that pass on at least one element of three. */
  private val operators: Seq[(String, Stream[Int] => Stream[Any])] = Seq(
    "map"              -> (_.map(_ + 1)),
    "filter"           -> (_.filter(_ > 1)),
    "collect"          -> (_.collect { case n if n > 1 => n }),
    "flatMap"          -> (_.flatMap(n => Stream(n, n))),
    "flatMap, pending" -> (_.flatMap(n => new Probe(Seq(n, n), pending = true))),
    "mapAsync"         -> (_.mapAsync(2)(n => Async.value(n))),
    "mapAsync, slow"   -> (_.mapAsync(2)(n => Async.sleep(n.millis))),
    "take"             -> (_.take(9)),
    "drop"             -> (_.drop(1)),
    "takeWhile"        -> (_.takeWhile(_ < 9)),
    "dropWhile"        -> (_.dropWhile(_ < 2)),
    "chunks"           -> (_.chunks(2)),
    "scan"             -> (_.scan(0)(_ + _).drop(1)),
    "zipWithIndex"     -> (_.zipWithIndex),
    "++"               -> (_ ++ Stream(4)),
    "++, second"       -> (Stream.empty ++ _),
    "prepend"          -> (_.prepend(0).drop(1)),
    "zip"              -> (_.zip(Stream(1, 2, 3, 4))),
    "zip, second"      -> (s => Stream(1, 2, 3, 4).zip(s)),
    "paced"            -> (_.paced(1.second)),
    "merge"            -> (_.merge(Stream.empty)),
    "merge, second"    -> (s => Stream.empty.merge(s)),
    "until"            -> (_.until(new AsyncPromise[Unit])),
    "recover"          -> (_.recover { case _: NoSuchElementException => 0 }),
    "recoverWith"      -> (_.recoverWith { case _: NoSuchElementException => Stream(0) }),
    "onEnd"            -> (_.onEnd(())),
    "defer"            -> (s => Stream.defer(Async.value(s)).drop(0)),
    "unfold"           -> (s => Stream.unfold(s)(s => s.next().map(_.map((_, s)))).onEnd(s.cancel())),
    "ten of them"      -> (s => (1 to 10).foldLeft(s)((s, _) => s.map(_ + 1).filter(_ => true)))
  )

  private def each(test: (Boolean, Stream[Int] => Stream[Any]) => Any): Unit =
    for ((name, operator) <- operators; pending <- Seq(false, true))
      try test(pending, operator)
      catch { case e: Throwable => throw new AssertionError(s"$name, pending: $pending: $e", e) }

  private def wellUsed(probe: Probe[_]) = assertEquals(probe.misuse, Nil)

  test("a reader that stops cancels the source once, however often it says so") {
    each { (pending, operator) =>
      val loop   = new ManualLoop
      val probe  = new Probe(Seq(1, 2, 3), pending, Probe.Never)
      val stream = operator(probe)
      assert(loop.run(stream.next()).get.isDefined)
      loop.within { stream.cancel(); stream.cancel() }
      assertEquals(probe.cancelled, 1)
      assertEquals(loop.run(stream.next()).get, None)
      loop.runAll()
      wellUsed(probe)
      assertEquals(loop.pendingTimers, 0)
    }
  }

  test("a stream that was never read cancels the source once") {
    each { (pending, operator) =>
      if (!pending) {
        val loop   = new ManualLoop
        val probe  = new Probe(Seq(1, 2, 3))
        val stream = operator(probe)
        loop.within { stream.cancel(); stream.cancel() }
        // one that is to be made later was not made
        assert(probe.cancelled == 1 || probe.passed == 0 && probe.cancelled == 0)
        assertEquals(loop.run(stream.next()).get, None)
        wellUsed(probe)
      }
    }
    val probe = new Probe(Seq(1))
    Stream.empty.++(probe).cancel()
    assertEquals(probe.cancelled, 1)
  }

  test("cancelling while next is outstanding fails that and cancels the source once") {
    each { (pending, operator) =>
      val loop   = new ManualLoop
      val probe  = new Probe(Seq.empty[Int], pending, Probe.Never)
      val stream = operator(probe)
      val next   = loop.within(stream.next())
      loop.runAll()
      assert(!next.isCompleted)
      loop.within { stream.cancel(); stream.cancel() }
      assert(next.poll.exists(_.failed.get.isInstanceOf[Cancelled]), next.poll)
      assertEquals(probe.cancelled, 1)
      assertEquals(loop.run(stream.next()).get, None)
      assertEquals(loop.pendingTimers, 0)
    }
  }

  test("a stream that was used up is not cancelled") {
    each { (pending, operator) =>
      val loop   = new ManualLoop
      val probe  = new Probe(Seq(1, 2, 3), pending)
      val stream = operator(probe)
      assert(loop.run(stream.drain()).isSuccess)
      loop.within(stream.cancel())
      assert(probe.ended)
      assertEquals(loop.run(stream.next()).get, None)
      if (!probe.misuse.contains("cancel after the end")) wellUsed(probe) // only by the onEnd of unfold
    }
  }

  test("a failure of the source comes through, and it is not cancelled") {
    val broken = new Exception("broken")
    each { (pending, operator) =>
      val loop   = new ManualLoop
      val probe  = new Probe(Seq.empty[Int], pending, Probe.Fail(broken))
      val stream = operator(probe)
      assertEquals(loop.run(stream.next()), Failure(broken))
      assertEquals(loop.run(stream.next()).get, None)
      loop.within(stream.cancel())
      assert(probe.cancelled == 0 || probe.misuse == List("cancel after the end"), probe.misuse)
      assertEquals(loop.pendingTimers, 0)
    }
  }

  test("withdrawing from next loses no element") {
    each { (pending, operator) =>
      def elements(withdraw: Boolean) = {
        val loop                               = new ManualLoop
        val stream                             = operator(new Probe(Seq(1, 2, 3), pending))
        def read(before: List[Any]): List[Any] = {
          if (withdraw) loop.within(stream.next()) match {
            case next if next.isCompleted =>
              return next.poll.get.get match {
                case Some(element) => read(element :: before)
                case None          => before
              }
            case next => loop.within(next.cancel())
          }
          loop.run(stream.next()).get match {
            case Some(element) => read(element :: before)
            case None          => before
          }
        }
        read(Nil)
      }
      assertEquals(elements(withdraw = true), elements(withdraw = false))
    }
  }

  private val errors = Seq(
    new RuntimeException("thrown"),
    new StackOverflowError("thrown"),
    new NoSuchMethodError("thrown"),
    new InterruptedException("thrown"),
    new scala.util.control.ControlThrowable("thrown") {}
  )

  private def broken[A](error: Throwable): A = throw error

  private def failing(error: Throwable): Seq[(String, Stream[Int] => Stream[Any])] = Seq(
    "map"               -> (_.map(_ => broken[Int](error))),
    "filter"            -> (_.filter(_ => broken(error))),
    "collect"           -> (_.collect { case n if broken[Boolean](error) => n }),
    "flatMap"           -> (_.flatMap(_ => broken[Stream[Int]](error))),
    "mapAsync"          -> (_.mapAsync(3)(_ => broken[Async[Int]](error))),
    "mapAsync, failed"  -> (_.mapAsync(3)(_ => Async.yieldNow.map(_ => broken[Int](error)))),
    "takeWhile"         -> (_.takeWhile(_ => broken(error))),
    "dropWhile"         -> (_.dropWhile(_ => broken(error))),
    "scan"              -> (_.scan(0)((_, _) => broken(error)).drop(1)),
    "zip with it"       -> (_.zip(new Probe(Seq(1), ending = Probe.Never).map(_ => broken[Int](error)))),
    "merged with it"    -> (_.merge(Stream(1).map(_ => broken[Int](error))).drop(9)),
    "inner one fails"   -> (_.flatMap(_ => Stream.fail(error))),
    "inner fails later" -> (_.flatMap(_ => new Probe(Nil, pending = true, Probe.Fail(error)))),
    "first of two"      -> (s => Stream.fail(error) ++ s),
    "next throws"       -> (s =>
      s.zip(new Stream[Int] {
        def next(): Async[Option[Int]] = throw error
        def cancel(): Unit             = fail("it has ended by itself")
      })
    )
  )

  test("an exception of a function ends the stream and cancels the source once") {
    for (error <- errors; (name, operator) <- failing(error); pending <- Seq(false, true)) {
      val loop   = new ManualLoop
      val probe  = new Probe(1 to 9, pending, Probe.Never)
      val stream = operator(probe)
      assertEquals(loop.run(stream.next()), Failure(error), name)
      assertEquals(probe.cancelled, 1, name)
      assertEquals(loop.run(stream.next()).get, None)
      loop.within(stream.cancel())
      assertEquals(probe.cancelled, 1, name)
      assertEquals(probe.misuse, Nil, name)
    }
  }

  test("an exception of a function of the reader cancels the source once") {
    for (error <- errors; pending <- Seq(false, true)) {
      def ends(read: Stream[Int] => Async[Any]) = {
        val probe = new Probe(1 to 9, pending, Probe.Never)
        assertEquals(new ManualLoop().run(read(probe)), Failure(error))
        assertEquals(probe.cancelled, 1)
        assertEquals(probe.misuse, Nil)
      }
      ends(_.foreach(_ => broken[Unit](error)))
      ends(_.fold(0)((_, _) => broken(error)))
    }
  }

  test("cancelling the result of a reader cancels the source once") {
    def ends(read: Stream[Int] => Async[Any]) = for (pending <- Seq(false, true)) {
      val loop  = new ManualLoop
      val probe = new Probe(1 to 9, pending, Probe.Never)
      val all   = loop.within(read(probe))
      loop.runAll()
      loop.within(all.cancel())
      assertEquals(probe.cancelled, 1)
      loop.runAll()
      assertEquals(probe.misuse, Nil)
    }
    ends(_.drain())
    ends(_.toList(99))
    ends(_.fold(0)(_ + _))
    ends(_.map(_ + 1).zip(Stream.ticks(1.second)).drain())
    ends(_.mapAsync(2)(Async.value).drain())
    ends(_.drop(9).headOption)
  }

  test("take, takeWhile and headOption cancel the source as soon as they have enough") {
    for (pending <- Seq(false, true)) {
      def enough(expected: Int)(read: Stream[Int] => Async[Any]) = {
        val probe = new Probe(1 to 9, pending, Probe.Never)
        assert(new ManualLoop().run(read(probe)).isSuccess)
        assertEquals((probe.passed, probe.cancelled, probe.misuse), (expected, 1, Nil))
      }
      enough(0)(_.take(0).drain())
      enough(3)(s => { val t = s.take(3); t.next().flatMap(_ => t.next()).flatMap(_ => t.next()) })
      enough(3)(_.takeWhile(_ < 3).drain())
      enough(1)(_.headOption)
    }
  }

  test("the end or failure of one side cancels the other while that waits") {
    val broken = new Exception("broken")
    for (pending <- Seq(false, true); first <- Seq(false, true)) {
      def against(ending: Probe.Ending)(join: (Stream[Int], Stream[Int]) => Stream[Any]) = {
        val ends  = new Probe(Seq.empty[Int], pending, ending)
        val waits = new Probe(Seq.empty[Int], pending, Probe.Never)
        val both  = if (first) join(ends, waits) else join(waits, ends)
        val end   = new ManualLoop().run(both.drain())
        assertEquals((ends.cancelled, waits.cancelled), (0, 1))
        end
      }
      assert(against(Probe.End)(_ zip _).isSuccess)
      assertEquals(against(Probe.Fail(broken))(_ zip _), Failure(broken))
      assertEquals(against(Probe.Fail(broken))(_ merge _), Failure(broken))
    }
  }

  test("a failed or cancelled mapAsync cancels what is under way") {
    val loop                     = new ManualLoop
    var stopped                  = List.empty[Int]
    def hang(n: Int): Async[Int] = {
      val promise = new AsyncPromise[Int]
      promise.onCancel(() => stopped ::= n)
      promise
    }
    val broken = new Exception("broken")
    val stream = Stream.from(1 to 9).mapAsync(3)(n =>
      if (n == 1) Async.sleep(1.second).map(_ => throw broken) else hang(n)
    )
    assertEquals(loop.run(stream.drain()), Failure(broken))
    assertEquals(stopped.sorted, List(2, 3))
    stopped = Nil
    val other = Stream.from(1 to 9).mapAsync(4)(hang)
    val next  = loop.within(other.next())
    loop.within(other.cancel())
    assertEquals(stopped.sorted, List(1, 2, 3, 4))
    assert(next.isCompleted)
  }

  test("mapAsync never has more under way than it may") {
    val loop    = new ManualLoop
    var running = 0
    var most    = 0
    val stream  = new Probe(1 to 100, pending = true).mapAsync(7) { n =>
      running += 1
      most = math.max(most, running)
      Async.sleep((n * 37 % 11).millis).map { _ => running -= 1; n }
    }
    assertEquals(loop.run(stream.toList(100)).get, (1 to 100).toList)
    assertEquals(most, 7)
  }

  test("onEnd runs once: at the end, after a failure, when cancelled; its own failure replaces the end") {
    def runs(ending: Probe.Ending)(read: (ManualLoop, Stream[Int]) => Any) =
      for (pending <- Seq(false, true)) {
        var ends   = 0
        val loop   = new ManualLoop
        val stream = new Probe(Seq(1), pending, ending).onEnd(ends += 1)
        read(loop, stream)
        loop.within(stream.cancel())
        assertEquals(ends, 1)
      }
    runs(Probe.End)((loop, stream) => loop.run(stream.drain()))
    runs(Probe.Fail(new Exception))((loop, stream) => loop.run(stream.drain()))
    runs(Probe.Never)((loop, stream) => loop.run(stream.next()))
    runs(Probe.Never)((loop, stream) => loop.run(stream.take(1).drain()))
    runs(Probe.Never)((_, _) => ())
    val broken = new Exception("broken")
    assertEquals(new ManualLoop().run(Stream(1).onEnd(throw broken).drain()), Failure(broken))
  }

  test("an exception of a source's cancel goes to the loop and does not keep the other side alive") {
    val broken = new Exception("broken")
    val loop   = new ManualLoop
    val other  = new Probe(Seq(1), ending = Probe.Never)
    val bad    = new Stream[Int] {
      def next(): Async[Option[Int]] = new AsyncPromise[Option[Int]]
      def cancel(): Unit             = throw broken
    }
    val stream = bad.zip(other)
    loop.within { stream.next(); stream.cancel() }
    assertEquals(other.cancelled, 1)
    assertEquals(intercept[Exception](loop.runAll()), broken)
  }

  test("a stream that is made later is cancelled, or not made") {
    val loop  = new ManualLoop
    var made  = 0
    val never = Stream.defer { made += 1; Async.value(Stream(1)) }
    loop.within(never.cancel())
    assertEquals(loop.run(never.next()).get, None)
    assertEquals(made, 0)
    val probe = new Probe(Seq(1))
    val late  = Stream.defer(Async.sleep(1.second).shield.map(_ => probe))
    val next  = loop.within(late.next())
    loop.within(next.cancel())
    loop.advance(1.second)
    loop.within(late.cancel())
    assertEquals(probe.cancelled, 1)
  }

  test("next before its last result is complete is refused") {
    val loop   = new ManualLoop
    val stream = new Probe(Seq(1), pending = true).map(_ + 1)
    val next   = loop.within(stream.next())
    assert(loop.within(stream.next()).poll.exists(_.failed.get.isInstanceOf[IllegalStateException]))
    assertEquals(loop.run(next).get, Some(2))
  }

  test("the arguments of operators are checked") {
    intercept[IllegalArgumentException](Stream(1).chunks(0))
    intercept[IllegalArgumentException](Stream(1).mapAsync(0)(Async.value))
    intercept[IllegalArgumentException](Stream.ticks(0.seconds))
    intercept[IllegalArgumentException](Stream(Array[Byte]()).lines(0))
    intercept[IllegalArgumentException](Stream(Array[Byte]()).prefixedFrames(5, 1))
    intercept[IllegalArgumentException](Stream(Array[Byte]()).delimitedFrames(Array(), 1))
    intercept[IllegalArgumentException](new Push[Int](0))
  }
}
