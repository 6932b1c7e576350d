package needletail.stream

import scala.collection.mutable
import scala.concurrent.duration._
import scala.util.{Failure, Success}

import needletail.async.{Async, AsyncPromise, Cancelled, TimedOut}
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** A reader may give a read up and read again at once: nothing is lost, and the source has one read at a time. */
class GivenUpReadSuite extends Suite {

  /** A source that keeps what nobody has asked for, and refuses a second read while one is outstanding. */
  private final class Own extends Stream[Int] {
    private val kept                     = new mutable.Queue[Int]
    var asked: AsyncPromise[Option[Int]] = null

    def give(element: Int): Unit = if (asked == null || !asked.succeed(Some(element))) kept.enqueue(element)

    def next(): Async[Option[Int]] =
      if (asked != null && !asked.isCompleted) Async.fail(new IllegalStateException("read twice"))
      else {
        asked = new AsyncPromise
        if (kept.nonEmpty) asked.succeed(Some(kept.dequeue()))
        asked
      }

    def cancel(): Unit = ()
  }

  private val shapes = Seq[(String, Stream[Int] => Stream[Int])](
    "map"       -> (_.map(identity)),
    "two maps"  -> (_.map(identity).map(identity)),
    "filter"    -> (_.filter(_ => true)),
    "collect"   -> (_.collect { case x => x }),
    "scan"      -> (_.scan(0)((_, x) => x).drop(1)),
    "flatMap"   -> (_.flatMap(x => Stream(x))),
    "mapAsync"  -> (_.mapAsync(2)(Async.value)),
    "take"      -> (_.take(100)),
    "takeWhile" -> (_.takeWhile(_ => true)),
    "++"        -> (_ ++ Stream.empty),
    "merge"     -> (_.merge(Stream.empty)),
    "until"     -> (_.until(new AsyncPromise[Unit])),
    "zip"       -> (_.zip(Stream.from(1 to 100)).map(_._1)),
    "recover"   -> (_.recover { case _: IllegalArgumentException => -1 }),
    "onEnd"     -> (_.onEnd(()))
  )

  private def sequences(length: Int): Seq[List[Char]] =
    if (length == 0) Seq(Nil)
    else sequences(length - 1).flatMap(tail => Seq('g', 'r', 'e').map(_ :: tail))

  for ((name, shape) <- shapes)
    test(
      s"$name: giving up, reading and new elements in any order, within one turn and as turns of their own"
    ) {
      for {
        steps <- (1 to 5).flatMap(sequences)
        apart <- Seq(false, true)
        push  <- Seq(false, true)
      } {
        val loop                      = new ManualLoop
        val (source, give)            = if (push) filled() else own()
        val stream                    = shape(source)
        var sent                      = 0
        var read                      = List.empty[Int]
        var failed                    = List.empty[Throwable]
        var asked: Async[Option[Int]] = null

        def ask(): Unit = if (asked == null || asked.isCompleted) {
          asked = stream.next()
          asked.onComplete {
            case Success(element)      => read :::= element.toList
            case Failure(_: Cancelled) => ()
            case Failure(e)            => failed ::= e
          }
        }
        def element(): Unit           = { sent += 1; give(sent) }
        def perform(step: Char): Unit = step match {
          case 'g' => asked.cancel()
          case 'r' => ask()
          case _   => element()
        }

        loop.within {
          ask()
          val turn = new AsyncPromise[Unit]
          if (apart) steps.foreach(step => turn.onComplete(_ => perform(step)))
          else turn.onComplete(_ => steps.foreach(perform))
          turn.succeed(())
        }
        loop.runAll()
        loop.within(element())
        for (_ <- 1 to steps.size + 3) {
          loop.within(ask())
          loop.runAll()
        }
        assertEquals((failed, read.reverse), (Nil, (1 to sent).toList), (steps.mkString, apart, push))
      }
    }

  private def own(): (Stream[Int], Int => Unit) = {
    val own = new Own
    (own, own.give)
  }

