package needletail.stream

import scala.concurrent.duration._

import org.scalacheck.{Gen, Prop, Test}

import needletail.async.Async
import needletail.testing.Suite
import needletail.testkit.ManualLoop

/** Random pipelines do what the same operations on lists do, whether elements are ready or come one by one. */
class ModelSuite extends Suite {
  override def munitTimeout: Duration = 2.minutes

  private case class Operator(
      name: String,
      stream: Stream[Int] => Stream[Int],
      list: List[Int] => List[Int]
  ) {
    override def toString: String = name
  }

  private val operator: Gen[Operator] = for {
    n       <- Gen.choose(0, 6)
    pending <- Gen.oneOf(false, true)
    chosen  <- Gen.oneOf(
      Operator(s"map $n", _.map(_ + n), _.map(_ + n)),
      Operator(s"filter $n", _.filter(_ % 7 > n), _.filter(_ % 7 > n)),
      Operator(
        s"collect $n",
        _.collect { case x if x % 7 > n => -x },
        _.collect { case x if x % 7 > n => -x }
      ),
      Operator(s"take $n", _.take(n.toLong), _.take(n)),
      Operator(s"drop $n", _.drop(n.toLong), _.drop(n)),
      Operator(s"takeWhile $n", _.takeWhile(_ % 7 != n), _.takeWhile(_ % 7 != n)),
      Operator(s"dropWhile $n", _.dropWhile(_ % 7 != n), _.dropWhile(_ % 7 != n)),
      Operator(s"scan $n", _.scan(n)(_ + _), _.scanLeft(n)(_ + _)),
      Operator(s"chunks $n", _.chunks(n + 1).map(_.sum), _.grouped(n + 1).map(_.sum).toList),
      Operator(
        s"flatMap $n $pending",
        _.flatMap(x => new Probe(List.fill(n % 3)(x), pending)),
        _.flatMap(x => List.fill(n % 3)(x))
      ),
      Operator(s"concat $n $pending", _ ++ new Probe(0 until n, pending), _ ++ (0 until n)),
      Operator(s"prepend $n", _.prepend(0 until n: _*), (0 until n).toList ++ _),
      Operator(
        s"mapAsync $n $pending",
        _.mapAsync(n + 1)(x =>
          (if (pending) Async.sleep((x.abs % 5).millis) else Async.unit).map(_ => x + 1)
        ),
        _.map(_ + 1)
      ),
      Operator(
        s"zip $n $pending",
        _.zip(new Probe(0 until n * 3, pending)).map(p => p._1 - p._2),
        _.zip(0 until n * 3).map(p => p._1 - p._2)
      ),
      Operator(
        s"zipWithIndex",
        _.zipWithIndex.map(p => p._1 + p._2.toInt),
        _.zipWithIndex.map(p => p._1 + p._2)
      ),
      Operator(s"merge", _.merge(Stream.empty), x => x),
      Operator(s"onEnd", _.onEnd(()), x => x),
      Operator(
        s"recover $n",
        s => (s ++ Stream.fail(new Exception)).recoverWith { case _ => Stream.from(0 until n) },
        _ ++ (0 until n)
      )
    )
  } yield chosen

  private val cases = for {
    elements  <- Gen.listOf(Gen.choose(0, 100))
    pending   <- Gen.oneOf(false, true)
    operators <- Gen.choose(0, 6).flatMap(Gen.listOfN(_, operator))
  } yield (elements, pending, operators)

  private def check(prop: Prop): Unit = {
    val result = Test.check(Test.Parameters.default.withMinSuccessfulTests(2000), prop)
    assert(result.passed, org.scalacheck.util.Pretty.pretty(result))
  }

  test("a stream has the elements of the list, and uses up or cancels its source once") {
    check(Prop.forAllNoShrink(cases) { case (elements, pending, operators) =>
      val probe  = new Probe(elements, pending)
      val loop   = new ManualLoop
      val stream = operators.foldLeft(probe.map(n => n))((s, o) => o.stream(s))
      val found  = loop.run(stream.toList(100000)).get
      loop.runAll()
      found == operators.foldLeft(elements)((l, o) => o.list(l)) && probe.misuse.isEmpty &&
      (probe.ended && probe.cancelled == 0 || !probe.ended && probe.cancelled == 1)
    })
  }

  test("a reader that stops anywhere has a prefix, and the source is used up or cancelled once") {
    check(Prop.forAllNoShrink(cases, Gen.choose(0, 20), Gen.oneOf(false, true)) {
      case ((elements, pending, operators), count, outstanding) =>
        val probe  = new Probe(elements, pending)
        val loop   = new ManualLoop
        val stream = operators.foldLeft(probe.map(n => n))((s, o) => o.stream(s))
        val found  = List.newBuilder[Int]
        for (_ <- 1 to count) loop.run(stream.next()).get.foreach(found += _)
        if (outstanding) loop.within { stream.next(); () }
        loop.within(stream.cancel())
        loop.runAll()
        operators.foldLeft(
          elements
        )((l, o) => o.list(l)).startsWith(found.result()) && probe.misuse.isEmpty &&
        (probe.ended && probe.cancelled == 0 || !probe.ended && probe.cancelled == 1)
    })
  }
}
