package needletail.stream

import scala.util.Success

import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Streams that are made of very many others. */
class StackSuite extends Suite {
  private val n        = 100000
  private val numbers  = 1 to n
  private def each     = numbers.map(Stream(_))
  private val expected = Success(numbers.toList)

  private def elements(s: Stream[Int]) = new ManualLoop().run(s.toList(n))

  private def halves(all: Seq[Stream[Int]]): Stream[Int] =
    if (all.size == 1) all.head
    else {
      val (left, right) = all.splitAt(all.size / 2)
      halves(left) ++ halves(right)
    }

  test("a hundred thousand streams one after the other, however they are put together") {
    assertEquals(elements(each.reduceLeft(_ ++ _)), expected)
    assertEquals(elements(each.reduceRight(_ ++ _)), expected)
    assertEquals(elements(halves(each)), expected)
    val empty = List.fill(n)(Stream.empty: Stream[Int])
    assertEquals(elements(empty.reduceLeft(_ ++ _) ++ Stream(1)), Success(List(1)))
    assertEquals(elements(empty.foldRight(Stream(1): Stream[Int])(_ ++ _)), Success(List(1)))
  }

  test("each of them is cancelled if it is not read") {
    for (
      put <- List[Seq[Stream[Int]] => Stream[Int]](_.reduceLeft(_ ++ _), _.reduceRight(_ ++ _), halves(_))
    ) {
      val probes = numbers.map(i => new Probe(Seq(i)))
      assertEquals(new ManualLoop().run(put(probes).take(2).toList(9)), Success(List(1, 2)))
      assertEquals(probes.count(_.cancelled == 1), n - 1)
      assertEquals(probes.flatMap(_.misuse).toList, Nil)
    }
  }

  test("a stream after itself is that stream") {
    val two = Stream(1) ++ Stream(2)
    assertEquals(elements(two ++ two), Success(List(1, 2)))
  }

  test("a stream that has ended may be continued") {
    val loop = new ManualLoop
    val two  = Stream(1) ++ Stream(2)
    assertEquals(loop.run(two.toList(9)), Success(List(1, 2)))
    assertEquals(loop.run((two ++ Stream(3)).toList(9)), Success(List(3)))
    assertEquals(loop.run((Stream(4) ++ two).toList(9)), Success(List(4)))
  }

  test("a hundred thousand functions") {
    val deep = numbers.foldLeft(Stream(0): Stream[Int])((s, i) => s.map(x => if (x == i - 1) i else -1))
    assertEquals(elements(deep), Success(List(n)))
  }

  test("a function that throws ends the stream and cancels its source, and none after it is called") {
    var called = 0
    val probe  = new Probe(Seq(1, 2))
    val broken = new IllegalStateException("broken")
    val mapped = probe.map(_ + 1).map[Int](_ => throw broken).map { x => called += 1; x }
    assertEquals(new ManualLoop().run(mapped.drain()).failed.toOption, Some(broken))
    assertEquals((probe.cancelled, called, probe.misuse), ((1, 0, Nil)))
    assertEquals(elements(mapped.map(_ + 1)), Success(Nil))
    assertEquals(probe.misuse, Nil)
  }

  private val million                                    = 1000000
  private def filtered(source: Stream[Int]): Stream[Int] =
    (1 to million).foldLeft(source)((s, _) => s.filter(_ => true))

  test("cancelling as many needs no stack") {
    val probe = new Probe(Seq(1))
    new ManualLoop().within(filtered(probe).cancel())
    assertEquals(probe.cancelled, 1)
  }
}
