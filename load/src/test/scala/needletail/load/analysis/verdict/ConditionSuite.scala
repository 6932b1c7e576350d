package needletail.load.analysis.verdict

import needletail.testing.{Language, Suite}

class ConditionSuite extends Suite {
  private def parsed(text: String): Condition = Condition.parse(text).fold(fail(_), identity)
  private def refused(text: String): String = Condition.parse(text).fold(identity, c => fail(s"$c was read"))

  test("a percentile is bounded in time") {
    val c = parsed("p99 < 50 ms")
    assertEquals(c.metric, Metric.Percentile(99))
    assertEquals(c.bound, 50e6)
    assert(c.holds(Some(49.9e6)) && !c.holds(Some(50e6)))
    assertEquals(parsed("p99.9<=1.5s").bound, 1.5e9)
    assertEquals(parsed("median < 200us").metric, Metric.Percentile(50))
    assertEquals(parsed("mean > 1 min").bound, 60e9)
  }

  test("names of metrics may be in upper case, whatever the machine's language is") {
    for (language <- Seq("en-US", "tr-TR"))
      Language.of(language)(assertEquals(Metric.named("MIN"), Some(Metric.Min)))
  }

  test("errors are bounded in per cent, a rate in a second") {
    assertEquals(parsed("errors < 0.1 %").bound, 0.001)
    assert(parsed("errors <= 0 %").holds(Some(0)))
    assertEquals(parsed("rate >= 1_000/s").bound, 1000.0)
    assertEquals(parsed("rate > 5").bound, 5.0)
  }

  test("a kind of requests may be named") {
    val c = parsed("search results: max < 2 s")
    assertEquals(c.kind, Some("search results"))
    assertEquals(c.metric, Metric.Max)
  }

  test("what was not measured holds nothing") {
    assert(!parsed("p99 < 50 ms").holds(None))
    assert(!parsed("errors < 1 %").holds(None))
  }

  test("several are separated by commas") {
    assertEquals(Condition.parseAll("p99 < 50 ms, errors < 1 %,rate > 10/s").map(_.size), Right(3))
    assert(Condition.parseAll("p99 < 50 ms, errors < 1").isLeft)
    assert(Condition.parseAll(" , ").isLeft)
  }

  test("a mistake is said in words") {
    assert(refused("p99 < 50").contains("no unit"), refused("p99 < 50"))
    assert(refused("p99 < 50 %").contains("\"%\" is not a unit of p99"))
    assert(refused("errors < 1").contains("use %"))
    assert(refused("errors < 101 %").contains("more than 100 %"))
    assert(refused("p101 < 1 s").contains("there is no metric named p101"))
    assert(refused("latency < 1 s").contains("there is no metric named latency"))
    assert(refused("p99 = 1 s").contains("is not a condition"))
    assert(refused("p99 < 1.2.3 s").contains("1.2.3 is not a number"))
  }
}