  private def filled(): (Stream[Int], Int => Unit) = {
    val push = new Push[Int](100)
    (push.stream, element => assertEquals(push.offer(element), Offer.Accepted))
  }

  for ((name, shape) <- shapes)
    test(s"$name: each read has a time limit that passes several times for each element") {
      val loop   = new ManualLoop
      val own    = new Own
      val stream = shape(own)

      def write(n: Int): Async[Unit] = Async.sleep(50.millis).flatMap { _ =>
        own.give(n)
        if (n < 5) write(n + 1) else Async.unit
      }
      def read(got: List[Int]): Async[List[Int]] =
        if (got.size == 5) Async.value(got.reverse)
        else
          stream.next().map(identity).timeout(20.millis).transform {
            case Success(element)     => read(got ++ element)
            case Failure(_: TimedOut) => read(got)
            case Failure(e)           => Async.fail(e)
          }
      val written = loop.within(write(1))
      assertEquals(loop.run(read(Nil)).map(_.sorted), Success(List(1, 2, 3, 4, 5)))
      assert(written.isCompleted)
    }

  test("what came for a reader that had left comes first where an operator continues with the stream") {
    val loop   = new ManualLoop
    val own    = new Own
    val stream = own.map(_ * 10)
    loop.within(stream.next().cancel())
    val rest = stream.map(_ + 1)
    own.give(1)
    own.give(2)
    assertEquals(loop.run(rest.take(2).toList(2)).get, List(11, 21))
  }

  test("a failure and the end that came for a reader that had left are told to the next one") {
    val loop   = new ManualLoop
    val broken = new Exception("broken")
    for (fails <- Seq(true, false)) {
      val push   = new Push[Int](1)
      val stream = push.stream.map(identity)
      loop.within(stream.next().cancel())
      if (fails) push.fail(broken) else push.complete()
      loop.runAll()
      assertEquals(loop.run(stream.next()), if (fails) Failure(broken) else Success(None))
      assertEquals(loop.run(stream.next()), Success(None))
    }
  }

  test("a source whose reader does not come back is withdrawn from in the loop's next turn") {
    val loop   = new ManualLoop
    val own    = new Own
    val stream = own.map(identity)
    loop.within {
      stream.next().cancel()
      assert(!own.asked.isCompleted)
    }
    loop.runAll()
    assert(own.asked.isCompleted)
  }

  test("after a read that was given up, ticks that nobody waited for are skipped") {
    val loop   = new ManualLoop
    val stream = Stream.ticks(1.second)
    loop.within(stream.next().timeout(500.millis).foreach(_ => ()))
    loop.advance(10500.millis)
    assertEquals(loop.run(stream.next()).get, Some(10L))
  }

  test("once cancelled, a failure that came for a reader that had left is not told") {
    val loop   = new ManualLoop
    val push   = new Push[Int](1)
    val stream = push.stream.map(identity)
    loop.within {
      val turn = new AsyncPromise[Unit]
      turn.onComplete { _ =>
        push.fail(new Exception("broken"))
        stream.next().cancel()
      }
      turn.succeed(())
      stream.cancel()
    }
    loop.runAll()
    assertEquals(loop.run(stream.next()).get, None)
  }

  test("once cancelled, an element that is delivered meanwhile is not told") {
    val loop   = new ManualLoop
    val own    = new Own
    val stream = own.map(identity)
    loop.within {
      stream.next().onComplete(_ => own.give(1))
      stream.cancel()
    }
    loop.runAll()
    assertEquals(loop.run(stream.next()).get, None)
  }

  test("cancelling the stream ends the read that was left, and nothing comes any more") {
    val loop   = new ManualLoop
    val read   = new AsyncPromise[Option[(Int, Int)]]
    val stream = Stream.unfold(0)(_ => read).map(identity)
    loop.within(stream.next().cancel())
    loop.within(stream.cancel())
    assert(read.isCompleted)
    assertEquals(loop.run(stream.next()).get, None)
  }
}
