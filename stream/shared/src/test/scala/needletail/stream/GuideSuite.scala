package needletail.stream

import scala.concurrent.duration._

import needletail.async.Async
import needletail.testing.{Location, Suite}
import needletail.testkit.ManualLoop

/** The operators in docs/streams.md have the elements that it says: GuideTextSuite compares the two texts. */
class GuideSuite extends Suite {
  private def double(n: Int): Async[Int] = Async.sleep(1.milli).map(_ => n * 2)

  private def shows(elements: String)(stream: => Stream[Any])(implicit at: Location): Unit =
    assertEquals(new ManualLoop().run(stream.toList(100)).get.mkString(", "), elements)

  // format: off
  test("each operator") {
    shows("10, 20, 30")(Stream(1, 2, 3).map(_ * 10))
    shows("1, 3")(Stream(1, 2, 3).filter(_ != 2))
    shows("no. 2, no. 3")(Stream(1, 2, 3).collect { case n if n > 1 => s"no. $n" })
    shows("1, -1, 2, -2, 3, -3")(Stream(1, 2, 3).flatMap(n => Stream(n, -n)))
    shows("2, 4, 6")(Stream(1, 2, 3).mapAsync(2)(double))
    shows("1, 2")(Stream(1, 2, 3).take(2))
    shows("3")(Stream(1, 2, 3).drop(2))
    shows("1")(Stream(1, 5, 2).takeWhile(_ < 3))
    shows("5, 2")(Stream(1, 5, 2).dropWhile(_ < 3))
    shows("Vector(1, 2), Vector(3)")(Stream(1, 2, 3).chunks(2))
    shows("0, 1, 3, 6")(Stream(1, 2, 3).scan(0)(_ + _))
    shows("(a,0), (b,1)")(Stream("a", "b").zipWithIndex)
    shows("1, 2, 3")(Stream(1, 2) ++ Stream(3))
    shows("1, 2, 3")(Stream(3).prepend(1, 2))
    shows("(1,a), (2,b)")(Stream(1, 2, 3).zip(Stream("a", "b")))
    shows("1, 2, 3, 4")(Stream(1, 3).merge(Stream(2, 4)))
    shows("1, 2")(Stream(1, 2).paced(1.second))
    shows("1, 2, 3")(Stream.ticks(1.second).take(3))
    shows("1, 2")(Stream.ticks(1.second).until(Async.sleep(2500.millis)))
    shows("1, 0")((Stream(1) ++ Stream.fail(new Exception)).recover { case _: Exception => 0 })
    shows("1, 8, 9")((Stream(1) ++ Stream.fail(new Exception)).recoverWith { case _: Exception => Stream(8, 9) })
    shows("1, 2")(Stream(1, 2).onEnd(println("ended, failed or cancelled")))
    shows("1, 2")(Stream.from(List(1, 2)))
    shows("1, 2")(Stream.fromIterator(Iterator(1, 2)))
    shows("1, 2, 4")(Stream.unfold(1)(n => double(n).map(m => if (n > 4) None else Some((n, m)))))
    shows("2")(Stream.defer(double(1).map(n => Stream(n))))
    shows("one, two")(Stream("one\r\nt", "wo\n").utf8.lines())
    shows("a, b")(Stream("a;b;").utf8.delimitedFrames(";".getBytes, longest = 80).map(new String(_)))
    shows("a, bc")(Stream("\u0001a\u0002bc").utf8.prefixedFrames(prefix = 1, longest = 80).map(new String(_)))
  }
  // format: on
}
